#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A device that the rules do not know measures its kernels once; here PoCL under another name is one."""

import fcntl
import json
import os
import pathlib
import re
import sys
import unittest

import headless

LAYER = os.environ["MS_FAULT_LAYER"]
RADII = (5, 16)


class NewDevice(headless.HeadlessCase):
    def setUp(self):
        super().setUp()
        self.source = self.picture("a.png", 96, 80)
        self.data = self.dir / "data"
        # The first run on a device tries a trivial kernel, which must not be the one that meets a fault.
        self.run_on("--kernel", "direct")
        (self.out / "o.png").unlink()

    def run_on(self, *arguments, words="stranger,gpu", **variables):
        """The report of the image, and what was told."""
        fault = {"MS_FAULT_COUNT": str(self.dir / "count"), **variables} if variables else {}
        if fault:
            (self.dir / "count").write_bytes(bytes(16))
        report, told = self.run_program(
            self.source, "--device", "0:0", "-o", self.out / "o.png", "--on-conflict", "overwrite",
            "--json", "-", *arguments,
            env={"XDG_DATA_HOME": str(self.data), "OPENCL_LAYERS": LAYER, "MS_FAULT_DEVICE": words, **fault})
        return json.loads(report)["images"][0], told

    def files(self, ending):
        return list(self.data.glob(f"meanshift-lab/tuning/*{ending}"))

    def candidates(self):
        kept = json.loads(self.files(".kernels.json")[0].read_text())
        self.assertTrue(kept["complete"])
        return kept["candidates"]

    def winners(self):
        """The files of the winners by radius."""
        files = {path: json.loads(path.read_text()) for path in self.files(".winner.json")}
        return {int(kept["problem"].rsplit(" ", 1)[1]): path for path, kept in files.items()}

    def check_winners(self):
        """What is kept for each radius is the candidate that was fastest, by the kept times."""
        for index, radius in enumerate(RADII):
            best = min((c for c in self.candidates() if c["failure"] is None), key=lambda c: c["ms"][index])
            kept = json.loads(self.winners()[radius].read_text())["winner"]
            self.assertEqual(" ".join(f"{name}:{value}" for name, value in kept.items()), best["settings"])

    def check_radius(self, sp, radius):
        """The winner of that radius is taken; by one that is put there, so that no further kernel is compiled."""
        for other, path in self.winners().items():
            kept = json.loads(path.read_text())
            kept["winner"] = {"kernel": "direct", "access": "vload" if other == radius else "pointer"}
            path.write_text(json.dumps(kept))
        used = self.run_on("--sp", sp)[0]["options"]
        self.assertEqual((used["kernel"], used["access"]), ("direct", "vload"))

    def test_once(self):
        _, told = self.run_on("--kernel", "direct")
        self.assertEqual((told, self.files("")), ("", []))
        _, told = self.run_on()
        self.sentence(told, "measured", "new here", "the fastest")
        kept = self.candidates()
        self.assertLessEqual({"kernel:packed", "kernel:direct"}, {c["settings"] for c in kept})
        self.assertTrue(all(c["failure"] is None and min(c["ms"]) > 0 for c in kept), kept)
        self.assertEqual(self.run_on()[1], "")
        self.check_winners()
        for sp, radius in ((1, 5), (9, 5), (10, 16), (20, 16)):
            self.check_radius(sp, radius)
        self.assertEqual(self.run_on("--kernel", "direct")[0]["options"]["access"], "pointer")
        report, _ = self.run_program("--list-devices", "--json", "-", env={
            "XDG_DATA_HOME": str(self.data), "OPENCL_LAYERS": LAYER, "MS_FAULT_DEVICE": "stranger,gpu"})
        listed = json.loads(report)["devices"][0]
        self.assertEqual((listed["kernel_chosen_by"], listed["candidates"]), ("measurement", kept))

    def test_devices_that_the_rules_know(self):
        self.assertEqual(self.run_on(words="")[1], "")
        self.assertEqual(self.files(""), [])

    def run_with_wrong_pixels(self):
        return self.run_on(MS_FAULT_CALL="download", MS_FAULT_NTH="1", MS_FAULT_ALWAYS="1")

    def test_wrong_pixels(self):
        """A kernel whose pixels are wrong is not taken, however fast it is."""
        image, told = self.run_with_wrong_pixels()
        self.assertEqual(told, "")
        self.assertEqual(image["status"], "done")
        for c in self.candidates():
            self.assertIn("serial reference", c["failure"])

    def test_end_of_the_process(self):
        """A candidate that ends the process costs one start, and is not tried again."""
        image, _ = self.run_on(MS_FAULT_CALL="clEnqueueNDRangeKernel", MS_FAULT_NTH="1", MS_FAULT_MODE="abort")
        self.assertEqual(image["status"], "done")
        first, *others = self.candidates()
        self.assertEqual(first["failure"], "it ended the process")
        self.assertGreater(len(others), 0)
        self.assertTrue(all(c["failure"] is None for c in others))

    def test_another_process_measures(self):
        # Of a run that measures nothing only the name of the lock is wanted.
        self.run_with_wrong_pixels()
        kept = self.files(".json")
        for file in kept:
            file.unlink()
        with pathlib.Path(self.files(".lock")[0]).open("r+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            image, told = self.run_on()
        self.assertEqual((image["status"], told, self.files(".json")), ("done", "", []))

    def on_clock(self, *arguments, **checks):
        """Of a driver whose events end a nanosecond after they began."""
        return self.run_program(*arguments, "--device", "0:0", **checks, env={
            "XDG_DATA_HOME": str(self.data), "XDG_CACHE_HOME": str(self.dir / "cache"), "OPENCL_LAYERS": LAYER,
            "MS_FAULT_DEVICE": "stranger", "MS_FAULT_EVENT_NS": "1"})[0].decode()

    def test_wall_clock(self):
        """Events that give no times are replaced by the clock around each command, and every output says so."""
        text = self.on_clock(self.source, "--kernel", "direct", "--timings", "-o", self.out / "o.png")
        self.assertIn("\n  wall clock: this driver's events give no times\n", text)
        rows = [line for line in text.splitlines() if re.match("  (upload|kernel|download) ", line)]
        # How long commands waited is not known; how long they ran is.
        self.assertEqual({row[42:68].strip() for row in rows}, {""}, rows)
        self.assertTrue(all(float(row[68:80]) > 0 for row in rows), rows)
        report = json.loads(self.on_clock(self.source, "--kernel", "direct", "--json", "-", "-o", self.out / "p.png"))
        image, = report["images"]
        of_device = [row for row in image["timings"] if row["stage"] in ("upload", "kernel", "download")]
        self.assertTrue(all(row["by_wall_clock"] and row["ms"] > 0 for row in of_device), of_device)
        self.assertLessEqual(sum(row["ms"] for row in of_device), image["filter_ms"]["median"])
        self.assertFalse(any(row["by_wall_clock"] for row in image["timings"] if row not in of_device))
        text = self.on_clock("--reduce", "sum", "--size", "65536")
        self.assertIn("\nTimes: by the wall clock, since this driver's events give none.\n", text)
        self.assertRegex(text, r"(?m)^variant \S+ +\d")
        experiment = self.dir / "small.experiment"
        experiment.write_text("[Experiment]\nTitle=Small\nKind=reduce\nDescription=Sums.\n[Axes]\nsize=4096;8192\n"
                              "[Fixed]\nop=sum\ntype=int\n")
        self.assertIn("Times: by the wall clock, since this driver's events give none.",
                      self.on_clock("--experiment", experiment, "--quick", "--budget", "1ms"))

    def test_events_of_a_driver_that_tells_times(self):
        image, _ = self.run_on()
        self.assertFalse(any(row["by_wall_clock"] for row in image["timings"]))


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
