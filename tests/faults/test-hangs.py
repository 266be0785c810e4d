#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A driver that hangs in a call: one signal or the time limit ends the program, and the next run does the rest."""

import json
import os
import re
import signal
import struct
import subprocess
import sys
import time
import unittest

import faults
import headless

ON_CPU = ("--device", "cpu", "--sp", "2", "--jobs", "1")
LAYER = {"OPENCL_LAYERS": faults.LAYER}


class Hangs(faults.FaultCase):
    def calls(self):
        return struct.unpack("ll", self.count.read_bytes())[0]

    def count_calls(self, command, empty=lambda: None):
        """Of a run with kernels in the cache: the run before it compiles them, which takes further calls."""
        subprocess.run(command, timeout=600, check=True, capture_output=True)
        empty()
        self.count.write_bytes(bytes(faults.COUNT_SIZE))
        subprocess.run(command, env={**os.environ, **LAYER, "MS_FAULT_COUNT": str(self.count)}, timeout=600, check=True,
                       capture_output=True)
        return self.calls()

    def start(self, command, nth):
        """Starts the command, whose nth call hangs; returns once it does."""
        self.count.write_bytes(bytes(faults.COUNT_SIZE))
        fault = {"MS_FAULT_COUNT": str(self.count), "MS_FAULT_NTH": str(nth), "MS_FAULT_MODE": "hang"}
        process = subprocess.Popen(command, env={**os.environ, **LAYER, **fault}, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.wait_until(lambda: self.calls() >= nth or process.poll() is not None)
        return process

    def wait_until(self, holds):
        deadline = time.monotonic() + 120
        while not holds():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)

    def end_of(self, process):
        """The status and standard error of a program that ends by itself."""
        error = process.communicate(timeout=120)[1].decode()
        return process.returncode, error

    def done_inputs(self):
        lines = [json.loads(line) for line in (self.dir / "m.jsonl").read_text().splitlines()]
        return [line["input"] for line in lines if line["status"] == "done"]

    def begin_hung_batch(self, *options):
        """A batch in one process that hangs after its first image."""
        self.begin_batch(*ON_CPU, "--jobs-in-process", *options)
        self.empty()
        calls = self.count_calls(self.command(), self.empty)
        self.empty()
        process = self.start(self.command(), calls * 5 // 6)
        self.wait_until(lambda: self.names() or process.poll() is not None)
        return process

    def check_rest(self, about):
        """Whole outputs alone are left, and the next run filters the other images, each once."""
        found = self.tree()
        self.assertTrue(0 < len(found) < len(self.expected), about)
        self.assertEqual([name for name in found if self.expected[name] != found[name]], [], about)
        self.assertEqual([p.name for p in self.dir.rglob("*.tmp")], [], about)
        self.assertEqual(len(self.done_inputs()), len(found), about)
        code, _, error, _ = self.run_with({}, preload=False)
        self.assertEqual(code, 0, error)
        self.assertEqual(self.tree(), self.expected)
        self.assertEqual(len(self.done_inputs()), len(self.expected))
        self.assertEqual(len(set(self.done_inputs())), len(self.expected))

    def test_one_signal_ends_a_batch_in_one_process(self):
        process = self.begin_hung_batch()
        process.send_signal(signal.SIGTERM)
        code, error = self.end_of(process)
        self.assertEqual(code, 130, error)
        self.sentence(error, "killed")
        self.check_rest(error)

    def test_a_time_limit_ends_a_batch_in_one_process(self):
        process = self.begin_hung_batch("--timeout", "10s")
        code, error = self.end_of(process)
        self.assertEqual(code, 4, error)
        named = re.search(r"'([^']*)': the device reported nothing for 10 s", error)
        self.assertTrue(named, error)
        self.assertTrue((self.src / named[1]).is_file(), error)
        self.assertNotIn(named[1], self.done_inputs())
        self.check_rest(error)

    def test_a_time_limit_ends_the_opening(self):
        command = [headless.PROGRAM, "--headless", self.picture("a.png"), "-o", str(self.out), *ON_CPU,
                   "--jobs-in-process", "--timeout", "1s"]
        code, error = self.end_of(self.start(command, 1))
        self.assertEqual(code, 4, error)
        self.sentence(error, "for 1 s while it was opened", "--device")
        self.assertEqual(self.names(), [])

    def end_commands(self, commands, number=None):
        """Lets each command hang, in its first call or in the middle, and sends the signal; their ends."""
        processes = []
        for arguments in commands:
            command = [headless.PROGRAM, "--headless", *arguments]
            calls = self.count_calls(command)
            processes.append(self.start(command, 1 if "--name" in arguments else calls // 2))
        for process in processes:
            if number:
                process.send_signal(number)
        return [self.end_of(process) for process in processes]

    def test_one_signal_ends_commands_of_one_process(self):
        """Those that open the device while they plan, measure, or find regions."""
        source = self.picture("a.png")
        overwrite = ("--on-conflict", "overwrite")
        commands = [["--reduce", "sum", "--size", "4096", "--device", "cpu"],
                    ["--regions", source, "-o", str(self.out / "r.png"), *overwrite, "--device", "cpu", "--sp", "2"],
                    [source, "-o", str(self.out), "--name", "{device}.png", *overwrite, *ON_CPU]]
        for code, error in self.end_commands(commands, signal.SIGINT):
            self.assertEqual(code, 130, error)
            self.sentence(error, "killed")

    def test_a_time_limit_ends_commands_of_one_process(self):
        source = self.picture("a.png")
        commands = [["--reduce", "sum", "--size", "4096", "--device", "cpu", "--timeout", "15s"],
                    ["--regions", source, "--csv", str(self.dir / "r.csv"), "--device", "cpu", "--timeout", "15s"]]
        for code, error in self.end_commands(commands):
            self.assertEqual(code, 4, error)
            self.sentence(error, "15 s of --timeout")


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
