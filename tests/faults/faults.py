# SPDX-License-Identifier: MIT
"""Shared by the tests of faults: batches, running one with a fault, and the checks afterwards.

The long form (MS_TEST_FORM=long) runs every case, CI a sample of them."""

import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "app"))
import headless

PRELOAD = os.environ["MS_FAULT_PRELOAD"]
LAYER = os.environ["MS_FAULT_LAYER"]
LARGE = (1500, 1100)
LONG = os.environ.get("MS_TEST_FORM") == "long"
COUNT_SIZE = 16

# What must not be said instead of a sentence of the program's own.
RAW_MESSAGES = ("GLib", "CRITICAL", "WARNING **", "Traceback", "Sanitizer", "Assertion", "terminate called")


def sample(last, most):
    """All numbers from 1 to last in the long form; otherwise at most so many, the first and the last among them."""
    if LONG or last <= most:
        return range(1, last + 1)
    return sorted({1 + round(i * (last - 1) / (most - 1)) for i in range(most)})


class FaultCase(headless.HeadlessCase):
    """A case has a batch: a folder of inputs, and the tree that a run without faults makes of it."""

    def setUp(self):
        super().setUp()
        self.count = self.dir / "count"
        self.n_cases = 0
        self.n_failures = 0

    def begin_batch(self, *options, env=None, large=False, stream=False, n_images=3):
        """Makes the inputs and the expected tree; with stream, the first image, a large one, exceeds the memory."""
        self.options = options
        self.env = env or {}
        for i, (width, height) in enumerate(((23, 17), (31, 12), (18, 25))):
            self.picture(f"sub/p{i}.png" if i == 1 else f"p{i}.png", width, height, seed=i)
        if large or stream:
            row = bytes(x * c // 7 % 251 for x in range(LARGE[0]) for c in (3, 5, 8))
            headless.write_png(self.src / "p0.png", *LARGE, rows=[row[y:] + row[:y] for y in range(LARGE[1])])
        if stream:
            self.exceed_memory()
        code, _, error, _ = self.run_with({})
        self.assertEqual(code, 0, error)
        self.expected = self.tree()
        self.assertEqual(len(self.expected), n_images)

    def exceed_memory(self):
        """Sets a limit between those for the whole image and for bands, since the memory of the program and the driver
        differs by some MiB from run to run."""
        given = self.options
        self.options = (*given, "--memory-limit", "20M")
        _, _, error, _ = self.run_with({})
        needed = re.search(r"p0\.png.* needs (\d+) MiB,.*by bands of rows it needs (\d+) MiB", error)
        self.assertTrue(needed, error)
        self.options = (*given, "--memory-limit", f"{(int(needed[1]) + int(needed[2])) // 2}M")
        self.empty()

    def tree(self):
        return {name: (self.out / name).read_bytes() for name in self.names()}

    def empty(self):
        shutil.rmtree(self.out)
        self.out.mkdir()
        for name in ("m.jsonl", "r.json", "r.csv"):
            (self.dir / name).unlink(missing_ok=True)

    def command(self):
        return [headless.PROGRAM, "--headless", str(self.src), "--recursive", "-o", str(self.out), "--resume",
                "--manifest", str(self.dir / "m.jsonl"), "--json", str(self.dir / "r.json"), "--csv",
                str(self.dir / "r.csv"), *map(str, self.options)]

    def resume(self, about):
        """The next run does what is left, and takes no output of the run before for somebody else's."""
        code, _, error, _ = self.run_with({}, preload=False)
        self.assertEqual(code, 0, f"the next run after {about}\n{error}")
        self.assertEqual(self.tree(), self.expected, f"the tree of the next run after {about}")

    def run_with(self, fault, preload=True):
        """Exit status, calls and bytes that were counted, standard error, standard output."""
        self.count.write_bytes(bytes(COUNT_SIZE))
        environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY", "G_DEBUG")}
        environment.update(self.env)
        environment.update({"MS_FAULT_COUNT": str(self.count), "MS_FAULT_BELOW": str(self.dir)})
        environment.update({k: str(v) for k, v in fault.items()})
        if preload:
            environment["LD_PRELOAD"] = PRELOAD
        result = subprocess.run(self.command(), capture_output=True, env=environment, timeout=600, check=False,
                                start_new_session=True)
        counted = struct.unpack("ll", self.count.read_bytes())
        return result.returncode, counted, result.stderr.decode(), result.stdout

    def without_driver(self, error):
        """The lines of the program itself: the last ones of a driver that ends its worker are shown as they are, and
        quoted where the program says what became of the image."""
        own = re.sub(r"the last error of the driver was '[^']*'", "", error)
        return "\n".join(line for line in own.splitlines()
                         if line.startswith("meanshift-lab: ") or "pocl" not in line)

    def check_after(self, about, code, error):
        """A clear error or a stated fall-back, no partial file, and a next run that makes the same tree."""
        about = f"{about}: status {code}\n{error}"
        self.n_cases += 1
        self.n_failures += code != 0
        self.assertIn(code, (0, 1, 4), about)
        for raw in RAW_MESSAGES:
            self.assertNotIn(raw, self.without_driver(error), about)
        if code != 0:
            self.assertTrue(any(len(line.split()) > 5 for line in error.splitlines()), about)
        found = self.tree()
        self.assertEqual([name for name in found if self.expected.get(name) != found[name]], [], about)
        self.assertEqual([p.name for p in self.dir.rglob("*.tmp")], [], about)
        if code == 0:
            self.assertEqual(set(found), set(self.expected), about)
        for report in ("r.json",):
            if (self.dir / report).exists():
                json.loads((self.dir / report).read_text())
        self.resume(about)

    def sweep(self, about, fault, most, preload=True):
        """Lets the n-th call fail, for each n or a sample of them."""
        self.empty()
        code, (calls, _), error, _ = self.run_with(fault, preload)
        self.assertEqual(code, 0, error)
        self.assertGreater(calls, 0, about)
        for nth in sample(calls, most):
            self.empty()
            code, _, error, _ = self.run_with({**fault, "MS_FAULT_NTH": nth}, preload)
            self.check_after(f"{about}, call {nth} of {calls}", code, error)

    def say(self, about):
        print(f"{about}: {self.n_cases} faults, {self.n_failures} runs that failed", file=sys.stderr)
