#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""--progress json: the events of each command, as another program reads them."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import unittest

from headless import HeadlessCase, PROGRAM, SOURCE, violation

SCHEMA = json.loads((SOURCE / "data" / "progress.schema.json").read_text())
REPORT = json.loads((SOURCE / "data" / "report.schema.json").read_text())
# What each event has at least.
MEMBERS = {"planned": ("seq", "input", "output", "status", "message", "shown"), "started": ("seq", "input"),
           "finished": ("seq", "input", "output", "status", "message", "shown", "width", "height", "kernel_ms"),
           "progress": ("fraction",), "summary": ("done", "failed", "skipped", "pending", "seconds", "interrupted"),
           "report": ("report", "shown"),
           "error": ("message", "shown"), "ended": ("status",)}


class Progress(HeadlessCase):
    def check(self, lines, status):
        """The events of a run that has said that it ended with that status; each follows the schema."""
        events = [json.loads(line) for line in lines.splitlines()]
        for event in events:
            self.assertIsNone(violation(SCHEMA, event), event)
            for member in MEMBERS[event["event"]]:
                self.assertIn(member, event)
        self.assertEqual([e for e in events if e["event"] == "ended"], events[-1:], "the end is not the last event")
        self.assertEqual(events[-1]["status"], status)
        return events

    def events(self, *arguments, status=0, **options):
        output, error = self.run_program(*arguments, "--progress", "json", status=status, **options)
        self.error = error
        return self.check(output, status)

    def named(self, events, name):
        return [event for event in events if event["event"] == name]

    def folder(self):
        self.picture("a.png")
        self.picture("c.png", 60, 20)
        (self.src / "b.png").write_text("This is no picture.\n")
        return [self.src, "-o", self.out, "--device", "reference", "--sp", "1"]

    def test_a_batch(self):
        what = self.folder()
        events = self.events(*what, "--stats", status=1)
        planned, finished = self.named(events, "planned"), self.named(events, "finished")
        self.assertEqual(events[:3], planned)
        self.assertEqual([(e["seq"], pathlib.Path(e["input"]).name, e["status"]) for e in planned],
                         [(1, "a.png", "pending"), (2, "b.png", "pending"), (3, "c.png", "pending")])
        self.assertEqual({e["seq"] for e in self.named(events, "started")}, {1, 2, 3})
        finished = {e["seq"]: e for e in finished}
        self.assertEqual([finished[n]["status"] for n in (1, 2, 3)], ["done", "failed", "done"])
        self.assertEqual([finished[n]["output"] for n in (1, 2, 3)], [e["output"] for e in planned])
        self.assertEqual((finished[3]["width"], finished[3]["height"]), (60, 20))
        self.assertIn("b.png", finished[2]["message"])
        summary, = self.named(events, "summary")
        self.assertEqual([summary[n] for n in ("done", "failed", "skipped", "pending")], [2, 1, 0, 0])
        self.assertTrue(all(0 <= e["fraction"] <= 1 for e in self.named(events, "progress")))
        self.assertIn("mean", self.error, "tables belong on standard error")

    def test_a_plan(self):
        what = self.folder()
        plan = self.events(*what, "--dry-run")
        self.assertEqual([e["event"] for e in plan], ["planned"] * 3 + ["summary", "ended"])
        self.assertEqual([plan[3][n] for n in ("done", "failed", "skipped", "pending")], [0, 0, 3, 0])
        self.assertEqual(self.names(), [])
        (self.out / "c.png").write_bytes(b"here")
        self.assertEqual([e["status"] for e in self.named(self.events(*what, "--dry-run", "--on-conflict", "skip"),
                                                          "planned")], ["pending", "pending", "skipped"])
        refused = self.named(self.events(*what, "--dry-run", status=1), "planned")[2]
        self.assertEqual(refused["status"], "failed")
        self.assertIn("c.png", refused["message"])

    def test_names_that_are_not_text(self):
        name = os.fsencode(self.src) + b"/caf\xe9\\.png"
        os.rename(self.picture("x.png"), name)
        plan = self.events(self.src, "-o", self.out, "--dry-run")
        self.assertEqual(plan[0]["input"], f"{self.src}/caf\\351\\\\.png")

    def test_messages_in_two_languages(self):
        locales = pathlib.Path(PROGRAM).parent.parent / "data" / "po"
        if not os.path.isdir(os.path.join(os.environ["LOCPATH"], "zh_CN.UTF-8")):
            self.skipTest("No Chinese locale could be made here (package locales)")
        chinese = {"LANGUAGE": "zh_CN", "LC_ALL": "zh_CN.UTF-8", "MS_LOCALE_FOLDER": str(locales)}
        self.folder()
        failed = [e for e in self.events(self.src, "-o", self.out, "--device", "reference", status=1, env=chinese)
                  if e.get("status") == "failed"]
        self.assertIn("is not a PNG", failed[0]["message"])
        self.assertIn("不是", failed[0]["shown"])
        events = self.events("--reduce", "no such", status=2, env=chinese)
        error, = self.named(events, "error")
        self.assertIn("no such", error["message"])
        self.assertNotEqual(error["message"], error["shown"])

    def test_errors(self):
        events = self.events("--reduce", "sum", "--device", "no such device", status=4)
        error, = self.named(events, "error")
        self.assertIn("no such device", error["message"])
        self.assertIn(error["shown"], self.error)
        for extra in (["-o", "-"], ["--json", "-"], ["--csv", "-"]):
            _, error = self.run_program(self.picture("a.png"), *extra, "--progress", "json", status=2)
            self.sentence(error, "--progress json")
        _, error = self.run_program("--experiment", "list", "--progress", "json", status=2)
        self.sentence(error, "--progress json", "--experiment list")

    def test_a_reduction(self):
        what = ["--reduce", "sum", "--type", "int", "--size", "1007", "--device", "cpu"]
        events = self.events(*what, "--json", self.out / "r.json")
        report = self.named(events, "report")[-1]["report"]
        self.assertEqual(report, json.loads((self.out / "r.json").read_text())["experiments"][0])
        self.assertIsNone(violation(REPORT, report))
        self.assertTrue(self.named(events, "progress"))

    def test_regions(self):
        events = self.events("--regions", self.picture("a.png", 200, 100), "--json", self.out / "r.json", "--device",
                             "cpu")
        self.assertTrue(self.named(events, "progress"))

    def study(self):
        own = self.dir / "own.experiment"
        own.write_text("[Experiment]\nTitle=Own\nKind=reduce\n[Axes]\nvariant=naive;pcl\n"
                       "[Fixed]\nop=sum\nsize=1000\n[Plot]\nX=variant\n")
        return own

    def test_an_experiment(self):
        what = ["--device", "cpu", "--repeat", "1"]
        events = self.events("--experiment", self.study(), *what, "--json", self.out / "r.json")
        reports = [e["report"] for e in self.named(events, "report")]
        for report in reports:
            self.assertIsNone(violation(REPORT, report))
        self.assertEqual(reports[-1], json.loads((self.out / "r.json").read_text())["experiments"][0])
        self.assertTrue(reports[-1]["complete"])
        self.assertEqual(len(reports[-1]["rows"]), 2)
        # The experiment of a report is an experiment file.
        again = self.dir / "again"
        again.write_text(json.dumps(reports[-1]["experiment"]))
        second = self.named(self.events("--experiment", again, *what), "report")[-1]["report"]
        self.assertEqual(second["experiment"], reports[-1]["experiment"])
        again.write_text('{"name": "x"}')
        self.named(self.events("--experiment", again, *what, status=1), "error")

    def test_a_search(self):
        home = {"XDG_DATA_HOME": str(self.dir / "data")}
        what = ["--tune", self.picture("a.png", 60, 90), "--device", "cpu"]

        def search(*arguments):
            return [e["report"] for e in self.named(self.events(*what, *arguments, env=home), "report")]

        first = search("--budget", "2s", "--json", self.out / "t.json")
        for report in first:
            self.assertIsNone(violation(REPORT, report))
        self.assertEqual(first[-1], json.loads((self.out / "t.json").read_text())["experiments"][0])
        self.assertGreater(first[-1]["space_size"], 0)

        def samples(report):
            return [row["samples_ns"] for row in report["rows"] if row["samples_ns"]]

        tried = samples(first[-1])
        self.assertTrue(tried)
        again = samples(search("--budget", "1s")[0])
        self.assertFalse([one for one in tried if one not in again], "a search continues the last one")
        fresh = samples(search("--budget", "1ms", "--fresh")[-1])
        self.assertFalse([one for one in fresh if one in tried], "--fresh continued a search")

    def test_an_interrupted_experiment_keeps_its_rows(self):
        process = subprocess.Popen([PROGRAM, "--headless", "--experiment", self.study(), "--device", "cpu", "--budget",
                                    "1h", "--repeat", "100000", "--progress=json"], stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        lines = ""
        for line in process.stdout:
            lines += line
            if any(row["samples_ns"] for row in json.loads(line).get("report", {}).get("rows", ())):
                break
        process.send_signal(signal.SIGINT)
        lines += process.communicate(timeout=600)[0]
        last = self.named(self.check(lines, 130), "report")[-1]["report"]
        self.assertFalse(last["complete"])
        self.assertTrue(any(row["samples_ns"] for row in last["rows"]))


class Window(HeadlessCase):
    def test_the_window_is_told_which_program_to_start(self):
        if not pathlib.Path(PROGRAM).with_name("meanshift-lab-window").exists():
            self.skipTest("this build has no window")
        program = self.dir / "meanshift-lab"
        shutil.copy(PROGRAM, program)
        window = self.dir / "meanshift-lab-window"
        window.write_text("#!/bin/sh\necho $MEANSHIFT_LAB_PROGRAM\n")
        window.chmod(0o700)
        environment = {k: v for k, v in os.environ.items() if k != "MEANSHIFT_LAB_PROGRAM"}
        done = subprocess.run([program], env=environment, capture_output=True, text=True, timeout=600, check=True)
        self.assertEqual(done.stdout, f"{program}\n")


if __name__ == "__main__":
    unittest.main(verbosity=0, argv=sys.argv)
