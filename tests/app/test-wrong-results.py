#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A device that gives one wrong byte: each command that compares with serial code says so and ends with status 3."""

import csv
import io
import itertools
import json
import os
import re
import struct
import subprocess
import sys
import unittest

import headless

LAYER = os.environ["MS_FAULT_LAYER"]
ON_CPU = ("--device", "cpu")


class WrongResults(headless.HeadlessCase):
    def setUp(self):
        super().setUp()
        self.source = self.picture("a.png")
        # What a start finds out about the device is kept, so that the first download after it is a result.
        self.run_program(self.source, "--verify", *ON_CPU)

    def falsified(self, *arguments, status=3):
        """Standard output and error of a run whose first download has another first byte than the device gave."""
        count = self.dir / "count"
        count.write_bytes(bytes(16))
        output, error = self.run_program(*arguments, status=status, env={
            "OPENCL_LAYERS": LAYER, "MS_FAULT_COUNT": str(count), "MS_FAULT_CALL": "download", "MS_FAULT_NTH": "1"})
        self.assertGreater(struct.unpack("ll", count.read_bytes())[0], 0, "nothing was downloaded")
        return output.decode(), error

    def test_verify(self):
        output, error = self.falsified(self.source, "--verify", "-o", self.out, *ON_CPU)
        self.assertIn("\n  differs from the reference: 1 pixels, largest difference 1\n", output)
        self.sentence(error, "a.png' differs from the reference in 1 of 1200 pixels, by up to 1 levels",
                      "; it is not saved.")
        self.assertEqual(self.names(), [])
        output, _ = self.falsified(self.source, "--verify", "--csv", "-", *ON_CPU)
        row, = csv.DictReader(io.StringIO(output))
        self.assertEqual((row["status"], row["mismatched_pixels"], row["max_difference"]), ("failed", "1", "1"))

    def test_without_verify_nothing_is_compared(self):
        self.falsified(self.source, "-o", self.out, *ON_CPU, status=0)
        self.assertEqual(self.names(), ["a.png"])

    def test_reduce(self):
        path = self.dir / "report.json"
        output, error = self.falsified("--reduce", "sum", "--size", "4096", "--json", path, *ON_CPU)
        found = int(re.search(r"(?m)^Result: (\d+)$", output)[1])
        serial = int(re.search(r"(?m)^Serial result: (\d+) \(DIFFERS\)", output)[1])
        self.assertEqual((abs(found - serial), error), (1, ""))
        row, = json.loads(path.read_text())["experiments"][0]["rows"]
        self.assertEqual((row["outcome"], row["verification"]["mismatches"]), ("wrong-result", 1))
        # Nothing is timed after a wrong result.
        self.assertEqual(row["samples_ns"], [])
        self.assertEqual({*row["derived"].values(), row["summary"]["median_ns"]}, {None})

    def test_diagnose(self):
        output, error = self.falsified("--diagnose")
        differing = re.findall(r"(?m)^  \S+ +(\S.*?) +DIFFERS from the reference in (\d+) values$", output)
        self.assertEqual((differing, error), ([("direct", "1")], ""), output)
        self.assertNotIn("FAILS", output)

    def run_with_wrong(self, first, always, *arguments):
        """Status, output and error with a wrong download; %None where there are fewer."""
        count = self.dir / "count"
        count.write_bytes(bytes(16))
        run = subprocess.run([headless.PROGRAM, "--headless", *map(str, arguments)], capture_output=True, text=True,
                             check=False, timeout=120,
                             env={**os.environ, "OPENCL_LAYERS": LAYER, "MS_FAULT_COUNT": str(count), "MS_FAULT_CALL":
                                  "download", "MS_FAULT_NTH": str(first), "MS_FAULT_ALWAYS": str(int(always))})
        return run if struct.unpack("ll", count.read_bytes())[0] >= first else None

    def test_every_download_of_diagnose(self):
        """No number of a device is believed as a size or an index: each test of the list ends with words of its own."""
        run = self.run_with_wrong(1, True, "--diagnose")
        self.assertEqual((run.returncode, run.stderr), (3, ""))
        self.assertRegex(run.stdout, r"labels of regions +FAILS: .* returned label \d+ where there are \d+ regions")
        self.assertGreater(run.stdout.count("DIFFERS"), 20)

    def test_each_download_of_regions(self):
        """Each number of each step is wrong once, with regions that merge and without."""
        refused = set()
        for least in ("1", "4"):
            arguments = (self.source, "--regions", "--sr", "8", "--min-region", least, "-o", self.out / "r.png",
                         "--csv", self.out / "r.csv", "--on-conflict", "overwrite", *ON_CPU)
            for always, first in itertools.product((False, True), range(1, 40)):
                run = self.run_with_wrong(first, always, *arguments)
                if not run:
                    self.assertGreater(first, 4)
                    break
                self.assertIn(run.returncode, (0, 1), run.stderr)
                if run.returncode == 1:
                    refused.add(re.sub(r"\d+", "N", run.stderr))
        self.assertTrue(any("returned N where a number from N to N belongs" in text for text in refused), refused)
        self.assertFalse([text for text in refused if "did not survive" in text])

    def test_experiment(self):
        experiment = self.dir / "small.experiment"
        experiment.write_text("[Experiment]\nTitle=Small\nKind=reduce\nDescription=One sum.\n[Axes]\nsize=4096\n"
                              "[Fixed]\nop=sum\ntype=int\n")
        output, _ = self.falsified("--experiment", experiment, *ON_CPU)
        self.assertRegex(output, r"wrong-result: .* is wrong: 1 of 1 differ from the serial result, by 1 at most\.")


class UnknownTimes(headless.HeadlessCase):
    """A driver whose events end when they begin, or a nanosecond later, as rusticl's of Mesa 22.3 do: nothing of what
    follows from them is a figure, in any table."""

    def run_timeless(self, *arguments, status=0):
        environment = {"OPENCL_LAYERS": LAYER, "MS_FAULT_EVENT_NS": "1"}
        output, error = self.run_program(*arguments, status=status, env=environment)
        return output.decode(), error

    def test_picture(self):
        source = self.picture("a.png")
        output, _ = self.run_timeless(source, "--timings", "--stats", "-o", self.out / "x.png", *ON_CPU)
        rows = [line for line in output.splitlines() if re.match(r"  (upload|kernel|download) ", line)]
        self.assertEqual({row.split()[0] for row in rows}, {"upload", "kernel", "download"})
        for row in rows:
            # Megabytes are the only figure, where they are known.
            self.assertLessEqual(len(re.findall(r"\d+\.\d+", row)), 1, row)
        self.assertNotIn("kernels: median", output)
        self.assertNotRegex(output, r"kernels: |nan|of the measured read bandwidth")
        self.assertIn("whole filter, with transfers: median", output)

    def test_in_part(self):
        """Every second command is timed: what a sum over some of them would say is empty."""
        source = self.picture("a.png")
        environment = {"OPENCL_LAYERS": LAYER, "MS_FAULT_EVENT_NS": "1", "MS_FAULT_TIMED_EVERY": "2"}
        output, _ = self.run_program(source, "--timings", "-o", self.out / "x.png", *ON_CPU, env=environment)
        kernels = [row[68:80].strip() for row in output.decode().splitlines() if row.startswith("  kernel ")]
        self.assertTrue(any(kernels) and not all(kernels), kernels)
        self.assertNotRegex(output.decode(), r"kernels: |nan|inf")

    def test_reduce(self):
        """The result is compared although its time is unknown, which is said in its place."""
        output, error = self.run_timeless("--reduce", "sum", "--size", "4096", *ON_CPU)
        self.assertRegex(output, r"(?m)^variant \S+[ –]+0[ –]+run: The driver's events do not say how long")
        self.assertRegex(output, r"(?m)^Serial result: .*agrees")
        self.assertNotRegex(output, r"nan|inf\b")
        self.assertEqual(error, "")

    def test_experiment(self):
        """No form of a report has a figure where no time is known: text, CSV, JSON, LaTeX, page and chart."""
        experiment, folder = self.dir / "small.experiment", self.dir / "report"
        experiment.write_text("[Experiment]\nTitle=Small\nKind=reduce\nDescription=Sums.\n[Axes]\nsize=4096;8192\n"
                              "[Fixed]\nop=sum\ntype=int\n")
        output, error = self.run_timeless("--experiment", experiment, "--report-dir", folder, *ON_CPU, status=1)
        self.sentence(error, "No configuration of the experiment 'small' has a time. ",
                      "so that there are no times of this device.")
        row, _ = csv.DictReader(io.StringIO((folder / "small.csv").read_text()))
        figures = {name for name, text in row.items() if re.fullmatch(r"[-+.0-9e]+", text)}
        # How often it was tried and what the host took is known.
        self.assertEqual(figures - {"foreign_load"}, {"n", "prepare_ns", "rejected", "outliers", "mismatches"})
        table = re.search(r"(?m)^size 4096 .*$", output)[0]
        self.assertEqual(table.split()[2:7], ["–", "–", "–", "0", "–"])
        self.assertIn("size 4096 & {--} & {--} & 0 & {--} & run", (folder / "small.tex").read_text())
        for path in folder.iterdir():
            if path.suffix != ".pdf":
                self.assertNotRegex(path.read_text(), r"(?i)\bnan\b|\binf\b|[ >]0(\.0+)? (ms|µs|GB/s)", path.name)
        self.assertNotRegex(output, r"\bnan\b|\binf\b")

    def test_reports(self):
        source = self.picture("a.png")
        environment = {"OPENCL_LAYERS": LAYER, "MS_FAULT_EVENT_NS": "1"}
        report = self.report(source, "--timings", "-o", self.out / "x.png", *ON_CPU, env=environment)
        image, = report["images"]
        self.assertIsNone(image["kernel_ms"])
        for row in image["timings"]:
            known = row["stage"] in ("decode", "build", "encode")
            self.assertEqual(row["ms"] is not None, known, row)
            self.assertIsNone(None if known else row["gb_per_s"], row)
        output, _ = self.run_timeless(source, "--csv", "-", "-o", self.out / "y.png", *ON_CPU)
        row, = csv.DictReader(io.StringIO(output))
        figures = {name: row[name] for name in row if name.startswith("kernel_ms") and not name.endswith("_n")}
        self.assertGreater(len(figures), 2)
        self.assertEqual(set(figures.values()), {""}, figures)
        self.assertNotIn("nan", output)


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
