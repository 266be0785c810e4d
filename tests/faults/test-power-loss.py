#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Checks, in a list of calls, the order in which a batch changes files, so that a power cut at any moment is harmless.

A file's bytes are flushed before the manifest says which file it is; that line is flushed before the file gets its
name, so that the next run knows a file that has it. Then the folder is flushed, and only after that the manifest says
that the image is done. The name of a new folder is flushed before anything is written below it. A kill at any of these
calls loses no image, and leaves no file that the next run takes for somebody else's."""

import errno
import json
import os
import pathlib
import shutil
import signal
import sys
import unittest

import faults

SMALL = ("--device", "reference", "--sp", "2", "--jobs", "2")


class PowerLoss(faults.FaultCase):
    def trace(self, *options, **arguments):
        """The calls of a batch, as lists of a name and the paths."""
        self.begin_batch(*options, **arguments)
        self.empty()
        return self.trace_of_run()

    def trace_of_run(self):
        listed = self.dir.parent / (self.dir.name + ".trace")
        self.addCleanup(listed.unlink, missing_ok=True)
        code, _, error, _ = self.run_with({"MS_FAULT_TRACE": listed})
        self.assertEqual(code, 0, error)
        return [line.split("\t") for line in listed.read_text().splitlines()]

    def assert_flushed(self, calls, target):
        """The numbers of the calls that flushed the bytes of target, gave it its name and flushed its folder."""
        named = [i for i, call in enumerate(calls) if call[0] in ("link", "rename") and call[2] == target]
        self.assertEqual(len(named), 1, f"{target} gets its name once")
        # A file that replaces another is first linked to a temporary name.
        begun, source = named[0], calls[named[0]][1]
        links = [i for i, call in enumerate(calls) if call[0] == "link" and call[2] == source]
        if links:
            begun, source = links[0], calls[links[0]][1]
        writes = [i for i, call in enumerate(calls) if call[0] == "write" and call[1] == source]
        flushes = [i for i, call in enumerate(calls) if call[0] == "fsync" and call[1] == source]
        self.assertGreater(len(writes), 0, target)
        self.assertGreater(len(flushes), 0, f"{target} is flushed")
        self.assertLess(writes[-1], flushes[-1], f"all bytes of {target} are flushed")
        self.assertLess(flushes[-1], begun, f"{target} is flushed before it has a name")
        after = [i for i, call in enumerate(calls)
                 if i > named[0] and call[0] == "fsync" and call[1] == os.path.dirname(target)]
        self.assertGreater(len(after), 0, f"the folder of {target} is flushed")
        return flushes[-1], begun, after[0]

    def check_order(self, *options, **arguments):
        calls = self.trace(*options, **arguments)
        manifest = str(self.dir / "m.jsonl")
        writes = [i for i, call in enumerate(calls) if call[0] == "write" and call[1] == manifest]
        lines = [json.loads(line) for line in pathlib.Path(manifest).read_text().splitlines()]
        self.assertEqual(len(lines), 2 * len(self.expected))
        written = {(line["output"], line["status"]): i for line, i in zip(lines, writes, strict=True)}
        for target in (str(self.out / name) for name in self.expected):
            bytes_flushed, named, name_flushed = self.assert_flushed(calls, target)
            saving = written[target, "saving"]
            self.assertGreater(saving, bytes_flushed, "the manifest knows a file whose bytes are not flushed")
            self.assertIn(["fsync", manifest, ""], calls[saving:named], f"{target} is named before its line is flushed")
            self.assertGreater(written[target, "done"], name_flushed,
                               "the manifest records an image whose name is not flushed")
        for report in ("r.json", "r.csv"):
            self.assert_flushed(calls, str(self.dir / report))
        made = calls.index(["mkdir", str(self.out / "sub"), ""])
        used = [call[2] for call in calls].index(str(self.out / "sub" / "p1.png"))
        self.assertIn(["fsync", str(self.out), ""], calls[made:used], "the name of a new folder is flushed")

    def test_a_missing_output_folder(self):
        """Each folder that is made is known to the disk before another one or a file is made in it."""
        self.begin_batch(*SMALL)
        shutil.rmtree(self.out)
        existing, self.out = self.dir, self.out / "2026" / "november"
        calls = self.trace_of_run()
        made = [pathlib.Path(call[1]) for call in calls if call[0] == "mkdir"]
        self.assertEqual(made, [existing / "out", existing / "out" / "2026", self.out, self.out / "sub"])
        for folder in made:
            begun = calls.index(["mkdir", str(folder), ""])
            inside = [i for i, call in enumerate(calls) if str(folder) + "/" in call[1] + call[2]]
            self.assertIn(["fsync", str(folder.parent), ""], calls[begun:inside[0]], f"the name of {folder} is flushed")
        self.assertEqual(self.tree(), self.expected)

    def test_workers(self):
        self.check_order(*SMALL)

    def test_replaced_files(self):
        self.check_order(*SMALL, "--on-conflict", "overwrite")

    def test_without_nameless_files(self):
        self.check_order(*SMALL, env={"MS_FAULT_NAMED": "1"})

    def test_streams(self):
        self.check_order("--device", "reference", "--sp", "1", "--max-iterations", "1", "--jobs", "1",
                         stream=True)

    def test_a_folder_that_cannot_be_flushed(self):
        self.begin_batch(*SMALL)
        self.sweep("fsync with EIO", {"MS_FAULT_CALL": "fsync", "MS_FAULT_CODE": errno.EIO, "MS_FAULT_ALWAYS": 0}, 100)
        calls = 3 * 3 + 1 + 2 * 2
        self.assertEqual(self.n_cases, calls, "each flush of three images and lines, a new folder and two reports")
        self.assertEqual(self.n_failures, calls, "none fails unseen")

    def test_killed_at_each_call(self):
        """Before a line, between it and the name of its file, and between the name and anything later."""
        for options in ((), ("--on-conflict", "overwrite")) if faults.LONG else ((),):
            self.begin_batch(*SMALL, *options)
            for call in ("write", "fsync", "rename"):
                self.empty()
                _, (calls, _), _, _ = self.run_with({"MS_FAULT_CALL": call})
                self.assertGreater(calls, len(self.expected))
                for nth in faults.sample(calls, 8):
                    self.empty()
                    code, _, error, _ = self.run_with({"MS_FAULT_CALL": call, "MS_FAULT_NTH": nth, "MS_FAULT_KILL": 1})
                    self.assertEqual(code, -signal.SIGKILL, error)
                    found = self.tree()
                    self.assertEqual([name for name in found if self.expected[name] != found[name]], [])
                    self.resume(f"a kill at {call} {nth} of {calls}")


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
