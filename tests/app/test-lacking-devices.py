#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Devices that lack something: PoCL behind a layer that states smaller limits, and fails calls beyond them."""

import json
import os
import sys
import unittest

import headless

LAYER = os.environ["MS_FAULT_LAYER"]
DEVICES = ("images=0", "group=256", "local=16384", "buffer=1048576", "no-atomics",
           "images=0,group=256,local=16384,buffer=1048576,no-atomics")
RUNS = ((), ("--kernel", "direct", "--local-memory", "on"), ("--kernel", "packed"),
        ("--regions", "--min-region", "9"), ("--stats", "--histogram"))


class LackingDevices(headless.HeadlessCase):
    def setUp(self):
        super().setUp()
        self.source = self.picture("a.png", 190, 110)
        # One buffer of a mebibyte cannot hold it.
        self.large = self.picture("b.png", 700, 400)

    def run_on(self, words, source, *arguments):
        """The bytes of the output and what was told."""
        output = self.dir / "o.png"
        env = {"OPENCL_LAYERS": LAYER, "MS_FAULT_DEVICE": words} if words else {}
        _, told = self.run_program(source, "--device", "0:0", "--sp", "3", "-o", output, "--on-conflict", "overwrite",
                                   *arguments, env=env)
        return output.read_bytes(), told

    def test_same_pixels(self):
        """What the device lacks is planned around: tiles, other forms of kernels, smaller groups."""
        expected = {(source, run): self.run_on("", source, *run)[0] for source in (self.source, self.large)
                    for run in RUNS}
        for words in DEVICES:
            source = self.large if "buffer" in words else self.source
            for run in RUNS:
                with self.subTest(words, run=run):
                    self.assertEqual(self.run_on(words, source, *run), (expected[source, run], ""))

    def test_refusals(self):
        """What cannot be done is said before anything is done."""
        for words, arguments, part in (
                ("images=0", ("--memory", "image"), "has no image objects"),
                ("group=64", ("--work-group", "32x4"), "the device takes 64 work-items"),
                ("local=1024", ("--kernel", "packed", "--sp", "8"), "bytes of local memory; the device has 1024")):
            with self.subTest(words):
                _, told = self.run_program(self.source, "--device", "0:0", "-o", self.dir / "n.png", *arguments,
                                           status=2, env={"OPENCL_LAYERS": LAYER, "MS_FAULT_DEVICE": words})
                self.sentence(told, part)
                self.assertFalse((self.dir / "n.png").exists())

    def test_what_is_listed(self):
        report, _ = self.run_program("--list-devices", "--json", "-", env={
            "OPENCL_LAYERS": LAYER, "MS_FAULT_DEVICE": DEVICES[-1]})
        self.assertIn('"images" : false', report.decode())
        self.assertEqual(json.loads(report)["devices"][0]["local_memory"], 16384)


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
