#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Every OpenCL call of a batch fails in turn: in workers, on several devices, and streaming."""

import sys
import unittest

import faults

ON_CPU = ("--device", "cpu", "--sp", "2", "--jobs", "1")
# Two devices on every machine that has PoCL.
SPLIT = ("--devices", "0:0,0:1", "--sp", "2", "--jobs", "1")
TWO = {"POCL_DEVICES": "pthread basic"}


class OpenCL(faults.FaultCase):
    def fail_each_call(self, name, *options, most=5, env=None, **arguments):
        self.begin_batch(*options, env={"OPENCL_LAYERS": faults.LAYER, **(env or {})}, **arguments)
        for always in (0, 1):
            self.sweep(name, {"MS_FAULT_ALWAYS": always}, most, preload=False)
        self.say(name)

    def test_in_workers(self):
        self.fail_each_call("in workers", *ON_CPU)

    def test_with_a_fall_back(self):
        self.fail_each_call("falling back", *ON_CPU, "--fallback", "cpu")

    def test_on_several_devices(self):
        for mode in ("equal", "learned", "adaptive") if faults.LONG else ("adaptive",):
            with self.subTest(mode):
                self.empty()
                self.fail_each_call(f"--split {mode}", *SPLIT, "--split", mode, env=TWO)

    def test_in_a_stream(self):
        self.fail_each_call("streaming", "--device", "cpu", "--sp", "1", "--max-iterations", "1", "--jobs", "1",
                            stream=True, most=3)


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
