#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""SIGKILL at random moments to the program or its worker, then a resumed run: the tree must be the same.

MS_TEST_FORM=long kills 100 times; MS_KILLS names another number, MS_KILLS_SEED the moments."""

import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import time
import unittest

import faults

KILLS = int(os.environ.get("MS_KILLS", 100 if faults.LONG else 6))
SEED = int(os.environ.get("MS_KILLS_SEED", random.randrange(1 << 30)))
REFERENCE = ("--device", "reference", "--jobs", "2")
# A kill that came too late is tried again, so many times for each that is wanted.
MOST_TRIES = 20


def children_of(pid):
    try:
        return [int(word) for word in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def kill(pid):
    """Whether there was such a process."""
    try:
        os.kill(pid, signal.SIGKILL)
        return True
    except ProcessLookupError:
        return False


class Kills(faults.FaultCase):
    def begin(self, *options, **arguments):
        self.random = random.Random(SEED)
        self.begin_batch(*options, **arguments)
        start = time.monotonic()
        self.empty()
        self.assertEqual(self.run_with({}, preload=False)[0], 0)
        self.seconds = time.monotonic() - start

    def start(self):
        environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY", "G_DEBUG")}
        return subprocess.Popen(self.command(), stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, env=environment)

    def kill_once(self, in_worker):
        """Starts a run and kills it at a random moment; whether something was killed, and the run's status."""
        process = self.start()
        time.sleep(self.random.uniform(0, self.seconds))
        workers = children_of(process.pid)
        if in_worker:
            hit = bool(workers) and kill(workers[0])
        else:
            hit = process.poll() is None and kill(process.pid)
        error = process.communicate(timeout=600)[1].decode()
        return hit, process.returncode, error

    def check_tree(self, about):
        found = self.tree()
        self.assertEqual([name for name in found if self.expected.get(name) != found[name]], [], f"partial: {about}")

    def check_kills(self, name, times, *options, **arguments):
        self.begin(*options, **arguments)
        killed = {False: 0, True: 0}
        tries = 0
        self.empty()
        while sum(killed.values()) < times:
            tries += 1
            self.assertLess(tries, MOST_TRIES * times, "the moments never hit a running batch")
            in_worker = killed[True] < killed[False]
            hit, code, error = self.kill_once(in_worker)
            killed[in_worker] += hit
            about = f"{name}, seed {SEED}, kill {sum(killed.values())}, worker {in_worker}, status {code}\n{error}"
            self.assertIn(code, (0, -signal.SIGKILL) if hit and not in_worker else (0,), about)
            self.check_tree(about)
            self.resume(about)
            self.check_manifest()
            self.empty()
        print(f"{name}: {killed[False]} kills of the program, {killed[True]} of a worker, seed {SEED}", file=sys.stderr)

    def check_manifest(self):
        lines = [json.loads(line) for line in (self.dir / "m.jsonl").read_text().splitlines()]
        done = {line["input"] for line in lines if line["status"] == "done"}
        self.assertEqual(len(done), len(self.expected))

    def test_small_images(self):
        for i in range(9):
            self.picture(f"more/m{i}.png", 40 + i, 30, seed=i)
        self.check_kills("small images", KILLS // 2, *REFERENCE, "--sp", "8", n_images=12)

    def test_a_long_image(self):
        self.picture("long.png", 200, 150)
        self.check_kills("a long image", KILLS // 4, *REFERENCE, "--sp", "12", "--sr", "60", n_images=4)

    def test_a_stream(self):
        self.check_kills("a stream", KILLS - KILLS // 2 - KILLS // 4, "--device", "cpu", "--sp", "2", "--jobs", "2",
                         stream=True)


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
