#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Outputs that are pipes or links, names that mislead a terminal, and inputs that change between two runs."""

import csv
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import unittest

import headless

REFERENCE = ("--device", "reference")


class PipeTest(headless.HeadlessCase):
    def interrupt(self, *arguments, stdout=subprocess.DEVNULL):
        """One signal must end the program while it waits for the reader of a pipe."""
        command = [headless.PROGRAM, "--headless", *map(str, arguments)]
        process = subprocess.Popen(command, stdout=stdout, stderr=subprocess.DEVNULL)
        try:
            headless.wait_until_it_waits(process)
            self.assertIsNone(process.poll())
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(timeout=600), 130)
        finally:
            process.kill()
            process.wait()

    def test_output_pipe_without_a_reader(self):
        pipe = self.dir / "pipe.png"
        os.mkfifo(pipe)
        source = self.picture("a.png")
        self.interrupt(source, "-o", pipe, *REFERENCE)
        self.interrupt(source, "-o", self.out / "x.png", "--json", pipe, *REFERENCE)

    def test_output_pipe_whose_reader_stops(self):
        """The picture is larger than the 64 KiB that a pipe holds."""
        source = self.picture("a.png", 300, 300)
        pipe = self.dir / "pipe.png"
        os.mkfifo(pipe)
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        self.interrupt(source, "-o", pipe, "--max-iterations", "1", *REFERENCE)
        os.close(reader)
        read_end, write_end = os.pipe()
        self.interrupt(source, "-o", "-", "--max-iterations", "1", *REFERENCE, stdout=write_end)
        os.close(read_end)
        os.close(write_end)

    def test_pipes_at_both_ends(self):
        """Standard input and output, and a pipe by its number, which the worker process does not have."""
        source = pathlib.Path(self.picture("a.png"))
        self.run_program(source, "-o", self.out / "file.png", *REFERENCE)
        wanted = (self.out / "file.png").read_bytes()
        output, _ = self.run_program("-", "-o", "-", *REFERENCE, stdin=source.read_bytes())
        self.assertEqual(output, wanted)
        ends = *os.pipe(), *os.pipe()
        os.write(ends[1], source.read_bytes())
        os.close(ends[1])
        self.run_program(f"/dev/fd/{ends[0]}", "-o", f"/dev/fd/{ends[3]}", *REFERENCE, pass_fds=(ends[0], ends[3]))
        os.close(ends[3])
        with open(ends[2], "rb") as pipe:
            self.assertEqual(pipe.read(), wanted)
        os.close(ends[0])

    def test_output_pipe_with_a_late_and_slow_reader(self):
        source = self.picture("a.png", 300, 300)
        settings = ("--max-iterations", "1", *REFERENCE)
        self.run_program(source, "-o", self.out / "file.png", *settings)
        pipe = self.dir / "pipe.png"
        os.mkfifo(pipe)
        script = 'sleep 0.3; (sleep 0.2; cat) < "$0" > "$1"'
        with subprocess.Popen(["sh", "-c", script, pipe, self.out / "read.png"]) as reader:
            self.run_program(source, "-o", pipe, *settings)
            self.assertEqual(reader.wait(timeout=600), 0)
        self.assertEqual((self.out / "read.png").read_bytes(), (self.out / "file.png").read_bytes())


    def test_input_pipe_without_a_writer(self):
        """The files are done, and the run ends with a sentence about the pipe."""
        pipe = self.dir / "pipe"
        os.mkfifo(pipe)
        _, error = self.run_program(pipe, self.picture("a.png"), self.picture("b.png"), "-o", self.out, "--timeout",
                                    "0.5s", *REFERENCE, status=1)
        self.sentence(error.splitlines()[0], pipe, "--timeout")
        self.assertEqual(self.names(), ["a.png", "b.png"])

    def test_output_pipe_and_timeout(self):
        pipe = self.dir / "pipe.png"
        os.mkfifo(pipe)
        _, error = self.run_program(self.picture("a.png"), "-o", pipe, "--timeout", "0.5s", *REFERENCE, status=1)
        self.sentence(error, pipe, "--timeout")

    def test_pipes_in_folders(self):
        """Pipes that nobody named: among the outputs, and among the inputs, where they are no pictures."""
        self.picture("a.png")
        self.picture("b.png")
        os.mkfifo(self.src / "c.png")
        os.mkfifo(self.out / "b.png")
        for conflict in "fail", "overwrite":
            _, error = self.run_program(self.src, "-o", self.out, "--on-conflict", conflict, *REFERENCE, status=1)
            self.sentence(error.splitlines()[0], "pipe, socket or device", self.out / "b.png")
            self.assertEqual(self.names(), ["a.png"])
            (self.out / "a.png").unlink()

    def test_output_folder_becomes_a_link(self):
        """The picture of a pipe is the last; before it comes, the folder of the outputs leads elsewhere."""
        pipe, elsewhere = self.dir / "late", self.dir / "elsewhere"
        os.mkfifo(pipe)
        elsewhere.mkdir()
        command = [headless.PROGRAM, "--headless", self.picture("a.png"), pipe, "-o", self.out, "--progress", "json",
                   *REFERENCE]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0) as process:
            headless.wait_for_text(process.stdout, b'"finished"')
            self.out.rename(self.dir / "moved")
            self.out.symlink_to(elsewhere)
            pipe.write_bytes(pathlib.Path(self.picture("b.png")).read_bytes())
            _, error = process.communicate(timeout=600)
        self.assertEqual(process.returncode, 1)
        self.assertIn("was replaced by another", error.decode())
        self.assertEqual(list(elsewhere.iterdir()), [])
        self.assertEqual(os.listdir(self.dir / "moved"), ["a.png"])


class LimitTest(headless.HeadlessCase):
    """What the system refuses is a sentence of the program's own, whoever notices first."""

    def run_limited(self, kind, most):
        """The program with a limit; as a user of its own where this one is above limits."""
        def limit():
            if os.geteuid() == 0:
                os.setgid(65534)
                os.setuid(65533)
            resource.setrlimit(kind, (most, most))
        environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
        for folder in self.dir, self.src, self.out:
            folder.chmod(0o777)
        environment.update(XDG_CACHE_HOME=str(self.out), POCL_CACHE_DIR=str(self.out))
        return subprocess.run([headless.PROGRAM, "--headless", self.picture("a.png"), "-o", self.out / "x.png",
                               *REFERENCE], preexec_fn=limit, capture_output=True, text=True, check=False,
                              env=environment, timeout=600)

    @unittest.skipIf("ASAN_OPTIONS" in os.environ, "the sanitizer needs threads and files itself")
    def test_threads(self):
        for most in 1, 3, 6:
            done = self.run_limited(resource.RLIMIT_NPROC, most)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.sentence(done.stderr, "ulimit -u")

    @unittest.skipIf("ASAN_OPTIONS" in os.environ, "the sanitizer needs threads and files itself")
    def test_files(self):
        for most in 4, 5:
            done = self.run_limited(resource.RLIMIT_NOFILE, most)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.sentence(done.stderr.splitlines()[-1], "ulimit -n")

    def test_full_standard_output(self):
        for arguments in ["--help"], ["--help-all"], ["--version"], ["--headless", "--experiment", "list"]:
            with self.subTest(arguments=arguments), open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([headless.PROGRAM, *arguments], stdout=full, stderr=subprocess.PIPE, text=True,
                                      check=False)
                self.assertEqual(done.returncode, 1)
                self.sentence(done.stderr, "Standard output could not be written to")

    def test_without_a_display(self):
        environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
        done = subprocess.run([headless.PROGRAM], capture_output=True, text=True, check=False, env=environment)
        self.assertGreater(done.returncode, 0)
        self.sentence(done.stderr, "--headless")

    def test_names_of_temporary_files_are_not_shown(self):
        """A report that a folder is in the way of is named as the person named it."""
        folder = self.dir / "reports"
        (folder / "merged.html").mkdir(parents=True)
        report = sorted((headless.SOURCE / "data" / "experiments" / "reports").rglob("*.json"))[0]
        _, error = self.run_program("--merge-reports", report, "--report-dir", folder, status=1)
        self.sentence(error, folder / "merged.html", "is a folder")


class HostileNameTest(headless.HeadlessCase):
    """Reports of strangers: names that lead elsewhere, colour a terminal, and are commands of LaTeX or HTML."""

    NAMES = ["../../x", "/etc/x", "a}b", "a\x1b[31mred", "a\u202eb", "a\nmeanshift-lab: done", "", ".", "..",
             "x" * 4000, "a\\b", "%$#", "a](http://x)", "a b"]

    def merge(self, change):
        """The output, and the files below the folder of this test, after a report with this change was merged in it."""
        source = headless.SOURCE / "data" / "experiments" / "reports" / "pocl-3.1-two-cores.json"
        report = json.loads(source.read_text())
        del report["experiments"][1:]
        change(report["experiments"][0])
        (self.dir / "hostile.json").write_text(json.dumps(report))
        folder = self.dir / "a" / "b" / "out"
        output, error = self.run_program("--merge-reports", self.dir / "hostile.json", "--report-dir", folder)
        return output, error, [path for path in self.dir.rglob("*") if path.is_file() and path.name != "hostile.json"]

    def test_merged_names(self):
        found = set()
        for name in self.NAMES:
            with self.subTest(name=name[:20]):
                output, error, files = self.merge(lambda report, name=name: report["experiment"].update(name=name))
                self.assertEqual({path.parent for path in files}, {self.dir / "a" / "b" / "out"})
                self.assertNotRegex((output.decode() + error), r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e]")
                self.assertNotIn("\nmeanshift-lab: done", output.decode())
                page = (self.dir / "a" / "b" / "out" / "merged.html").read_text()
                links = re.findall(r"<img src=\"([^\"]*)\"", page)
                self.assertEqual(len(links), 1)
                self.assertTrue((self.dir / "a" / "b" / "out" / links[0]).is_file())
                self.assertRegex(links[0], r"^[\w.-]{1,255}$")
                found.add(links[0])
        self.assertEqual(len(found), len(self.NAMES))

    def test_damaged_reports(self):
        path = self.dir / "hostile.json"
        for text in "[" * 100000, '{"a":' * 100000, '{"experiments":[{"rows":[{"n":' + "9" * 100000 + "}]}]}", "", "{}":
            path.write_text(text)
            _, error = self.run_program("--merge-reports", path, status=1)
            self.sentence(error, path)


class LinkTest(headless.HeadlessCase):
    def setUp(self):
        super().setUp()
        self.elsewhere = self.dir / "elsewhere"
        self.elsewhere.mkdir()

    def test_links_in_the_output_folder(self):
        """A dangling link, one to a file, and one to a folder: nothing outside the output folder changes."""
        self.picture("a.png")
        self.picture("b.png")
        self.picture("deep/c.png")
        (self.out / "a.png").symlink_to(self.elsewhere / "new.png")
        (self.elsewhere / "theirs.png").write_bytes(b"theirs")
        (self.out / "b.png").symlink_to(self.elsewhere / "theirs.png")
        (self.out / "deep").symlink_to(self.elsewhere)
        for conflict, done in (("fail", 0), ("skip", 0), ("unique", 2), ("overwrite", 2)):
            _, error = self.run_program(self.src, "--recursive", "-o", self.out, "--on-conflict", conflict, *REFERENCE,
                                        status=1)
            self.assertIn("--follow-links", error)
            self.assertIn(f"{done} done, {3 - done} failed", error)
            self.assertEqual([p.name for p in self.elsewhere.iterdir()], ["theirs.png"])
            self.assertEqual((self.elsewhere / "theirs.png").read_bytes(), b"theirs")
        self.assertFalse((self.out / "a.png").is_symlink())
        self.assertFalse((self.out / "b.png").is_symlink())

    def test_an_input_that_is_a_link_to_nothing(self):
        (self.src / "a.png").symlink_to(self.elsewhere / "gone.png")
        _, error = self.run_program(self.src, "-o", self.out, *REFERENCE, status=1)
        self.sentence(error, "a.png' is a link")

    def test_links_are_followed_on_request(self):
        self.picture("a.png")
        self.picture("deep/c.png")
        (self.out / "a.png").symlink_to(self.elsewhere / "new.png")
        (self.out / "deep").symlink_to(self.elsewhere)
        self.run_program(self.src, "--recursive", "-o", self.out, "--follow-links", *REFERENCE)
        self.assertEqual(sorted(p.name for p in self.elsewhere.iterdir()), ["c.png", "new.png"])
        self.assertTrue((self.out / "a.png").is_symlink())

    def test_an_output_folder_that_is_a_link(self):
        """The folder that was named may be a link: whoever names it knows where it leads."""
        self.picture("deep/c.png")
        (self.dir / "link").symlink_to(self.elsewhere)
        self.run_program(self.src, "--recursive", "-o", self.dir / "link", *REFERENCE)
        self.assertTrue((self.elsewhere / "deep" / "c.png").is_file())


class NameTest(headless.HeadlessCase):
    """Names as bytes: text that forges a line, text that reverses the line, bytes that are no UTF-8, and formulas."""

    FORGED = b"a\nmeanshift-lab: all is well.png"
    NAMES = (FORGED, "b\u202egnp.exe.png".encode(), b"c\x1b[2J.png", b"d\xe9\\141.png", b"e\\n.png")
    FORMULAS = (b"=1+1.png", b"+1.png", b"-1.png", b"@x.png", b"'quoted.png")

    def add(self, names):
        first = pathlib.Path(self.picture("first"))
        for name in names:
            os.link(first, os.path.join(os.fsencode(self.src), name))
        first.unlink()

    def assert_harmless(self, output):
        """Printable text without a character that moves or reverses anything, in lines that only the program began."""
        text = output.decode()
        self.assertEqual([c for c in text if c != "\n" and not c.isprintable()], [])
        self.assertEqual([line for line in text.splitlines() if line.startswith("meanshift-lab: all is well")], [])
        return text

    def test_nothing_misleads_a_terminal(self):
        self.add(self.NAMES)
        output, error = self.run_program(self.src, "-o", self.out, "--dry-run", *REFERENCE)
        self.assertIn("a\\012meanshift-lab", self.assert_harmless(output))
        self.assertEqual(len(output.splitlines()), len(self.NAMES))
        output, error = self.run_program(self.src, "-o", self.out, "--timings", "--verify", "--progress", "always",
                                         *REFERENCE)
        self.assert_harmless(output)
        self.assertIn("b\\342\\200\\256gnp", self.assert_harmless(error.encode()))
        for name in self.NAMES:
            pathlib.Path(os.fsdecode(os.path.join(os.fsencode(self.src), name))).write_bytes(b"broken")
        for extra in ([], ["--shard", "1/1\n"]):
            missing = os.fsdecode(os.fsencode(self.src) + b"/none\n\xe9")
            _, error = self.run_program(self.src, missing, "-o", self.out, "--on-conflict", "overwrite", *extra,
                                        *REFERENCE, status=2 if "--shard" in extra else 1)
            self.assert_harmless(error.encode())
            self.assertNotIn("\ufffd", error)

    def test_names_for_programs_are_raw(self):
        self.add(self.NAMES)
        output, _ = self.run_program(self.src, "-o", self.out, "--dry-run", "--null", *REFERENCE)
        names = output.split(b"\0")
        self.assertEqual(names.pop(), b"")
        self.assertEqual(sorted(os.path.basename(n) for n in names[::2]), sorted(self.NAMES))
        self.assertEqual([os.path.dirname(n) for n in names[1::2]], [os.fsencode(self.out)] * len(self.NAMES))

    def decoded(self, text):
        """Unescapes a name as data/meanshift-lab.1 documents it."""
        path = text.encode().decode("unicode-escape").encode("latin-1") if "\\" in text else text.encode()
        return os.path.basename(path)

    def test_reports_hold_every_name(self):
        self.add(self.NAMES + self.FORMULAS)
        wanted = sorted(self.NAMES + self.FORMULAS)
        report = self.report(self.src, "-o", self.out, *REFERENCE)
        self.assertEqual(sorted(self.decoded(i["input"]) for i in report["images"]), wanted)
        os.chdir(self.src)
        self.addCleanup(os.chdir, "/")
        names = [os.fsdecode(b"./" + n if n.startswith(b"-") else n) for n in self.NAMES + self.FORMULAS]
        self.run_program(*names, "-o", self.out, "--on-conflict", "overwrite", "--csv", self.dir / "r.csv", *REFERENCE)
        with open(self.dir / "r.csv", newline="", encoding="utf-8") as file:
            cells = [row["input"] for row in csv.DictReader(file)]
        self.assertEqual(len([c for c in cells if c[0] == "'"]), 4)
        self.assertEqual([c for c in cells if c[0] in "=+-@"], [])
        self.assertEqual(sorted(self.decoded(c[1:] if c[0] == "'" else c) for c in cells), wanted)


class HashTest(headless.HeadlessCase):
    def run_again(self, resume):
        """The number of images that a run with the manifest filters."""
        _, error = self.run_program(self.src, "-o", self.out, "--manifest", self.dir / "m.jsonl", resume,
                                    "--on-conflict", "overwrite", *REFERENCE)
        return int(error.split(" done")[0].split()[-1])

    def test_contents_decide(self):
        """A changed content of the same size and time is detected; a changed time alone is not a change."""
        first, second = self.picture("a.png"), self.picture("b.png")
        self.assertEqual(self.run_again("--resume=hash"), 2)
        self.assertEqual(self.run_again("--resume=hash"), 0)
        os.utime(first, (1, 1))
        self.assertEqual(self.run_again("--resume=hash"), 0)
        times = os.stat(second)
        content = bytearray(pathlib.Path(second).read_bytes())
        content.extend(content[-12:])
        pathlib.Path(second).write_bytes(content)
        self.assertEqual(self.run_again("--resume=hash"), 1)
        content[-1] ^= 1
        pathlib.Path(second).write_bytes(content)
        os.utime(second, ns=(times.st_atime_ns, times.st_mtime_ns))
        self.assertEqual(self.run_again("--resume=hash"), 1)
        output = self.out / "a.png"
        damaged = bytearray(output.read_bytes())
        damaged[-1] ^= 1
        output.write_bytes(damaged)
        self.assertEqual(self.run_again("--resume=hash"), 1)
        self.assertEqual(self.run_again("--resume=hash"), 0)

    def test_lines_without_a_hash_are_done_again(self):
        self.picture("a.png")
        self.picture("b.png")
        self.assertEqual(self.run_again("--resume"), 2)
        self.assertEqual(self.run_again("--resume"), 0)
        self.assertEqual(self.run_again("--resume=hash"), 2)


class DriverTest(headless.HeadlessCase):
    """PoCL compiles kernels into a folder, with a linker; it aborts, or finds no device, where it has neither."""

    def run_on_cpu(self, cache, status=0, home="/", **extra):
        # A private folder would be made in the runtime folder or in TMPDIR.
        env = {"POCL_CACHE_DIR": str(cache), "XDG_CACHE_HOME": str(cache and self.dir / "cache"), "HOME": home,
               "TMPDIR": str(self.dir), "XDG_RUNTIME_DIR": str(self.dir), **extra}
        return self.run_program(self.picture("a.png"), "-o", self.out, "--device", "cpu", "--kernel", "direct",
                                env=env, status=status)[1]

    def test_home_that_cannot_be_written_to(self):
        error = self.run_on_cpu("", home="/proc/none")
        self.sentence(error, "/proc/none/.cache/pocl", f"{self.dir}/meanshift-lab-{os.geteuid()}", "instead")
        self.assertTrue(any((self.dir / f"meanshift-lab-{os.geteuid()}").iterdir()))

    def test_cache_on_a_full_disk(self):
        full = self.dir / "full"
        full.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", full]
        if subprocess.run(command, capture_output=True, check=False).returncode != 0:
            self.skipTest("This user cannot mount a small file system.")
        self.addCleanup(subprocess.run, ["umount", full], check=True)
        self.sentence(self.run_on_cpu(full / "pocl"), "No space left", "instead")

    def test_private_folder_of_somebody_else(self):
        """A folder that others can write to may hold their code, so it is not used, and the run says what is wrong."""
        (self.dir / f"meanshift-lab-{os.geteuid()}").mkdir()
        (self.dir / f"meanshift-lab-{os.geteuid()}").chmod(0o777)
        error = self.run_on_cpu("", home="/proc/none")
        self.assertNotIn(f"{self.dir}/meanshift-lab", error)

    def two_openings(self, error):
        """The driver aborts twice: a note says so after the first time, and the last sentence what can be done. PoCL 7
        reports an error instead, so that there is a last sentence alone."""
        if "was rejected" in error:
            self.sentence(error.strip().rsplit("\n", 1)[-1], "No device", "CL_EXEC_STATUS_ERROR")
            return
        first, last = error.strip().split("\n", 1)
        self.sentence(first, "ld", "once more")
        self.sentence(last, "ld", "--device")

    def test_no_linker(self):
        """A fresh cache and no program to be found: the status says that there is no device, and the sentence why."""
        (self.dir / "bin").mkdir()
        error = self.run_on_cpu(self.dir / "fresh", status=4, PATH=str(self.dir / "bin"))
        self.two_openings(error)

    @headless.in_ci
    def test_no_linker_for_standard_input(self):
        """A driver that aborts while the image comes from a pipe has the same status."""
        (self.dir / "bin").mkdir()
        source = pathlib.Path(self.picture("a.png"))
        output, error = self.run_program("-", "-o", "-", "--device", "cpu", "--kernel", "direct", status=4,
                                         stdin=source.read_bytes(),
                                         env={"POCL_CACHE_DIR": str(self.dir / "fresh"), "PATH": str(self.dir / "bin"),
                                              "XDG_CACHE_HOME": str(self.dir / "cache")})
        self.assertEqual(output, b"")
        self.two_openings(error)

    @headless.in_ci
    def test_no_linker_in_one_process(self):
        """Commands without workers report the driver's abort too, with the status of a missing device."""
        (self.dir / "bin").mkdir()
        env = {"POCL_CACHE_DIR": str(self.dir / "fresh"), "PATH": str(self.dir / "bin"),
               "XDG_CACHE_HOME": str(self.dir / "cache")}
        commands = ["--diagnose"], [self.picture("a.png"), "--regions", "-o", self.out, "--device", "cpu"]
        # Each starts the driver three times, which compiles a kernel.
        for command in commands:
            with self.subTest(command=command):
                done = subprocess.run([headless.PROGRAM, "--headless", *map(str, command)], capture_output=True,
                                      text=True, check=False, env={**os.environ, **env})
                if "ended by signal 6" in done.stderr:
                    self.assertEqual(done.returncode, 4)
                    self.sentence(done.stderr.strip().rsplit("\n", 1)[-1], "ended by signal 6", "--device")
                else:
                    # PoCL 7 reports an error instead, so that the self-test comes to its end and fails.
                    self.assertEqual(done.returncode, 3 if "FAILS: " in done.stdout else 4)
                    self.assertRegex(done.stdout + done.stderr, "FAILS: |was rejected: ")


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
