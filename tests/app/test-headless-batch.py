#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Folders of images, interrupted runs, several devices, and what is refused, by running the program."""

import json
import os
import pathlib
import resource
import signal
import struct
import subprocess
import sys
import time
import unittest

from headless import HeadlessCase, PROGRAM, SCHEMA, chunk, in_ci, read_png, violation

NOBODY = 65534


class BadInput(HeadlessCase):
    def refuse(self, *arguments, status=1, parts=(), **options):
        before = self.names(self.dir)
        _, error = self.run_program(*arguments, status=status, **options)
        self.sentence(error, *parts)
        self.assertEqual(self.names(self.dir), before)
        return error

    def test_files_that_cannot_be_loaded(self):
        good = pathlib.Path(self.picture("good.png", 200, 200)).read_bytes()
        (self.src / "empty.png").write_bytes(b"")
        (self.src / "text.png").write_text("This is no picture.\n")
        (self.src / "cut.png").write_bytes(good[:len(good) // 2])
        (self.src / "header.png").write_bytes(good[:20])
        for name in ("missing.png", "empty.png", "text.png", "cut.png", "header.png"):
            self.refuse(self.src / name, "-o", self.out / "x.png", "--device", "cpu", parts=[name])

    def test_damaged_files_that_are_accepted(self):
        good = pathlib.Path(self.picture("good.png", 200, 200)).read_bytes()
        cut = self.src / "cut.png"
        cut.write_bytes(good[:len(good) * 3 // 4])
        command = [cut, "-o", self.out / "x.png", "--device", "reference", "--sp", "1"]
        self.refuse(*command, parts=["cut.png", "damaged"])
        for limit in ([], ["--memory-limit", "64M"]):
            (self.out / "x.png").unlink(missing_ok=True)
            image, = self.report(*command, "--accept-damaged", *limit)["images"]
            self.assertEqual(image["status"], "done")
            self.assertIn("cut.png' is damaged (the file ends before the picture does)", image["note"])
            self.assertEqual(read_png((self.out / "x.png").read_bytes())[:2], (200, 200))
        (self.src / "empty.png").write_bytes(b"")
        self.refuse(self.src / "empty.png", "-o", self.out / "y.png", "--accept-damaged", parts=["empty.png"])

    def test_too_large(self):
        self.refuse(self.picture("a.png"), "-o", self.out / "x.png", "--max-pixels", "1K", parts=["a.png"])
        self.refuse(self.picture("a.png"), "-o", self.out / "x.png", "--memory-limit", "1K",
                    parts=["a.png", "--memory-limit"])
        picture = pathlib.Path(self.picture("a.png")).read_bytes()
        self.refuse("-", "-o", self.out / "x.png", "--memory-limit", "8K", stdin=picture,
                    parts=["standard input", "--memory-limit"])
        self.refuse("-", "-o", self.out / "x.png", "--memory-limit", "1K", stdin=picture,
                    parts=["standard input", "limit"])
        header = struct.pack(">IIBBBBB", 2**31 - 1, 2**31 - 1, 8, 6, 0, 0, 0)
        (self.src / "bomb.png").write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", b"x") +
                                            chunk(b"IEND", b""))
        self.refuse(self.src / "bomb.png", "-o", self.out / "x.png", parts=["bomb.png"])

    def test_outputs_that_cannot_be_written(self):
        source = self.picture("a.png")
        self.refuse(source, "-o", self.dir / "nowhere" / "x.png", parts=["nowhere", "create it"])
        self.refuse(source, source, "-o", self.out / "x.png", status=2, parts=["x.png", "end it in /"])
        self.refuse(source, source, "-o", f"{source}/out", status=2, parts=["a.png", "is a file"])
        self.refuse(source, "-o", "/proc/x.png", parts=["/proc/x.png"])
        self.refuse(source, "-o", self.out / "x.gif", status=2, parts=["x.gif", "--format"])
        self.refuse(source, source, "-o", source, status=2, parts=["a.png", "folder"])
        self.refuse(source, "-o", "/dev/full", parts=["/dev/full", "full"])

    def test_a_full_disk_leaves_nothing(self):
        source = self.picture("a.png", 200, 200)
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
        self.refuse(source, "-o", self.out / "x.png", "--device", "reference", "--sp", "1", parts=["x.png"],
                    preexec_fn=limit)

    def test_an_input_is_never_overwritten(self):
        source = self.picture("a.png")
        before = pathlib.Path(source).read_bytes()
        (self.dir / "link.png").symlink_to(source)
        os.link(source, self.dir / "hard.png")
        for target in (source, self.dir / "link.png", self.dir / "hard.png", self.src):
            self.refuse(source, "-o", target, "--on-conflict", "overwrite", parts=["never overwritten"])
        self.refuse(source, "-o", self.out / "x.png", "--json", source, status=2, parts=["--json", "a.png"])
        self.assertEqual(pathlib.Path(source).read_bytes(), before)

    def test_reports_of_the_lab_overwrite_nothing(self):
        source = pathlib.Path(self.picture("a.png"))
        (self.dir / "link.png").symlink_to(source)
        os.link(source, self.dir / "hard.png")
        study = ["--experiment", "swap-example", "--quick", "--budget", "5ms", "--device", "cpu"]
        for what in (["--tune", "--budget", "1s", "--device", "cpu"], study):
            for target in (source, self.src / ".." / "in" / "a.png", self.dir / "link.png", self.dir / "hard.png"):
                self.refuse(*what, source, "--json", target, status=2, parts=["--json", "a.png"])
        as_svg = self.out / "swap-example.svg"
        source.rename(as_svg)
        self.refuse(*study, as_svg, "--report-dir", self.out, status=2, parts=["--report-dir", "swap-example.svg"])
        baseline = self.out / "swap-example.json"
        baseline.write_text("{}")
        self.refuse(*study, "--compare", baseline, "--report-dir", self.out, status=2,
                    parts=["--report-dir", "--compare"])
        self.refuse(*study, "--compare", baseline, "--json", baseline, status=2, parts=["--json", "--compare"])
        baseline.unlink()
        self.refuse(*study, "--json", baseline, "--report-dir", self.out, status=2, parts=["--json", "--report-dir"])
        self.refuse("--experiment", as_svg, "--json", as_svg, status=2, parts=["--json", "--experiment"])

    def test_two_reports_never_share_a_file(self):
        source, both = self.picture("a.png"), self.dir / "both"
        self.refuse(source, "--json", both, "--csv", self.out / ".." / "both", status=2,
                    parts=["--json", "--csv", "both"])
        self.refuse(source, "-o", self.out / "x.png", "--json", self.src / ".." / "out" / "x.png", status=2,
                    parts=["--output", "--json"])
        self.refuse(source, "-o", self.out / "x.png", "--manifest", both, "--csv", both, status=2,
                    parts=["--csv", "--manifest"])
        self.run_program(source, "--json", "/dev/null", "--csv", "/dev/null", "--device", "reference")

    def test_reports_never_take_the_place_of_images(self):
        source = pathlib.Path(self.picture("a.png"))
        self.picture("b.png")
        before = source.read_bytes()
        for option in ("--json", "--csv", "--manifest"):
            for shard in ("1/1000", "2/1000"):
                self.refuse(self.src, "-o", self.out, "--shard", shard, option, source, status=2,
                            parts=[option, "a.png"])
        self.assertEqual(source.read_bytes(), before)
        (self.dir / "elsewhere.png").write_bytes(before)
        self.refuse(self.src, "-o", self.out, "--manifest", self.dir / "elsewhere.png", status=2,
                    parts=["--manifest", "elsewhere.png"])

    def test_reports_never_take_the_place_of_results_or_each_other(self):
        source = self.picture("a.png")
        target = self.out / "x.png"
        (self.dir / "link").symlink_to(self.out)
        for other in (target, f"{self.out}/./../out/x.png", self.dir / "link" / "x.png"):
            for option in ("--json", "--csv", "--manifest"):
                self.refuse(source, "-o", target, option, other, status=2, parts=[option, "x.png"])
        same = self.dir / "r.txt"
        for first, second in (("--json", "--csv"), ("--manifest", "--json"), ("--manifest", "--csv")):
            self.refuse(source, first, same, second, f"{self.out}/../r.txt", status=2, parts=[first, second, "r.txt"])
        (self.dir / "r2.txt").write_text("")
        os.link(self.dir / "r2.txt", self.dir / "r3.txt")
        self.refuse(source, "--json", self.dir / "r2.txt", "--csv", self.dir / "r3.txt", status=2,
                    parts=["--json", "--csv"])
        self.run_program(source, "--device", "reference", "--json", "/dev/null", "--csv", "/dev/null")

    def test_reports_that_cannot_be_written_are_told_first(self):
        source, nowhere = self.picture("a.png"), self.dir / "nowhere" / "x"
        lab = ["--experiment", "swap-example", "--quick", "--device", "no such device"]
        for what in (lab, ["--tune", "--device", "no such device"], ["--reduce", "sum", "--device", "no such device"]):
            self.refuse(*what, "--json", nowhere, parts=["--json", "nowhere", "create it"])
            self.refuse(*what, "--json", self.src, parts=["--json", "folder"])
        self.refuse(*lab, "--compare", nowhere, parts=["--compare", "nowhere"])
        self.refuse(*lab, "--report-dir", source, parts=["--report-dir", "a.png"])
        self.refuse(*lab, "--report-dir", pathlib.Path(source) / "sub", parts=["--report-dir", "a.png"])
        for option in ("--json", "--csv"):
            self.refuse(source, "-o", self.out / "x.png", option, nowhere, parts=[option, "nowhere", "create it"])

    def test_permissions(self):
        if os.geteuid() != 0:
            self.skipTest("Becoming another user needs root.")
        source = self.picture("a.png")
        secret = pathlib.Path(self.picture("secret.png"))
        secret.chmod(0)
        self.out.chmod(0o755)
        self.dir.chmod(0o755)
        become = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
        try:
            self.run_program("--version", **become)
        except PermissionError:
            self.skipTest("The build folder is closed to other users.")
        self.refuse(secret, "-o", "-", "--device", "reference", parts=["secret.png", "ermission"], **become)
        self.refuse(source, "-o", self.out / "x.png", "--device", "reference", parts=[self.out], **become)
        self.refuse(source, source, "-o", self.out, "--device", "reference", parts=[self.out], **become)
        for device in ("/dev/null", "/dev/full"):
            self.run_program(source, "-o", device, "--device", "reference", status=int(device == "/dev/full"), **become)

    def test_devices(self):
        source = self.picture("a.png")
        self.refuse(source, "-o", self.out / "x.png", "--device", "no such device", status=4, parts=["no such device"])
        self.refuse(source, "-o", self.out / "x.png", "--device", "7:7", status=4, parts=["7:7"])
        _, error = self.run_program(source, "-o", self.out / "x.png", "--device", "no such device", "--fallback", "cpu")
        self.sentence(error, "no such device", "instead")
        self.assertEqual(self.names(), ["x.png"])

    def test_options_that_mean_nothing_together(self):
        source = self.picture("a.png")
        self.refuse(source, "-o", self.out / "x.png", "--memory", "image", "--access", "vload", "--device", "cpu",
                    status=2)
        self.refuse(source, "-o", self.out / "x.png", "--work-group", "60000x60000", "--device", "cpu", status=2,
                    parts=["60000x60000"])
        self.refuse(source, "-o", self.out / "x.png", "--sp", "0", status=2, parts=["--sp"])
        self.refuse(source, "-o", self.out / "x.png", "--spp", "3", status=2, parts=["--spp", "--sp"])
        self.refuse(source, status=2, parts=["-o"])
        self.refuse("-o", self.out / "x.png", status=2)
        for target in (self.out / "x.png", self.dir / "nowhere", "-"):
            self.refuse(source, "-o", target, "--name", "{stem}.jpg", status=2, parts=["--name", target])
        self.refuse(source, "-o", self.out / "x.png", "--manifest", "-", status=2, parts=["--manifest", "--json"],
                    cwd=self.dir)
        for name in (".", ".."):
            self.refuse(source, "-o", self.out, "--name", name, status=2, parts=["--name", "folder"])

    def test_a_full_standard_output(self):
        with open("/dev/full", "wb") as full:
            result = subprocess.run([PROGRAM, "--headless", self.picture("a.png"), "--device", "reference", "--json",
                                     "-"], stdout=full,
                                    stderr=subprocess.PIPE, timeout=600, check=False)
        self.assertEqual(result.returncode, 1)
        self.sentence(result.stderr.decode(), "tandard output")


class Batches(HeadlessCase):
    def test_one_bad_file_does_not_stop_the_others(self):
        for i in range(6):
            self.picture(f"p{i}.png", 20 + i, 20)
        (self.src / "p3.png").write_text("broken")
        (self.src / "p7.png").write_bytes(b"")
        _, error = self.run_program(self.src, self.src / "gone.png", "-o", self.out, "--device", "cpu", status=1)
        for name in ("p3.png", "p7.png", "gone.png"):
            self.assertEqual(sum(name in line for line in error.splitlines()), 1, error)
        self.assertEqual(self.names(), [f"p{i}.png" for i in (0, 1, 2, 4, 5)])
        self.assertIn("5 done, 3 failed", error)

    def test_the_first_worker_is_a_copy_of_the_program(self):
        """The dynamic linker writes one file for each program that is started, and none for a copy of a process."""
        logs = self.dir / "linker"
        logs.mkdir()
        self.run_program(self.picture("a.png"), "-o", self.out, "--device", "reference", "--sp", "1",
                         env={"LD_DEBUG": "statistics", "LD_DEBUG_OUTPUT": str(logs / "log")})
        self.assertEqual(self.names(), ["a.png"])
        self.assertEqual(len(self.names(logs)), 1)

    def test_closed_standard_streams(self):
        arguments = ["--headless", self.picture("a.png"), "-o", str(self.out / "a.png"), "--device", "reference",
                     "--on-conflict", "overwrite"]
        for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
            command = ["sh", "-c", f'exec "$@" {closed}', "sh", PROGRAM, *arguments]
            self.assertEqual(subprocess.run(command, timeout=600, check=False).returncode, 0, closed)

    def test_the_report_is_in_the_order_of_the_list(self):
        for i in range(12):
            self.picture(f"p{i:02}.png", 200 if i % 4 == 0 else 10, 60)
        (self.src / "p05.png").write_text("broken")
        report = self.report(self.src, "-o", self.out, "--device", "cpu", "--jobs", "4", status=1)
        self.assertEqual([pathlib.Path(image["input"]).name for image in report["images"]],
                         [f"p{i:02}.png" for i in range(12)])
        self.assertEqual([image["seq"] for image in report["images"]], list(range(1, 13)))
        self.assertEqual((report["summary"]["done"], report["summary"]["failed"]), (11, 1))

    def test_templates_and_conflicts(self):
        self.picture("a.png")
        self.picture("deep/b.png")
        common = [self.src, "--recursive", "-o", self.out, "--device", "reference", "--sp", "2", "--name",
                  "{seq}-{stem}-{sp}-{sr}-{device}.{ext}"]
        self.run_program(*common)
        self.assertEqual(self.names(), ["1-a-2-20-reference.png", "deep/2-b-2-20-reference.png"])
        _, error = self.run_program(*common, status=1)
        self.assertIn("--on-conflict", error)
        self.assertEqual(self.report(*common, "--on-conflict", "skip")["summary"]["skipped"], 2)
        self.run_program(*common, "--on-conflict", "unique")
        self.assertEqual(len(self.names()), 4)
        self.assertEqual(self.report(*common, "--on-conflict", "overwrite")["summary"]["done"], 2)
        self.assertEqual(len(self.names()), 4)

    def test_a_dry_run_does_nothing(self):
        self.picture("a.png")
        output, error = self.run_program(self.src, "-o", self.out, "--dry-run", "--manifest", self.dir / "m.jsonl")
        self.assertEqual(output.decode(), f"{self.src}/a.png -> {self.out}/a.png\n")
        self.assertEqual(error, "")
        self.assertEqual(self.names(), [])
        self.assertFalse((self.dir / "m.jsonl").exists())

    def test_a_folder_of_outputs_is_made(self):
        self.picture("a.png")
        self.picture("deep/b.png")
        target = self.dir / "results" / "today"
        for name, *inputs in ((f"{target}/", self.src / "a.png"), (target, self.src, "--recursive")):
            command = [*inputs, "-o", name, "--device", "reference", "--sp", "1"]
            self.run_program(*command, "--dry-run")
            self.assertFalse((self.dir / "results").exists())
            self.run_program(*command, "--dry-run", "--json", f"{target}/report.json", status=1)
            self.assertFalse((self.dir / "results").exists())
            _, error = self.run_program(*command)
            self.assertIn(f"meanshift-lab: The folder '{name}' was made for the results.\n", error)
            self.assertIn("a.png", self.names(target))
            subprocess.run(["rm", "-r", self.dir / "results"], check=True)
        _, error = self.run_program(*command, "--json", target / "r.json", "--manifest", target / "m.jsonl", "--quiet")
        self.assertEqual(error, "")
        self.assertEqual(self.names(target), ["a.png", "deep/b.png", "m.jsonl", "r.json"])

    def test_a_report_that_cannot_be_written(self):
        """Fails the run, whose images are done all the same."""
        if not os.path.exists("/dev/full"):
            self.skipTest("no device that is full")
        for option in ("--json", "--csv"):
            _, error = self.run_program(self.picture("a.png"), "-o", self.out, "--device", "reference", "--sp", "1",
                                        "--on-conflict", "overwrite", option, "/dev/full", status=1)
            self.sentence(error, "Cannot write '/dev/full': the disk is full")
            self.assertEqual(self.names(), ["a.png"])

    def test_a_folder_without_outputs_is_removed(self):
        for name in ("a.png", "deep/b.png"):
            pathlib.Path(self.picture(name)).write_bytes(b"\x89PNG\r\n\x1a\nno picture")
        (self.dir / "there").mkdir()
        for target in (self.dir / "new" / "folder", self.dir / "there" / "folder"):
            self.run_program(self.src, "--recursive", "-o", target, "--device", "reference", status=1)
        self.assertFalse((self.dir / "new").exists())
        self.assertEqual(list((self.dir / "there").iterdir()), [])

    def test_templates_make_subfolders(self):
        self.picture("a.png")
        self.picture("deep/b.png")
        command = [self.src, "--recursive", "-o", self.out, "--device", "reference", "--name", "sp{sp}/{stem}.{ext}"]
        self.run_program(*command, "--sp", "1")
        self.run_program(*command, "--sp", "2")
        self.assertEqual(self.names(), ["deep/sp1/b.png", "deep/sp2/b.png", "sp1/a.png", "sp2/a.png"])
        self.assertEqual(self.report(*command, "--sp", "2", "--resume")["summary"]["skipped"], 2)
        (self.dir / "elsewhere").mkdir()
        (self.out / "sp3").symlink_to(self.dir / "elsewhere")
        _, error = self.run_program(*command, "--sp", "3", status=1)
        self.assertIn("is a link", error)
        self.assertEqual(self.names(self.dir / "elsewhere"), [])

    def test_names_that_are_too_long_are_shortened(self):
        names = ["a" * 254 + end for end in "xy"]
        for name in names:
            self.picture("p.png")
            (self.src / "p.png").rename(self.src / name)
        manifest = self.dir / "m.jsonl"
        command = [self.src, "-o", self.out, "--device", "reference", "--sp", "1", "--manifest", manifest]
        images = self.report(*command)["images"]
        self.assertEqual([image["status"] for image in images], ["done", "done"])
        found = self.names()
        self.assertEqual([len(name) for name in found], [255, 255])
        for image in images:
            self.assertIn(f"too long for the result, which is '{pathlib.Path(image['output']).name}'", image["note"])
        self.assertEqual(self.report(*command, "--resume")["summary"]["skipped"], 2)
        self.run_program(*command, "--on-conflict", "unique")
        self.run_program(*command, "--on-conflict", "unique")
        self.assertEqual(len(self.names()), 6)

    def test_shards_together_do_everything_once(self):
        for i in range(15):
            self.picture(f"p{i}.png", 12, 12)
        manifest = self.dir / "m.jsonl"
        processes = [subprocess.Popen([PROGRAM, "--headless", str(self.src), "-o", str(self.out), "--device",
                                       "reference", "--sp", "2",
                                       "--shard", f"{k}/3", "--manifest", str(manifest), "--quiet"]) for k in (1, 2, 3)]
        self.assertEqual([p.wait(timeout=600) for p in processes], [0, 0, 0])
        self.assertEqual(sorted(pathlib.Path(line["input"]).name for line in self.ended(manifest)),
                         sorted(f"p{i}.png" for i in range(15)))
        self.assertEqual(len(self.names()), 15)

    def interrupt(self, number):
        """After the first image, while the second is filtered, which would take a minute; a small one replaces it."""
        names = [f"p{i}.png" for i in range(6)]
        for i, name in enumerate(names):
            self.picture(name, *((900, 900) if i == 1 else (80, 60)), seed=i)
        manifest = self.dir / "m.jsonl"
        report = self.dir / "r.json"
        command = [PROGRAM, "--headless", str(self.src), "-o", str(self.out), "--device", "reference", "--sp", "64",
                   "--sr", "255", "--jobs", "1", "--manifest", str(manifest), "--resume"]
        process = subprocess.Popen(command + ["--json", str(report)], stderr=subprocess.PIPE)
        while not (self.out / names[0]).exists() and process.poll() is None:
            time.sleep(0.005)
        process.send_signal(number)
        error = process.communicate(timeout=600)[1].decode()
        self.assertEqual(process.returncode, 130, error)
        self.assertEqual(self.names(), names[:1])
        self.assertEqual(read_png((self.out / names[0]).read_bytes())[:2], (80, 60))
        written = json.loads(report.read_text())
        self.assertIsNone(violation(SCHEMA, written))
        self.assertTrue(written["summary"]["interrupted"])
        self.assertEqual(written["summary"]["done"], 1)
        self.picture(names[1], 80, 60)
        subprocess.run(command + ["--quiet"], check=True, timeout=600)
        self.assertEqual(self.names(), names)
        self.assertEqual(sorted(pathlib.Path(line["input"]).name for line in self.ended(manifest)), names)

    def test_interrupted_by_the_keyboard_and_resumed(self):
        self.interrupt(signal.SIGINT)

    @in_ci
    def test_interrupted_by_a_kill_and_resumed(self):
        self.interrupt(signal.SIGTERM)

    def test_a_resumed_run_names_a_result_whose_input_changed(self):
        self.picture("a.png", seed=1)
        command = (self.src, "-o", self.out, "--device", "reference", "--manifest", self.dir / "m.jsonl", "--resume")
        self.run_program(*command)
        self.picture("a.png", 41, 30, seed=2)
        _, error = self.run_program(*command, status=1)
        self.sentence(error, self.out / "a.png", "earlier run", "--on-conflict overwrite")
        self.run_program(*command, "--on-conflict", "overwrite")
        self.assertEqual(read_png((self.out / "a.png").read_bytes())[0], 41)

    def test_a_result_that_no_line_records(self):
        for i in range(3):
            self.picture(f"p{i}.png")
        manifest = self.dir / "m.jsonl"
        command = [self.src, "-o", self.out, "--device", "cpu", "--jobs", "1", "--manifest", manifest]
        self.run_program(*command)
        lines = manifest.read_text().splitlines(keepends=True)
        last = json.loads(lines[-1])["output"]
        manifest.write_text("".join(line for line in lines if json.loads(line)["output"] != last))
        expected = {name: (self.out / name).read_bytes() for name in self.names()}
        for conflict, status, numbers in (("fail", 1, (0, 2, 1)), ("skip", 0, (0, 3, 0)), ("overwrite", 0, (1, 2, 0))):
            report = self.dir / f"{conflict}.json"
            _, error = self.run_program(*command, "--resume", "--on-conflict", conflict, "--json", report,
                                        status=status)
            summary = json.loads(report.read_text())["summary"]
            self.assertEqual((summary["done"], summary["skipped"], summary["failed"]), numbers, error)
            if status:
                self.sentence(error.splitlines()[0], "no manifest records it", "--on-conflict overwrite")
            self.assertEqual({name: (self.out / name).read_bytes() for name in self.names()}, expected)
        self.assertEqual(self.report(*command, "--resume")["summary"]["skipped"], 3)

    def test_a_dry_run_reads_the_manifest(self):
        self.picture("a.png")
        manifest = self.dir / "m.jsonl"
        command = [self.src, "-o", self.out, "--device", "reference", "--manifest", manifest, "--resume"]
        self.run_program(*command)
        self.picture("b.png")
        before = manifest.read_bytes()
        output, _ = self.run_program(*command, "--dry-run")
        self.assertEqual(output.decode(), f"{self.src}/b.png -> {self.out}/b.png\n")
        self.assertEqual(manifest.read_bytes(), before)

    def test_progress(self):
        self.picture("a.png")
        self.picture("b.png")
        _, error = self.run_program(self.src, "-o", self.out, "--device", "reference", "--progress", "always")
        self.assertIn("[2/2]", error)
        _, error = self.run_program(self.src, "-o", self.out, "--device", "reference", "--on-conflict", "overwrite",
                                    "--quiet")
        self.assertEqual(error, "")

    def test_names_do_not_command_the_terminal(self):
        self.picture("a\x1b[31m\n\x7f\u009bé.png")
        for progress in (["--progress", "always"], []):
            (self.src / "b\x1b[0m.png").write_bytes(b"broken")
            _, error = self.run_program(self.src, "-o", self.out, "--device", "reference", "--on-conflict", "overwrite",
                                        *progress, status=1)
            self.assertEqual([c for c in error if c != "\n" and (ord(c) < 32 or 127 <= ord(c) < 160)], [])
            self.assertIn("b\\033[0m.png", error)
        _, error = self.run_program(self.src / "b\x1b[0m.png", self.src, "-o", self.out, "--device", "reference",
                                    "--progress", "always",
                                    "--on-conflict", "skip", status=1)
        self.assertIn("a\\033[31m\\012\\177\\302\\233é.png", error)

    def test_several_devices_share_an_image(self):
        source = self.picture("a.png", 60, 90)
        environment = {"POCL_DEVICES": "pthread basic"}
        self.run_program(source, "-o", self.out / "one.png", "--device", "reference")
        for mode in ("equal", "learned", "adaptive"):
            target = self.out / f"{mode}.png"
            self.run_program(source, "-o", target, "--devices", "0:0,0:1", "--split", mode, env=environment)
            self.assertEqual(read_png(target.read_bytes()), read_png((self.out / "one.png").read_bytes()))
        _, error = self.run_program(source, "-o", self.out / "x.png", "--devices", "0:0,0:0", env=environment, status=2)
        self.sentence(error, "twice")

    @in_ci
    def test_each_of_several_devices_has_its_own_winner(self):
        source = self.picture("a.png", 60, 90)
        environment = {"POCL_DEVICES": "pthread basic", "XDG_DATA_HOME": str(self.dir / "data"),
                       "XDG_CACHE_HOME": str(self.dir / "cache")}
        known = set()
        for device, kernel in (("0:0", "direct"), ("0:1", "packed")):
            self.run_program("--tune", source, "--device", device, "--budget", "500ms", env=environment)
            winner, = set((self.dir / "data").rglob("*.winner.json")) - known
            known.add(winner)
            winner.write_text(json.dumps({**json.loads(winner.read_text()), "winner": {"kernel": kernel}}))

        def kernels(*arguments):
            image = self.report(source, "--verify", "--devices", "0:0,0:1", "--split", "equal", *arguments,
                                env=environment)["images"][0]
            return image["options"]["kernel"], {row["kernel"] for row in image["timings"] if row["stage"] == "kernel"}

        used, ran = kernels()
        self.assertEqual(used, "direct", "what the first device uses")
        self.assertEqual(ran, {"mean_shift_direct", "prepare_packed", "mean_shift_first", "mean_shift_later"})
        self.assertEqual(kernels("--kernel", "rows")[1], {"prepare_planes", "prepare_columns", "mean_shift_rows"})

if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
