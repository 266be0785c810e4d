# SPDX-License-Identifier: MIT
"""A warm run opens one context with one device and loads one program from one binary; it compiles nothing."""
import collections
import os
import subprocess
import sys
import unittest

import headless

LAYER = os.environ["MS_FAULT_LAYER"]


class WarmStart(headless.HeadlessCase):
    def calls_of(self, *options):
        """How often a run makes each OpenCL call, by the log of the layer between it and the driver."""
        log = self.dir / "calls"
        log.unlink(missing_ok=True)
        env = {**os.environ, "OPENCL_LAYERS": LAYER, "MS_FAULT_LOG": str(log), "XDG_CACHE_HOME": str(self.cache)}
        command = [headless.PROGRAM, "--headless", "--quiet", "--device", "cpu", str(self.picture_path),
                   "-o", str(self.dir / "out.png"), "--on-conflict", "overwrite", *options]
        subprocess.run(command, check=True, env=env)
        if not log.exists():
            self.skipTest("This OpenCL loader takes no layers.")
        return collections.Counter(line.split()[2] for line in log.read_text().splitlines())

    def setUp(self):
        super().setUp()
        self.picture("a.png", 40, 30)
        self.picture_path = self.src / "a.png"
        self.cache = self.dir / "cache"  # apart from that of other tests, which run meanwhile
        self.calls_of()

    def test_one_of_each(self):
        calls = self.calls_of()
        self.assertEqual(calls["clCreateContext"], 1)
        self.assertEqual(calls["clCreateCommandQueue"], 1)
        self.assertEqual(calls["clCreateProgramWithBinary"], 1)
        self.assertEqual(calls["clBuildProgram"], 1)
        self.assertEqual(calls["clCreateProgramWithSource"], 0)
        self.assertLessEqual(calls["clGetDeviceIDs"], 2)

    def test_other_settings_compile_only_theirs(self):
        calls = self.calls_of("--sp", "3.5")
        self.assertEqual(calls["clCreateContext"], 1)
        self.assertEqual(calls["clBuildProgram"], 1)

    def test_notes_are_found_again(self):
        """Without what earlier starts found out about the device, the device is tried, with the same picture."""
        before = (self.dir / "out.png").read_bytes()
        notes = list(self.cache.glob("meanshift-lab/programs/*.device"))
        self.assertGreater(len(notes), 0)
        for content in (None, "", "[device]\nworks=perhaps\n"):
            for note in notes:
                note.unlink(missing_ok=True)
                if content is not None:
                    note.write_text(content)
            self.assertGreater(self.calls_of()["clBuildProgram"], 1)
            self.assertEqual((self.dir / "out.png").read_bytes(), before)
            self.assertEqual(self.calls_of()["clBuildProgram"], 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
