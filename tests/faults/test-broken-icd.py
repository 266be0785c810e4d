#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A driver beside a good one hangs, aborts or exits as soon as it is loaded: the commands leave it out and name its
file, and every later one does so without loading it, until the file changes."""

import os
import pathlib
import shutil
import subprocess
import sys
import unittest

import faults
import headless

VENDORS = pathlib.Path("/etc/OpenCL/vendors")
STUB = os.environ["MS_STUB_ICD_LIBRARY"]

# Without the trial of each driver, a command waits for ever, and a batch for two minutes.
MOST_S = 100


class BrokenIcd(faults.FaultCase):
    def setUp(self):
        super().setUp()
        self.vendors = self.dir / "vendors"
        self.vendors.mkdir()
        self.stub = self.vendors / "a-stub.icd"
        self.loads = self.dir / "loads"
        self.stub.write_text(STUB + "\n")
        self.source = self.picture("a.png", 60, 40)

    def add_pocl(self):
        shutil.copy(VENDORS / "pocl.icd", self.vendors)

    def start(self, mode, *arguments):
        environment = {**os.environ, "OCL_ICD_VENDORS": str(self.vendors), "MS_STUB_ICD": mode,
                       "MS_STUB_LOADS": str(self.loads), "XDG_CACHE_HOME": str(self.dir / "cache")}
        return subprocess.Popen([headless.PROGRAM, "--headless", *map(str, arguments)], env=environment, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def end(self, process):
        """Exit status, standard output and error, and how many processes have loaded the driver since."""
        self.addCleanup(process.kill)
        out, error = process.communicate(timeout=MOST_S)
        n = self.loads.stat().st_size if self.loads.exists() else 0
        self.loads.unlink(missing_ok=True)
        return process.returncode, out, error, n

    def run_once(self, mode, *arguments):
        return self.end(self.start(mode, *arguments))

    def commands(self):
        return {"list": ["--list-devices"],
                "picture": [self.source, "-o", self.out / "a.png", "--device", "cpu", "--on-conflict", "overwrite"],
                "reduce": ["--reduce", "sum", "--size", "64"]}

    def check_named(self, code, out, error):
        self.assertEqual(code, 0, error)
        self.assertEqual(error.count(f"The OpenCL driver of '{self.stub}' is left out"), 1, error)
        self.assertNotIn("started once more", error)

    def forget(self):
        shutil.rmtree(self.dir / "cache", ignore_errors=True)

    def test_each_command(self):
        self.add_pocl()
        for name, arguments in self.commands().items():
            for mode in ("abort", "exit"):
                with self.subTest(name, mode=mode):
                    self.forget()
                    code, out, error, n = self.run_once(mode, *arguments)
                    self.check_named(code, out, error)
                    self.assertEqual(n, 2, error)
                    # It is remembered, whatever the driver would do now.
                    code, out, error, n = self.run_once("hang", *arguments)
                    self.check_named(code, out, error)
                    self.assertEqual(n, 0)

    def test_hanging(self):
        """Of two commands at once, each says for what it waits, and then goes on without the driver."""
        self.add_pocl()
        for process in [self.start("hang", *arguments) for arguments in self.commands().values()]:
            code, out, error, _ = self.end(process)
            self.check_named(code, out, error)
            self.assertIn("has waited for 10 s for the OpenCL drivers", error)

    def test_a_driver_that_was_mended(self):
        self.add_pocl()
        self.run_once("abort", "--list-devices")
        self.stub.write_text(f"{STUB}\n\n")
        code, out, error, n = self.run_once("", "--list-devices")
        self.assertEqual((code, error, n), (0, "", 1))

    def test_nothing_else(self):
        code, out, error, _ = self.run_once("abort", "--list-devices")
        self.assertEqual(code, 4, error)
        self.assertIn("Use --device reference", error)
        code, out, error, n = self.run_once("abort", self.source, "-o", self.out / "a.png", "--device", "reference")
        self.assertEqual((code, n), (0, 0), error)

    @headless.in_ci
    def test_diagnosis(self):
        self.add_pocl()
        self.run_once("abort", "--list-devices")
        code, out, error, _ = self.run_once("abort", "--diagnose")
        self.assertIn(f"  The OpenCL driver of '{self.stub}' is left out", out)

    def test_a_cache_that_cannot_be_written(self):
        """The file is named all the same."""
        self.add_pocl()
        (self.dir / "cache").write_text("")
        code, out, error, _ = self.run_once("abort", "--list-devices")
        self.assertEqual(code, 4, error)
        self.assertIn(f"so that the driver of '{self.stub}' cannot be left out", error)


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
