# SPDX-License-Identifier: MIT
"""Shared by the tests of the program without a window: pictures, the schema of its report, and running it."""

import contextlib
import json
import os
import pathlib
import random
import re
import signal
import struct
import subprocess
import tempfile
import time
import unittest
import zlib

import jsonschema

PROGRAM = os.path.abspath(os.environ["MS_PROGRAM"])
SOURCE = pathlib.Path(os.environ["MS_SOURCE_ROOT"])
FORM = os.environ.get("MS_TEST_FORM", "suite")
SCHEMA = json.loads((SOURCE / "data" / "headless-report.schema.json").read_text())


# Cases that take seconds and vary others.
in_ci = unittest.skipIf(FORM == "suite", "left to CI (meson test --setup ci)")


# ---- Pictures ----

def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def soft_noise(width, height, seed):
    """Rows of a ramp with noise, by few calls a row; the ramp ends below the range, so that no sum has a carry."""
    rng = random.Random(seed)
    turn = bytes(v % 226 for v in range(512))
    reduce_noise = bytes(v % 30 for v in range(256))
    ramp = bytes((x * 3 + c * 40) % 226 for x in range(width) for c in range(3))
    for y in range(height):
        numbers = ramp.translate(turn[y * 5 % 226:][:256]), rng.randbytes(len(ramp)).translate(reduce_noise)
        yield sum(int.from_bytes(part, "big") for part in numbers).to_bytes(len(ramp), "big")


def write_png(path, width, height, seed=1, rows=None):
    """A picture of soft noise, so that the filter has something to do."""
    raw = b"".join(b"\0" + row for row in rows or soft_noise(width, height, seed))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    pathlib.Path(path).write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) +
                                   chunk(b"IDAT", zlib.compress(raw, 1)) + chunk(b"IEND", b""))


def paeth(a, b, c):
    p = a + b - c
    pa, pb, pc = abs(p - a), abs(p - b), abs(p - c)
    return a if pa <= pb and pa <= pc else b if pb <= pc else c


def unfilter(kind, row, above, step):
    for i in range(len(row)):
        left = row[i - step] if i >= step else 0
        corner = above[i - step] if i >= step else 0
        row[i] = (row[i] + (0, left, above[i], (left + above[i]) // 2, paeth(left, above[i], corner))[kind]) & 255
    return row


def read_png(data):
    """Width, height and RGB bytes of a whole 8-bit file; raises where anything is missing."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    position, packed, ended = 8, b"", False
    while position < len(data):
        size, kind = struct.unpack(">I4s", data[position:position + 8])
        body = data[position + 8:position + 8 + size]
        assert struct.unpack(">I", data[position + 8 + size:position + 12 + size])[0] == zlib.crc32(kind + body)
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", body[:10])
            assert depth == 8 and colour in (2, 6), (depth, colour)
        packed += body if kind == b"IDAT" else b""
        ended = kind == b"IEND"
        position += 12 + size
    assert ended
    step = 3 if colour == 2 else 4
    raw, above, pixels = zlib.decompress(packed), bytes(width * step), []
    assert len(raw) == height * (1 + width * step)
    for y in range(height):
        start = y * (1 + width * step)
        above = unfilter(raw[start], bytearray(raw[start + 1:start + 1 + width * step]), above, step)
        pixels.append(bytes(v for i, v in enumerate(above) if i % step < 3))
    return width, height, b"".join(pixels)


# ---- JSON Schema ----

def violation(schema, value):
    """The first violation of the schema by value, or None."""
    for error in jsonschema.Draft202012Validator(schema).iter_errors(value):
        return f"{error.json_path}: {error.message}"
    return None


def wait_until_signals_are_handled(process):
    """Returns once one thread of the program waits for SIGTERM and the others block it."""
    status = pathlib.Path(f"/proc/{process.pid}/status")
    while process.poll() is None:
        blocked = re.search(r"(?m)^SigBlk:\s*([0-9a-f]+)$", status.read_text())
        if blocked and int(blocked.group(1), 16) & 1 << signal.SIGTERM - 1:
            return
        time.sleep(0.01)


def threads(pid):
    """The states of the threads of a process and its children, by the letters of /proc."""
    states, children = "", ""
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        states += (task / "stat").read_text().rpartition(")")[2].split()[0]
        children += (task / "children").read_text()
    return states + "".join(map(threads, children.split()))


def wait_until_it_waits(process):
    """Returns once all threads of the program and of its children have slept in each of ten looks. Where the machine
    is busy, a thread that could run does not sleep."""
    wait_until_signals_are_handled(process)
    looks = 0
    while looks < 10 and process.poll() is None:
        time.sleep(0.01)
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            looks = looks + 1 if set(threads(process.pid)) <= {"S", "Z"} else 0


def wait_for_text(stream, text):
    """Reads an unbuffered pipe until a line has this text."""
    told = b""
    for line in iter(stream.readline, b""):
        told += line
        if text in line:
            return
    raise AssertionError(f"The program ended without saying {text}: {told.decode()}")


class HeadlessCase(unittest.TestCase):
    def setUp(self):
        self.keep = tempfile.TemporaryDirectory(prefix="ms-headless-")
        self.addCleanup(self.keep.cleanup)
        self.dir = pathlib.Path(self.keep.name)
        self.src = self.dir / "in"
        self.out = self.dir / "out"
        self.src.mkdir()
        self.out.mkdir()

    def picture(self, name, width=40, height=30, seed=1):
        path = self.src / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_png(path, width, height, seed)
        return str(path)

    def run_program(self, *arguments, status=0, env=None, stdin=None, **options):
        """Runs --headless; checks the status; returns standard output (bytes) and error (text)."""
        environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
        environment.update(env or {})
        result = subprocess.run([PROGRAM, "--headless", *map(str, arguments)], input=stdin, capture_output=True,
                                env=environment,
                                timeout=600, check=False, **options)
        error = result.stderr.decode()
        self.assertEqual(result.returncode, status, f"{arguments}\n{error}")
        self.assertNotIn("Sanitizer", error)
        return result.stdout, error

    def report(self, *arguments, status=0, **options):
        """Runs with --json - and returns the report, which must follow the schema."""
        output, _ = self.run_program(*arguments, "--json", "-", status=status, **options)
        report = json.loads(output)
        self.assertIsNone(violation(SCHEMA, report))
        return report

    def sentence(self, error, *parts):
        """Checks an error message: one line, with the program's name, all parts and a remedy."""
        lines = error.strip().splitlines()
        self.assertEqual(len(lines), 1, error)
        self.assertTrue(lines[0].startswith("meanshift-lab: "), error)
        self.assertGreater(len(lines[0].split()), 5, error)
        for part in parts:
            self.assertIn(str(part), lines[0])

    def ended(self, *manifests):
        """The lines of images that were done or failed, without those about files that were to get their name."""
        lines = [json.loads(line) for file in manifests for line in file.read_text().splitlines()]
        return [line for line in lines if line["status"] != "saving"]

    def names(self, folder=None):
        folder = folder or self.out
        return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())
