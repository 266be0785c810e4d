#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Reductions, tuning and experiments, by running the program."""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import unittest

from headless import HeadlessCase, PROGRAM, SOURCE, in_ci, wait_for_text


class Lab(HeadlessCase):
    def reduce(self, *arguments):
        """The report of a reduction with its row, and what is printed beside it."""
        path = self.dir / "report.json"
        output, _ = self.run_program("--reduce", *arguments, "--device", "cpu", "--json", path)
        report, = json.loads(path.read_text())["experiments"]
        row, = report["rows"]
        return report, row, output.decode()

    def test_reduce(self):
        report, row, text = self.reduce("sum", "--type", "int", "--size", "10007", "--repeat", "9")
        self.assertEqual({key: row["settings"][key] for key in ("op", "type", "size")},
                         {"op": "sum", "type": "int", "size": "10007"})
        self.assertEqual((row["outcome"], row["summary"]["n"], len(row["samples_ns"])), ("ok", 9, 9))
        checked = row["verification"]
        self.assertEqual(checked["result"], checked["expected"])
        self.assertIn(f"\nResult: {checked['result']}\nSerial result: {checked['expected']} (agrees), in ", text)
        self.assertIn(f"reduce: sum of 10007 int, computed as the program chooses\n{report['device']['name']} · ", text)
        self.assertIn(f"\nvariant {row['settings']['variant']} ", text)
        _, _, text = self.reduce("minmax-positions", "--type", "float", "--size", "10007", "--variant", "minmax-36")
        self.assertIn(", computed as asked for\n", text)
        self.assertRegex(text, r"\nResult: \S+ at \d+, \S+ at \d+\n")
        self.assertRegex(self.reduce("norm1", "--type", "short", "--size", "10007")[2],
                         r"\nSerial result: \S+ \(agrees\), in ")
        _, error = self.run_program("--reduce", "product", status=2)
        self.sentence(error, "product")
        _, power, _ = self.reduce("sum", "--size", "2^12")  # as in files of experiments
        self.assertEqual(power["settings"]["size"], "4096")
        _, error = self.run_program("--reduce", "sum", "--size", "2^64", status=2)
        self.sentence(error, "--size", "2^64")
        _, error = self.run_program("--reduce", "sum", "--size", "99999999999999999999", status=2)
        self.sentence(error, "--size", "99999999999999999999")
        _, error = self.run_program("--reduce", "sum", "--device", "reference", status=2)
        self.sentence(error, "--device")

    def test_a_time_limit_that_a_good_driver_reaches(self):
        _, error = self.run_program("--reduce", "sum", "--size", "16M", "--repeat", "100000", "--timeout", "1s",
                                    status=4)
        self.sentence(error, "1 s of --timeout")

    def test_an_experiment_whose_name_is_not_text(self):
        path = os.path.join(os.fsencode(self.dir), b"m\xfcller.experiment")
        try:
            os.rename(self.study()[1], path)
        except OSError:
            self.skipTest("The file system takes UTF-8 names only.")
        command = PROGRAM.encode(), b"--headless", b"--experiment", path, b"--quick", b"--repeat", b"1", b"--quiet"
        result = subprocess.run(command, capture_output=True, timeout=600, check=False)
        self.assertEqual((result.returncode, result.stderr), (0, b""))

    def test_a_kernel_part_of_ones_own(self):
        """It is ranked where it is right, and otherwise costs its own row, with the reason."""
        folder = self.dir / "own"
        shutil.copytree(os.path.join(SOURCE, "data/experiments/own"), folder)
        file, step = folder / "own-step.experiment", folder / "step.cl"
        good = step.read_text()

        def rows(text, name=file, status=0):
            step.write_text(text)
            output, _ = self.run_program("--experiment", name, "--quick", "--repeat", "2", "--device", "cpu",
                                         "--json", "-", status=status)
            report, = json.loads(output)["experiments"]
            return {"mine" if "source" in row["settings"] else "ours": row for row in report["rows"]}

        for text, outcome, words, status in (
                (good, "ok", "", 0),
                (good.replace("k < UNROLL", "k < UNROLL - 1"), "wrong-result", "differ", 3),
                (good + "nonsense", "build", "did not build", 0)):
            with self.subTest(outcome=outcome):
                both = rows(text, status=status)
                self.assertEqual(both["ours"]["outcome"], "ok")
                self.assertEqual(both["mine"]["outcome"], outcome)
                self.assertIn(words, both["mine"]["message"] or "")
        other = folder / "other.experiment"
        other.write_text(file.read_text().replace("direct/step-pointer.cl", "rows/tile.cl"))
        self.assertIn("has no part 'rows/tile.cl'; its parts are", rows(good, other)["mine"]["message"])

    @in_ci
    def test_a_search_without_time_has_a_winner_still(self):
        home = {"XDG_DATA_HOME": str(self.dir / "data"), "XDG_CACHE_HOME": str(self.dir / "cache")}
        output, _ = self.run_program("--tune", self.picture("a.png", 60, 90), "--device", "cpu", "--budget", "1ms",
                                     env=home)
        self.assertIn("\nTried 1 of ", output.decode())

    def test_experiments_are_listed(self):
        output, _ = self.run_program("--experiment", "list")
        self.assertIn("ms-unroll", output.decode())
        listed, error = self.run_program("--experiment", "list", "--json", "-")
        self.assertEqual(error, "")
        experiments = json.loads(listed)["experiments"]
        self.assertEqual(sorted(e["name"] for e in experiments),
                         sorted(p.stem for p in (SOURCE / "data" / "experiments").glob("*.experiment")))
        for experiment in experiments:
            self.assertIn(experiment["title"], output.decode())
        text, _ = self.run_program("--experiment", "list", "--json", self.out / "list.json")
        self.assertEqual(text, output)
        self.assertEqual((self.out / "list.json").read_bytes(), listed)
        _, error = self.run_program("--experiment", "no-such-study", status=2)
        self.sentence(error, "no-such-study")

    def study(self):
        own = self.dir / "own.experiment"
        own.write_text("[Experiment]\nTitle=Own\nKind=reduce\n[Axes]\nvariant=naive;pcl\n"
                       "[Fixed]\nop=sum\nsize=2^19\n[Quick Fixed]\nsize=999\n[Plot]\nX=variant\n")
        return ["--experiment", own, "--repeat", "5", "--device", "cpu", "--accept-disturbed"]

    def test_experiments_that_cannot_be_run(self):
        own = self.dir / "own.experiment"
        text = "[Experiment]\nTitle=Own\nKind=mean-shift\n[Fixed]\nsize=32x32\nkernel=direct\nmemory=image\naccess="
        own.write_text(text + "vload\n")
        output, error = self.run_program("--experiment", own, "--quick", "--device", "cpu", status=1)
        self.assertIn("constraint", output.decode())
        self.assertIn("No configuration of the experiment 'own' has a time. The first: ", error)
        for endless in ("/dev/zero", "/dev/urandom"):
            _, error = self.run_program("--experiment", endless, "--device", "cpu", status=1)
            self.sentence(error, endless, "too large")
        _, error = self.run_program(*self.study(), "--compare", "/dev/zero", status=1)
        self.sentence(error, "/dev/zero", "too large")
        _, error = self.run_program(*self.study(), self.picture("a.png", 20, 20), status=2)
        self.sentence(error, "takes no image")

    def assert_compared(self, output):
        self.assertIn("own against the baseline", output)
        self.assertIn("drift between the two runs is not known", output)
        self.assertNotIn("without two times", output)

    def test_experiments_are_held_against_a_baseline(self):
        what, reports, base = self.study(), self.out / "reports", self.out / "base.json"
        self.run_program(*what, "--json", base, "--report-dir", reports)
        environment = json.loads((reports / "environment.json").read_text())
        self.assertIn("--report-dir", environment["command"])
        self.assertRegex(environment["kernels_sha256"], "^[0-9a-f]{64}$")
        self.assertEqual(environment["device"], {key: json.loads(base.read_text())["experiments"][0]["device"][key]
                                                 for key in ("name", "platform", "driver")})
        self.assertRegex(environment["commit"], "^(not known|[0-9a-f]{40}(-dirty)?)$")
        self.assertRegex(environment["build_id"], "^(not measurable|[0-9a-f]{8,})$")
        self.assertEqual(environment["kernels"]["direct/step-pointer.cl"],
                         hashlib.sha256((SOURCE / "kernels/direct/step-pointer.cl").read_bytes()).hexdigest())
        binaries = [one for one in environment["binaries"] if "reduce/reduce.cl" in one["parts"]]
        self.assertTrue(binaries)
        for one in binaries:
            self.assertRegex(one["sha256"], "^[0-9a-f]{64}$")
        for part in ("compiler", "processor", "governor", "boost", "kernel"):
            self.assertTrue(environment[part], part)
        for row in json.loads(base.read_text())["experiments"][0]["rows"]:
            self.assertIsInstance(row["foreign_load"], (int, float))
            self.assertGreaterEqual(row["conditions"]["load_before"], 0)
            self.assertEqual(row["conditions"]["measured_again"], 0)
        output, _ = self.run_program("--merge-reports", *sorted(reports.glob("*.json")))
        self.assertIn("own: Own", output.decode())
        _, error = self.run_program("--merge-reports", reports / "environment.json", status=1)
        self.sentence(error, "not a report")
        again = [reports / "own.experiment" if part == what[1] else part for part in what]
        output, error = self.run_program(*again, "--json", "-", "--compare", reports / "own.json")
        self.assert_compared(error)
        whole = json.loads(base.read_text())
        self.assertEqual([row["settings"] for row in json.loads(output)["experiments"][0]["rows"]],
                         [row["settings"] for row in whole["experiments"][0]["rows"]])
        own = json.loads(base.read_text())["experiments"][0]
        for row in own["rows"]:
            row["samples_ns"] = [1.0 + i / 100 for i in range(9)]
            row["rounds"] = list(range(9))
        other = {**own, "experiment": {**own["experiment"], "name": "other"}}
        base.write_text(json.dumps({**whole, "experiments": [other, own]}))
        self.assert_compared(self.run_program(*what, "--compare", base)[0].decode())
        self.run_program(*what, "--compare", base, "--fail-on-slower", status=1)
        base.write_text(json.dumps({**whole, "experiments": [other]}))
        self.sentence(self.run_program(*what, "--compare", base, status=2)[1], "--compare", "other")
        for damaged in ("[]", "{", '{"experiments": []}', '{"experiments": [3]}'):
            base.write_text(damaged)
            self.assertIn("base.json", self.run_program(*what, "--compare", base, status=1)[1])

    @in_ci
    def test_a_gate_that_compares_nothing_is_shut(self):
        what, base = self.study(), self.out / "base.json"
        self.run_program(*what, "--quick", "--json", base)
        whole = json.loads(base.read_text())
        for rows in (whole["experiments"][0]["rows"], []):
            base.write_text(json.dumps({**whole, "experiments": [{**whole["experiments"][0], "rows": rows}]}))
            self.run_program(*what, "--compare", base)
            _, error = self.run_program(*what, "--compare", base, "--fail-on-slower", status=1)
            self.sentence(error, "--fail-on-slower", "base.json", "--quick")

    def start(self, *arguments):
        """Starts a command that says on standard error which programs it loads."""
        environment = {**os.environ, "XDG_DATA_HOME": str(self.dir / "data"), "G_MESSAGES_DEBUG": "meanshift-lab"}
        process = subprocess.Popen([PROGRAM, "--headless", *map(str, arguments), "--device", "cpu"], bufsize=0,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
                                   env=environment)
        for end in (process.stdout.close, process.stderr.close, process.wait, process.kill):
            self.addCleanup(end)
        return process

    def output_of_interrupted(self, process):
        output, error = process.communicate(timeout=600)
        self.assertEqual(process.returncode, 130, error)
        self.assertIn("Incomplete", output.decode())
        return output.decode()

    def interrupt_experiment(self, interrupt):
        numbers = signal.SIGINT, signal.SIGTERM
        processes = [self.start("--experiment", self.study()[1], "--budget", "1h", "--repeat", "100000")
                     for _ in numbers]
        for process, number in zip(processes, numbers):
            wait_for_text(process.stderr, b"reduce/reduce.cl")
            interrupt(process.pid, number)
        for process in processes:
            self.assertIn("own: Own", self.output_of_interrupted(process))

    @in_ci
    def test_an_interrupted_experiment_prints_its_table(self):
        self.interrupt_experiment(os.kill)

    def test_one_signal_to_the_process_group_is_one_signal(self):
        """The command runs in a child process, which gets the signal from its sender and from its parent."""
        self.interrupt_experiment(os.killpg)

    def test_an_interrupted_search_prints_what_it_tried(self):
        process = self.start("--tune", self.picture("a.png", 60, 90), "--budget", "1h")
        for _ in range(2):
            wait_for_text(process.stderr, b": program: ")
        process.send_signal(signal.SIGTERM)
        self.assertRegex(self.output_of_interrupted(process),
                         r"(?s)^tuning: Fastest settings for mean-shift.*\nTried [1-9]\d* of \d+ configurations, in ")

    def test_tuning_leaves_its_report(self):
        home = {**os.environ, "XDG_DATA_HOME": str(self.dir / "data")}
        self.run_program("--tune", self.picture("a.png", 60, 90), "--budget", "2s", "--device", "cpu", "--report-dir",
                         self.out, env=home)
        report = json.loads((self.out / "tuning.json").read_text())
        self.assertGreater(report["space_size"], len(report["rows"]))
        times = [row["summary"]["median_ns"] for row in report["rows"] if row["outcome"] == "ok"]
        self.assertTrue(times)
        self.assertEqual(times[1:], sorted(times[1:]))
        self.assertEqual(report["winner"], {key: report["rows"][0]["settings"][key] for key in report["winner"]})
        self.assertTrue((self.out / "index.html").exists())

    def test_finished_experiments_are_left_out(self):
        what = [*self.study(), "--quick", "--noise", "5", "--report-dir", self.out]

        def report(*arguments):
            return json.loads(self.run_program(*what, *arguments, "--json", "-")[0])["experiments"][0]

        first = report()
        self.assertTrue(first["complete"])
        self.assertEqual(first["noise"], 0.05)
        self.assertEqual(report("--resume"), first)
        self.assertNotEqual(report()["rows"], first["rows"])
        _, error = self.run_program(*what[:2], "--resume", status=2)
        self.sentence(error, "--report-dir")
        _, error = self.run_program("--reduce", "sum", "--resume", "--report-dir", self.out, status=2)
        self.sentence(error, "--")

if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
