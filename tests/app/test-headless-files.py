#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Outputs that are pipes or links, file names that a terminal must not see raw, and inputs that change between two runs."""

import importlib.util
import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest

spec = importlib.util.spec_from_file_location("headless", pathlib.Path(__file__).with_name("test-headless.py"))
headless = importlib.util.module_from_spec(spec)
spec.loader.exec_module(headless)

REFERENCE = ("--device", "reference")


class PipeTest(headless.HeadlessCase):
    def interrupt(self, *arguments, stdout=subprocess.DEVNULL):
        """One signal must end the program while it waits for the reader of a pipe."""
        process = subprocess.Popen([headless.PROGRAM, "--headless", *map(str, arguments)], stdout=stdout, stderr=subprocess.DEVNULL)
        try:
            time.sleep(0.7)
            self.assertIsNone(process.poll())
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(timeout=20), 130)
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

    def test_output_pipe_with_a_late_and_slow_reader(self):
        source = self.picture("a.png", 300, 300)
        settings = ("--max-iterations", "1", *REFERENCE)
        self.run_program(source, "-o", self.out / "file.png", *settings)
        pipe = self.dir / "pipe.png"
        os.mkfifo(pipe)
        script = 'sleep 0.3; (sleep 0.2; cat) < "$0" > "$1"'
        with subprocess.Popen(["sh", "-c", script, pipe, self.out / "read.png"]) as reader:
            self.run_program(source, "-o", pipe, *settings)
            self.assertEqual(reader.wait(timeout=60), 0)
        self.assertEqual((self.out / "read.png").read_bytes(), (self.out / "file.png").read_bytes())


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
            _, error = self.run_program(self.src, "--recursive", "-o", self.out, "--on-conflict", conflict, *REFERENCE, status=1)
            self.assertIn("--follow-links", error)
            self.assertIn(f"{done} done, {3 - done} failed", error)
            self.assertEqual([p.name for p in self.elsewhere.iterdir()], ["theirs.png"])
            self.assertEqual((self.elsewhere / "theirs.png").read_bytes(), b"theirs")
        self.assertFalse((self.out / "a.png").is_symlink())
        self.assertFalse((self.out / "b.png").is_symlink())

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


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
