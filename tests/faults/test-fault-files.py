#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Calls that write files fail one after the other, and the disk is full at every byte of a small batch's outputs."""

import errno
import sys
import unittest

import faults

CALLS = ("write", "fsync", "rename")
CODES = {"ENOSPC": errno.ENOSPC, "EIO": errno.EIO, "EDQUOT": errno.EDQUOT}
SMALL = ("--device", "reference", "--sp", "2", "--jobs", "1")
FAST = ("--device", "reference", "--sp", "1", "--max-iterations", "1", "--jobs", "1")


class Files(faults.FaultCase):
    def fail_each_call(self, name, *options, most=3, **arguments):
        self.begin_batch(*options, **arguments)
        for call in CALLS:
            for code, number in CODES.items() if faults.LONG else [("ENOSPC", errno.ENOSPC)]:
                for always in (0, 1):
                    self.sweep(f"{name}: {call} with {code}", {"MS_FAULT_CALL": call, "MS_FAULT_CODE": number,
                                                               "MS_FAULT_ALWAYS": always}, most)
        self.say(name)

    def test_each_call_of_workers(self):
        self.fail_each_call("in a worker", *SMALL)

    def test_each_call_that_replaces_files(self):
        self.fail_each_call("replacing", *SMALL, "--on-conflict", "overwrite")

    def test_each_call_without_nameless_files(self):
        self.fail_each_call("with temporary names", *SMALL, env={"MS_FAULT_NAMED": "1"})

    def test_each_call_of_a_stream(self):
        self.fail_each_call("streaming", *FAST, stream=True, most=2)

    def fill_the_disk(self, name, *options, most=16):
        """The write that crosses the last byte is short, and all later ones fail."""
        self.begin_batch(*options)
        self.empty()
        _, (_, last), _, _ = self.run_with({"MS_FAULT_CALL": "write"})
        self.assertGreater(last, 1000)
        for byte in faults.sample(last, most):
            self.empty()
            code, (_, wanted), error, _ = self.run_with({"MS_FAULT_CALL": "write", "MS_FAULT_BYTE": byte - 1,
                                                         "MS_FAULT_CODE": errno.ENOSPC})
            # The times in a report make it some bytes longer or shorter.
            self.assertEqual(code, int(wanted > byte - 1), f"{name}, full after {byte - 1} bytes\n{error}")
            self.assertEqual("full" in error, code == 1, error)
            self.check_after(f"{name}, full after {byte - 1} of {last} bytes", code, error)
        self.say(f"{name}, disk full after each byte")

    def test_a_disk_that_is_full_at_each_byte(self):
        self.fill_the_disk("in a worker", *SMALL)


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
