#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The n-th allocation of 1 MiB or more fails, for each n: of the program, and anywhere in a worker."""

import sys
import unittest

import faults

FAST = ("--device", "reference", "--sp", "1", "--max-iterations", "1", "--jobs", "1")
ON_CPU = ("--device", "cpu", "--sp", "1", "--max-iterations", "1", "--jobs", "1")


class Memory(faults.FaultCase):
    def fail_each_allocation(self, name, *options, most=6, driver=0, **arguments):
        self.begin_batch(*options, **arguments)
        for always in (0, 1):
            self.sweep(name, {"MS_FAULT_CALL": "allocation", "MS_FAULT_ALWAYS": always, "MS_FAULT_DRIVER": driver},
                       most)
        self.say(name)

    def test_of_the_program(self):
        for form in ("png", "jpeg", "tiff", "webp") if faults.LONG else ("png", "jpeg"):
            with self.subTest(form):
                self.empty()
                self.fail_each_allocation(f"{form}", *FAST, "--format", form, large=True)

    def test_on_a_device(self):
        self.fail_each_allocation("on a device", *ON_CPU, large=True)

    def test_in_a_stream(self):
        self.fail_each_allocation("streaming", *ON_CPU, stream=True)

    def test_in_a_worker(self):
        """The driver's allocations count too: it may end the worker, which costs one image at most."""
        self.fail_each_allocation("in a worker", *ON_CPU, driver=1, large=True)


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
