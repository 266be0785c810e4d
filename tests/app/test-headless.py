#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The program without a window, as a person or a script uses it: every promise of its manual page, by running it."""

import contextlib
import csv
import io
import json
import os
import pathlib
import random
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import zlib

PROGRAM = os.path.abspath(os.environ["MS_PROGRAM"])
SOURCE = pathlib.Path(os.environ["MS_SOURCE_ROOT"])
SCHEMA = json.loads((SOURCE / "data" / "headless-report.schema.json").read_text())
NOBODY = 65534


# ---- Pictures ----

def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def write_png(path, width, height, seed=1, rows=None):
    """A picture of soft noise, so that the filter has something to do."""
    rng = random.Random(seed)
    if rows is None:
        rows = [bytes((x * 3 + y * 5 + c * 40 + rng.randrange(30)) % 256 for x in range(width) for c in range(3)) for y in range(height)]
    raw = b"".join(b"\0" + row for row in rows)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    pathlib.Path(path).write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b""))


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


# ---- JSON Schema, as much of it as the report's uses ----

TYPES = {"object": dict, "array": list, "string": str, "integer": int, "null": type(None), "boolean": bool, "number": (int, float)}


def is_type(value, name):
    if isinstance(value, bool) and name != "boolean":
        return False
    return isinstance(value, TYPES[name])


def violation(schema, value, path="report"):
    """What is wrong with value, or None."""
    if "enum" in schema and value not in schema["enum"]:
        return f"{path}: {value!r} is none of {schema['enum']}"
    wanted = schema.get("type", [])
    wanted = wanted if isinstance(wanted, list) else [wanted]
    if wanted and not any(is_type(value, name) for name in wanted):
        return f"{path}: {value!r} is no {wanted}"
    if isinstance(value, dict):
        for name in schema.get("required", []):
            if name not in value:
                return f"{path}: {name} is missing"
        for name, member in value.items():
            if name in schema.get("properties", {}):
                found = violation(schema["properties"][name], member, f"{path}.{name}")
            else:
                found = f"{path}: {name} is not described" if schema.get("additionalProperties", True) is False else None
            if found:
                return found
    if isinstance(value, list) and "items" in schema:
        for i, item in enumerate(value):
            found = violation(schema["items"], item, f"{path}[{i}]")
            if found:
                return found
    return None


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
        result = subprocess.run([PROGRAM, "--headless", *map(str, arguments)], input=stdin, capture_output=True, env=environment,
                                timeout=120, check=False, **options)
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
        """One line, by the program's name, with all parts in it and something to do."""
        lines = error.strip().splitlines()
        self.assertEqual(len(lines), 1, error)
        self.assertTrue(lines[0].startswith("meanshift-lab: "), error)
        self.assertGreater(len(lines[0].split()), 5, error)
        for part in parts:
            self.assertIn(str(part), lines[0])

    def names(self, folder=None):
        folder = folder or self.out
        return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())


class OneImage(HeadlessCase):
    def test_the_report_holds_what_was_promised(self):
        source = self.picture("a.png", 41, 23)
        target = self.out / "b.png"
        report = self.report(source, "--sp", "4.5", "--sr", "33", "--repeat", "3", "--verify", "-o", target, "--device", "cpu")
        self.assertEqual(report["program"], "meanshift-lab")
        self.assertEqual(report["device"]["type"], "cpu")
        self.assertEqual(report["summary"]["done"], 1)
        image = report["images"][0]
        self.assertEqual((image["input"], image["output"]), (source, str(target)))
        self.assertEqual((image["width"], image["height"], image["status"]), (41, 23, "done"))
        self.assertEqual(image["parameters"]["sp"], 4.5)
        self.assertEqual(image["parameters"]["rule"], "opencv")
        self.assertNotEqual(image["options"]["kernel"], "auto")
        self.assertEqual(image["kernel_ms"]["n"], 3)
        self.assertLessEqual(image["kernel_ms"]["min"], image["kernel_ms"]["median"])
        self.assertLessEqual(image["kernel_ms"]["median"], image["kernel_ms"]["max"])
        self.assertEqual(image["filter_ms"]["n"], 3)
        self.assertGreaterEqual(image["filter_ms"]["median"], 0.99 * image["kernel_ms"]["median"])
        self.assertEqual(image["verify"], {"mismatched_pixels": 0, "max_difference": 0})
        stages = [t["stage"] for t in image["timings"]]
        self.assertEqual(set(stages), {"decode", "build", "upload", "kernel", "download", "encode"})
        for row in image["timings"]:
            self.assertLessEqual(row["queued_ns"], row["submitted_ns"])
            self.assertLessEqual(row["submitted_ns"], row["started_ns"])
            self.assertLessEqual(row["started_ns"], row["ended_ns"])
            self.assertAlmostEqual(row["ms"], (row["ended_ns"] - row["started_ns"]) / 1e6, places=5)
        read_png(target.read_bytes())

    def test_every_way_gives_the_same_picture(self):
        source = self.picture("a.png", 37, 29)
        pictures = []
        for i, arguments in enumerate((["--device", "reference"], ["--device", "cpu"], ["--kernel", "direct", "--unroll", "4", "--access", "vload"],
                                       ["--memory", "image", "--local-memory", "on", "--work-group", "8x4"])):
            target = self.out / f"{i}.png"
            self.run_program(source, "--sp", "5", "--sr", "40", "-o", target, *arguments)
            pictures.append(read_png(target.read_bytes()))
        for picture in pictures[1:]:
            self.assertEqual(picture, pictures[0])
        self.assertNotEqual(pictures[0][2], read_png(pathlib.Path(source).read_bytes())[2])

    def test_pipes(self):
        source = pathlib.Path(self.picture("a.png"))
        piped, _ = self.run_program("-", "-o", "-", "--device", "reference", stdin=source.read_bytes())
        self.run_program(source, "-o", self.out / "b.png", "--device", "reference")
        self.assertEqual(read_png(piped), read_png((self.out / "b.png").read_bytes()))
        jpeg, error = self.run_program("-", "-o", "-", "--format", "jpeg", "--device", "reference", "--timings", stdin=source.read_bytes())
        self.assertEqual(jpeg[:3], b"\xff\xd8\xff")
        self.assertIn("kernel", error)
        _, error = self.run_program("-", "-o", "-", stdin=b"", status=1)
        self.sentence(error, "standard input", "empty")

    def test_named_pipes(self):
        source = pathlib.Path(self.picture("a.png"))
        self.run_program(source, "-o", self.out / "file.png", "--device", "reference")
        pipe = self.dir / "pipe"
        os.mkfifo(pipe)
        with subprocess.Popen(["sh", "-c", 'exec cat "$0" > "$1"', source, pipe]) as writer:
            self.run_program(pipe, "-o", self.out / "pipe.png", "--device", "reference")
            self.assertEqual(writer.wait(timeout=60), 0)
        self.run_program("/dev/stdin", "-o", self.out / "stdin.png", "--device", "reference", stdin=source.read_bytes())
        script = 'exec "$0" --headless <(cat "$1") -o "$2" --device reference'
        subprocess.run(["bash", "-c", script, PROGRAM, source, self.out / "substituted.png"], check=True, timeout=60)
        for name in ("pipe", "stdin", "substituted"):
            self.assertEqual(read_png((self.out / f"{name}.png").read_bytes()), read_png((self.out / "file.png").read_bytes()))

    def test_waiting_for_a_pipe_can_be_interrupted(self):
        pipe = self.dir / "pipe"
        os.mkfifo(pipe)
        for number in (signal.SIGINT, signal.SIGTERM):
            process = subprocess.Popen([PROGRAM, "--headless", pipe, "-o", self.out / "x.png", "--device", "reference"], stderr=subprocess.DEVNULL)
            time.sleep(0.5)
            self.assertIsNone(process.poll())
            process.send_signal(number)
            try:
                self.assertEqual(process.wait(timeout=20), 130)
            finally:
                process.kill()
                process.wait()
        self.assertEqual(self.names(), [])

    def test_tables(self):
        output, error = self.run_program(self.picture("a.png"), "--timings", "--verify", "--device", "cpu")
        text = output.decode()
        for word in ("decode", "upload", "kernel", "download", "run ms", "GB/s", "median", "identical to the reference"):
            self.assertIn(word, text)
        self.assertEqual(error, "")
        self.assertEqual(self.names(), [])

    def test_csv(self):
        self.picture("a,\"b.png")
        output, _ = self.run_program(self.src, "-o", self.out, "--csv", "-", "--device", "reference")
        rows = list(csv.DictReader(io.StringIO(output.decode())))
        self.assertEqual(len(rows), 1)
        self.assertTrue(rows[0]["input"].endswith("a,\"b.png"))
        self.assertEqual((rows[0]["status"], rows[0]["width"], rows[0]["rule"]), ("done", "40", "opencv"))
        self.assertGreater(float(rows[0]["kernel_ms_median"]), 0)
        self.assertGreater(float(rows[0]["filter_ms_median"]), 0)

    def test_names_of_other_encodings(self):
        name = os.fsdecode(b"caf\xe9.png")
        try:
            self.picture(name)
        except OSError:
            self.skipTest("The file system takes UTF-8 names only.")
        output, _ = self.run_program(self.src, "--csv", "-", "--json", self.dir / "r.json", "--device", "reference")
        row, = csv.DictReader(io.StringIO(output.decode()))
        self.assertEqual(row["input"], json.loads((self.dir / "r.json").read_text())["images"][0]["input"])
        self.assertTrue(row["input"].endswith("caf\\351.png"))

    def test_transparency_is_flattened_with_a_note(self):
        rows = [bytes([200, 10, 10, 0] * 8)] * 8
        raw = b"".join(b"\0" + row for row in rows)
        header = struct.pack(">IIBBBBB", 8, 8, 8, 6, 0, 0, 0)
        path = self.src / "t.png"
        path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b""))
        _, error = self.run_program(path, "-o", self.out / "t.jpg", "--device", "reference")
        self.sentence(error, "t.jpg", "white")
        _, error = self.run_program(path, "-o", self.out / "q.jpg", "--device", "reference", "--quiet")
        self.assertEqual(error, "")

    def test_statistics_and_histogram(self):
        report = self.report(self.picture("a.png", 40, 30), "--stats", "--histogram", "--device", "cpu")
        image = report["images"][0]
        for channel in ("r", "g", "b", "a", "luma"):
            self.assertEqual(len(image["histogram"][channel]), 256)
            self.assertEqual(sum(image["histogram"][channel]), 1200)
            figures = image["statistics"][channel]
            for name in ("min", "max", "mean", "stddev", "median", "sum", "nonzero", "p1", "p5", "p25", "p75", "p95", "p99", "clipped_low",
                         "clipped_high"):
                self.assertIn(name, figures)
            self.assertEqual(figures["sum"], sum(i * n for i, n in enumerate(image["histogram"][channel])))
        reference = self.report(self.picture("a.png", 40, 30), "--stats", "--histogram", "--device", "reference")["images"][0]
        self.assertEqual(reference["histogram"], image["histogram"])
        output, _ = self.run_program(self.src / "a.png", "--stats", "--device", "cpu")
        self.assertIn("median", output.decode())

    def test_statistics_say_what_they_took(self):
        image = self.report(self.picture("a.png", 40, 30), "--stats", "--device", "cpu")["images"][0]
        kernels = {}
        for row in image["timings"]:
            if row["stage"] == "kernel":
                kernels.setdefault(row["kernel"], []).append(row)
        for member, kernel, pixel in (("statistics", "histogram of the result", 4), ("source_statistics", "histogram of the source", 4),
                                      ("change", "compare_images", 8)):
            with self.subTest(member=member):
                self.assertEqual(len(kernels.get(kernel, [])), 1, sorted(kernels))
                found = image[member]
                self.assertAlmostEqual(found["kernel_ms"], kernels[kernel][0]["ms"], places=6)
                self.assertAlmostEqual(found["gb_per_s"], pixel * 1200 / found["kernel_ms"] * 1e-6, places=6)
                self.assertGreater(found["peak_share"], 0)
        plain = self.report(self.picture("a.png", 40, 30), "--stats", "--device", "reference")["images"][0]
        for member in ("statistics", "source_statistics", "change"):
            for name in ("kernel_ms", "gb_per_s", "peak_share"):
                self.assertIsNone(plain[member][name], f"{member}.{name} of what no device computed")

    def test_the_benchmark_runs_for_statistics_alone(self):
        cache = self.dir / "cache"
        source = self.picture("a.png", 40, 30)
        image = self.report(source, "--histogram", "--device", "cpu", env={"XDG_CACHE_HOME": str(cache)})["images"][0]
        self.assertEqual(sum(image["histogram"]["luma"]), 1200)
        self.assertNotIn("statistics", image)
        counted = [row["kernel"] for row in image["timings"] if row["stage"] == "kernel" and "histogram" in row["kernel"]]
        self.assertEqual(counted, ["histogram of the result"])
        self.assertEqual(list(cache.rglob("bandwidth/*")), [])
        self.report(source, "--stats", "--device", "cpu", env={"XDG_CACHE_HOME": str(cache)})
        self.assertEqual(len(list(cache.rglob("bandwidth/*.ini"))), 1)


class Regions(HeadlessCase):
    def test_every_output_is_the_same_on_device_and_reference(self):
        source = self.picture("a.png", 53, 31)
        names = {"-o": "means.png", "--labels": "labels.npy", "--modes": "modes.npy", "--outlines": "outlines.png",
                 "--csv": "table.csv", "--json": "table.json"}
        found = []
        for device in ("cpu", "reference"):
            files = [part for option, name in names.items() for part in (option, self.out / name)]
            self.run_program(source, "--regions", "--min-region", "5", "--sp", "4", "--sr", "60", "--device", device,
                             "--on-conflict", "overwrite", *files)
            found.append([(self.out / name).read_bytes() for name in names.values()])
        self.assertEqual(found[0], found[1])
        table = json.loads((self.out / "table.json").read_text())["regions"]
        rows = list(csv.DictReader(io.StringIO((self.out / "table.csv").read_text())))
        labels = struct.unpack(f"<{53 * 31}I", (self.out / "labels.npy").read_bytes()[-53 * 31 * 4:])
        self.assertEqual([row["pixels"] for row in table], [labels.count(row["label"]) for row in table])
        self.assertEqual([int(row["pixels"]) for row in rows], [row["pixels"] for row in table])
        self.assertEqual(max(labels), len(table))
        self.assertGreater(len(table), 1)
        self.assertGreaterEqual(min(row["pixels"] for row in table), 5)

    def test_what_means_nothing_is_refused(self):
        source = self.picture("a.png")
        for arguments, part in ((["--levels", "1"], "--levels"), (["--rule", "replicate"], "--rule"),
                                (["--kernel", "packed"], "modes"), (["--device", "reference", "--levels", "1"], "--levels")):
            _, error = self.run_program(source, "--regions", "-o", self.out / "x.png", *arguments, status=2)
            self.assertIn(part, error)
        for arguments in ([source, "--regions"], [source, source, "--regions", "-o", self.out / "x.png"],
                          [source, "--labels", self.out / "x.png"], [source, "--regions", "-o", source],
                          [source, "--regions", "--labels", self.out / "x.tiff"]):
            _, error = self.run_program(*arguments, status=2)
            self.sentence(error)
        self.assertEqual(self.names(), [])


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

    def test_too_large(self):
        self.refuse(self.picture("a.png"), "-o", self.out / "x.png", "--max-pixels", "1K", parts=["a.png"])
        self.refuse(self.picture("a.png"), "-o", self.out / "x.png", "--memory-limit", "1K", parts=["a.png", "--memory-limit"])
        picture = pathlib.Path(self.picture("a.png")).read_bytes()
        self.refuse("-", "-o", self.out / "x.png", "--memory-limit", "8K", stdin=picture, parts=["standard input", "--memory-limit"])
        self.refuse("-", "-o", self.out / "x.png", "--memory-limit", "1K", stdin=picture, parts=["standard input", "limit"])
        header = struct.pack(">IIBBBBB", 2**31 - 1, 2**31 - 1, 8, 6, 0, 0, 0)
        (self.src / "bomb.png").write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", b"x") + chunk(b"IEND", b""))
        self.refuse(self.src / "bomb.png", "-o", self.out / "x.png", parts=["bomb.png"])

    def test_outputs_that_cannot_be_written(self):
        source = self.picture("a.png")
        self.refuse(source, "-o", self.dir / "nowhere" / "x.png", parts=["nowhere", "create it"])
        self.refuse(source, source, "-o", self.dir / "nowhere", parts=["nowhere", "create it"])
        self.refuse(source, "-o", "/proc/x.png", parts=["/proc/x.png"])
        self.refuse(source, "-o", self.out / "x.bmp", status=2, parts=["x.bmp", "--format"])
        self.refuse(source, source, "-o", source, status=2, parts=["a.png", "folder"])
        self.refuse(source, "-o", "/dev/full", parts=["/dev/full", "full"])

    def test_a_full_disk_leaves_nothing(self):
        source = self.picture("a.png", 200, 200)
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
        self.refuse(source, "-o", self.out / "x.png", "--device", "reference", "--sp", "1", parts=["x.png"], preexec_fn=limit)

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
        self.refuse(*study, "--compare", baseline, "--report-dir", self.out, status=2, parts=["--report-dir", "--compare"])
        self.refuse(*study, "--compare", baseline, "--json", baseline, status=2, parts=["--json", "--compare"])
        baseline.unlink()
        self.refuse(*study, "--json", baseline, "--report-dir", self.out, status=2, parts=["--json", "--report-dir"])
        self.refuse("--experiment", as_svg, "--json", as_svg, status=2, parts=["--json", "--experiment"])

    def test_two_reports_never_share_a_file(self):
        source, both = self.picture("a.png"), self.dir / "both"
        self.refuse(source, "--json", both, "--csv", self.out / ".." / "both", status=2, parts=["--json", "--csv", "both"])
        self.refuse(source, "-o", self.out / "x.png", "--json", self.src / ".." / "out" / "x.png", status=2, parts=["--output", "--json"])
        self.refuse(source, "-o", self.out / "x.png", "--manifest", both, "--csv", both, status=2, parts=["--csv", "--manifest"])
        self.run_program(source, "--json", "/dev/null", "--csv", "/dev/null", "--device", "reference")

    def test_reports_never_take_the_place_of_images(self):
        source = pathlib.Path(self.picture("a.png"))
        self.picture("b.png")
        before = source.read_bytes()
        for option in ("--json", "--csv", "--manifest"):
            for shard in ("1/1000", "2/1000"):
                self.refuse(self.src, "-o", self.out, "--shard", shard, option, source, status=2, parts=[option, "a.png"])
        self.assertEqual(source.read_bytes(), before)
        (self.dir / "elsewhere.png").write_bytes(before)
        self.refuse(self.src, "-o", self.out, "--manifest", self.dir / "elsewhere.png", status=2, parts=["--manifest", "elsewhere.png"])

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
        self.refuse(source, "--json", self.dir / "r2.txt", "--csv", self.dir / "r3.txt", status=2, parts=["--json", "--csv"])
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
        self.refuse(source, "-o", self.out / "x.png", "--memory", "image", "--access", "vload", "--device", "cpu", status=2)
        self.refuse(source, "-o", self.out / "x.png", "--work-group", "60000x60000", "--device", "cpu", status=2, parts=["60000x60000"])
        self.refuse(source, "-o", self.out / "x.png", "--sp", "0", status=2, parts=["--sp"])
        self.refuse(source, "-o", self.out / "x.png", "--spp", "3", status=2, parts=["--spp", "--sp"])
        self.refuse(source, status=2, parts=["-o"])
        self.refuse("-o", self.out / "x.png", status=2)
        for target in (self.out / "x.png", self.dir / "nowhere", "-"):
            self.refuse(source, "-o", target, "--name", "{stem}.jpg", status=2, parts=["--name", target])
        self.refuse(source, "-o", self.out / "x.png", "--manifest", "-", status=2, parts=["--manifest", "--json"], cwd=self.dir)
        for name in (".", ".."):
            self.refuse(source, "-o", self.out, "--name", name, status=2, parts=["--name", "folder"])

    def test_a_full_standard_output(self):
        with open("/dev/full", "wb") as full:
            result = subprocess.run([PROGRAM, "--headless", self.picture("a.png"), "--device", "reference", "--json", "-"], stdout=full,
                                    stderr=subprocess.PIPE, timeout=60, check=False)
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

    def test_the_report_is_in_the_order_of_the_list(self):
        for i in range(12):
            self.picture(f"p{i:02}.png", 200 if i % 4 == 0 else 10, 60)
        (self.src / "p05.png").write_text("broken")
        report = self.report(self.src, "-o", self.out, "--device", "cpu", "--jobs", "4", status=1)
        self.assertEqual([pathlib.Path(image["input"]).name for image in report["images"]], [f"p{i:02}.png" for i in range(12)])
        self.assertEqual([image["seq"] for image in report["images"]], list(range(1, 13)))
        self.assertEqual((report["summary"]["done"], report["summary"]["failed"]), (11, 1))

    def test_templates_and_conflicts(self):
        self.picture("a.png")
        self.picture("deep/b.png")
        common = [self.src, "--recursive", "-o", self.out, "--device", "reference", "--sp", "2", "--name", "{seq}-{stem}-{sp}-{sr}-{device}.{ext}"]
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

    def test_shards_together_do_everything_once(self):
        for i in range(15):
            self.picture(f"p{i}.png", 12, 12)
        manifest = self.dir / "m.jsonl"
        processes = [subprocess.Popen([PROGRAM, "--headless", str(self.src), "-o", str(self.out), "--device", "reference", "--sp", "2",
                                       "--shard", f"{k}/3", "--manifest", str(manifest), "--quiet"]) for k in (1, 2, 3)]
        self.assertEqual([p.wait(timeout=60) for p in processes], [0, 0, 0])
        lines = [json.loads(line) for line in manifest.read_text().splitlines()]
        self.assertEqual(sorted(pathlib.Path(line["input"]).name for line in lines), sorted(f"p{i}.png" for i in range(15)))
        self.assertEqual(len(self.names()), 15)

    def interrupt(self, number):
        n = 40
        for i in range(n):
            self.picture(f"p{i:02}.png", 80, 60, seed=i)
        manifest = self.dir / "m.jsonl"
        report = self.dir / "r.json"
        command = [PROGRAM, "--headless", str(self.src), "-o", str(self.out), "--device", "reference", "--sp", "12", "--sr", "60",
                   "--manifest", str(manifest), "--resume"]
        process = subprocess.Popen(command + ["--json", str(report)], stderr=subprocess.PIPE)
        deadline = time.monotonic() + 60
        while not self.names() and time.monotonic() < deadline:
            time.sleep(0.005)
        process.send_signal(number)
        error = process.communicate(timeout=60)[1].decode()
        self.assertEqual(process.returncode, 130, error)
        done = self.names()
        self.assertGreater(len(done), 0)
        self.assertLess(len(done), n)
        for name in done:
            self.assertEqual(read_png((self.out / name).read_bytes())[:2], (80, 60))
        written = json.loads(report.read_text())
        self.assertIsNone(violation(SCHEMA, written))
        self.assertTrue(written["summary"]["interrupted"])
        self.assertEqual(written["summary"]["done"], len(done))
        subprocess.run(command + ["--quiet"], check=True, timeout=120)
        self.assertEqual(len(self.names()), n)
        finished = [json.loads(line)["input"] for line in manifest.read_text().splitlines()]
        self.assertEqual(len(finished), n)
        self.assertEqual(len(set(finished)), n)

    def test_interrupted_by_the_keyboard_and_resumed(self):
        self.interrupt(signal.SIGINT)

    def test_interrupted_by_a_kill_and_resumed(self):
        self.interrupt(signal.SIGTERM)

    def test_killed_between_a_result_and_its_line(self):
        for i in range(3):
            self.picture(f"p{i}.png")
        manifest = self.dir / "m.jsonl"
        command = [self.src, "-o", self.out, "--device", "cpu", "--jobs", "1", "--manifest", manifest]
        self.run_program(*command)
        lines = manifest.read_text().splitlines(keepends=True)
        manifest.write_text("".join(lines[:-1]))
        summary = self.report(*command, "--resume")["summary"]
        self.assertEqual((summary["done"], summary["skipped"], summary["failed"]), (1, 2, 0))
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
        _, error = self.run_program(self.src, "-o", self.out, "--device", "reference", "--on-conflict", "overwrite", "--quiet")
        self.assertEqual(error, "")

    def test_names_do_not_command_the_terminal(self):
        self.picture("a\x1b[31m\n\x7f\u009bé.png")
        for progress in (["--progress", "always"], []):
            (self.src / "b\x1b[0m.png").write_bytes(b"broken")
            _, error = self.run_program(self.src, "-o", self.out, "--device", "reference", "--on-conflict", "overwrite", *progress, status=1)
            self.assertEqual([c for c in error if c != "\n" and (ord(c) < 32 or 127 <= ord(c) < 160)], [])
            self.assertIn("b\\033[0m.png", error)
        _, error = self.run_program(self.src / "b\x1b[0m.png", self.src, "-o", self.out, "--device", "reference", "--progress", "always",
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

    def test_each_of_several_devices_has_its_own_winner(self):
        source = self.picture("a.png", 60, 90)
        environment = {"POCL_DEVICES": "pthread basic", "XDG_DATA_HOME": str(self.dir / "data"), "XDG_CACHE_HOME": str(self.dir / "cache")}
        known = set()
        for device, kernel in (("0:0", "direct"), ("0:1", "packed")):
            self.run_program("--tune", source, "--device", device, "--budget", "500ms", env=environment)
            winner, = set((self.dir / "data").rglob("*.winner.json")) - known
            known.add(winner)
            winner.write_text(json.dumps({**json.loads(winner.read_text()), "winner": {"kernel": kernel}}))

        def kernels(*arguments):
            image = self.report(source, "--verify", "--devices", "0:0,0:1", "--split", "equal", *arguments, env=environment)["images"][0]
            return image["options"]["kernel"], {row["kernel"] for row in image["timings"] if row["stage"] == "kernel"}

        used, ran = kernels()
        self.assertEqual(used, "direct", "what the first device uses")
        self.assertEqual(ran, {"mean_shift_direct", "prepare_packed", "mean_shift_first", "mean_shift_later"})
        self.assertEqual(kernels("--kernel", "rows")[1], {"prepare_planes", "mean_shift_rows"})


class Program(HeadlessCase):
    def test_help_and_version(self):
        for option in ("--help", "--help-all", "--version"):
            result = subprocess.run([PROGRAM, option], capture_output=True, timeout=60, check=True)
            self.assertIn(b"meanshift-lab", result.stdout)
            self.assertEqual(result.stderr, b"")

    def test_diagnosis(self):
        result = subprocess.run([PROGRAM, "--diagnose"], capture_output=True, text=True, timeout=300, check=False,
                                env=os.environ | {"XDG_CACHE_HOME": str(self.dir / "cache"), "HOME": str(self.dir)})
        self.assertEqual((result.returncode, result.stderr), (0, ""), result.stdout)
        for kernel in ("direct", "rows", "packed"):
            self.assertRegex(result.stdout, rf"(?m)^  0:0 +{kernel} +identical to the reference$")
        self.assertRegex(result.stdout, r"(?m)^  0:0 +matrix +not here: ")
        self.assertIn("~/cache/", result.stdout)
        self.assertNotIn(str(self.dir), result.stdout)

    def errors_on_terminal(self, *arguments, **variables):
        """Standard error of a run that fails, with a terminal there."""
        environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"} | {"TERM": "xterm"} | variables
        reader, terminal = os.openpty()
        result = subprocess.run([PROGRAM, "--headless", "missing.png", "--timings", *arguments], stdout=subprocess.DEVNULL,
                                stderr=terminal, env=environment, timeout=120, check=False)
        os.close(terminal)
        text = self.rest_of_terminal(reader)
        os.close(reader)
        self.assertEqual(result.returncode, 1, text)
        return text

    @staticmethod
    def rest_of_terminal(reader):
        """What was written to a terminal until its last writer closed it, which may take several reads."""
        pieces = []
        with contextlib.suppress(OSError):
            while piece := os.read(reader, 65536):
                pieces.append(piece)
        return b"".join(pieces).decode()

    def test_colour(self):
        red = "\033[1;31mmeanshift-lab:"
        self.assertIn(red, self.errors_on_terminal())
        self.assertNotIn(red, self.errors_on_terminal(NO_COLOR="1"))
        self.assertIn(red, self.errors_on_terminal(NO_COLOR=""))
        self.assertNotIn(red, self.errors_on_terminal(TERM="dumb"))
        self.assertNotIn(red, self.errors_on_terminal("--color", "never"))
        self.assertIn(red, self.errors_on_terminal("--color", "always", NO_COLOR="1"))
        self.assertNotIn(red, self.run_program("missing.png", "--timings", status=1)[1])
        self.assertIn(red, self.run_program("missing.png", "--timings", "--color", "always", status=1)[1])

    def test_kernels_build_without_a_word(self):
        source = self.picture("a.png")
        for kernel, sp in (("direct", 3), ("rows", 3), ("packed", 10)):
            fresh = {name: str(self.dir / f"{name}-{kernel}-{sp}") for name in ("XDG_CACHE_HOME", "POCL_CACHE_DIR")}
            with self.subTest(kernel=kernel, sp=sp):
                _, error = self.run_program(source, "-q", "--verify", "--kernel", kernel, "--sp", sp, "--device", "cpu", env=fresh)
                self.assertEqual(error, "")

    def test_devices_are_listed(self):
        text, _ = self.run_program("--list-devices")
        listed = json.loads(self.run_program("--list-devices", "--json", "-")[0])
        self.assertGreater(len(listed["devices"]), 0)
        for device in listed["devices"]:
            self.assertIn(device["name"], text.decode())
            for member in ("vendor", "driver", "type", "compute_units", "clock_mhz", "global_memory", "local_memory", "max_work_group", "images",
                           "max_image", "fp64", "extensions", "preferred_multiple"):
                self.assertIn(member, device)

    def test_gtk_is_not_loaded(self):
        libraries = subprocess.run(["ldd", PROGRAM], capture_output=True, text=True, check=True).stdout
        self.assertIn("libOpenCL", libraries)
        self.assertNotIn("libgtk", libraries)
        self.assertNotIn("libgdk", libraries)

    def test_a_locale_with_commas_changes_nothing(self):
        source = self.picture("a.png", 30, 20)
        made = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", str(self.dir / "de_DE.UTF-8")], capture_output=True, check=False)
        if not (self.dir / "de_DE.UTF-8").is_dir():
            self.skipTest(f"No German locale can be made here (package locales): {made.stderr.decode().strip()}")
        german = {"LOCPATH": str(self.dir), "LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8"}
        comma = subprocess.run(["printf", "%.1f", "1,5"], env={**os.environ, **german}, capture_output=True, text=True, check=False)
        self.assertEqual(comma.stdout, "1,5")
        report = self.report(source, "--sp", "2.5", "-o", self.out / "x.png", "--device", "reference", env=german)
        self.assertEqual(report["images"][0]["parameters"]["sp"], 2.5)
        self.assertGreater(report["images"][0]["kernel_ms"]["median"], 0)
        rows, _ = self.run_program(source, "--sp", "2.5", "--device", "reference", "--csv", "-", env=german)
        row = next(csv.DictReader(io.StringIO(rows.decode())))
        self.assertEqual(row["sp"], "2.5")
        self.assertGreater(float(row["kernel_ms_median"]), 0)
        table, _ = self.run_program(source, "--device", "reference", "--timings", env=german)
        self.assertRegex(table.decode(), r"median \d+\.\d+ ms")

    def test_reduce(self):
        output, _ = self.run_program("--reduce", "sum", "--type", "int", "--size", "10007", "--device", "cpu", "--json", "-")
        self.assertIsInstance(json.loads(output), dict)
        text = self.run_program("--reduce", "sum", "--type", "int", "--size", "10007", "--device", "cpu")[0].decode()
        names = [line[:10].strip() for line in text.splitlines()]
        self.assertIn("serial", names)
        self.assertEqual(len(names), len(set(names)), text)
        output, _ = self.run_program("--reduce", "minmax-positions", "--type", "float", "--size", "10007", "--device", "cpu")
        self.assertRegex(output.decode(), r"result +\S+ at \d+, \S+ at \d+\n")
        for operator in ("sum-abs", "norm1", "norm2"):
            output, _ = self.run_program("--reduce", operator, "--type", "short", "--size", "10007", "--device", "cpu")
            self.assertRegex(output.decode(), r"serial +\S+ \(agrees\)\n")
        _, error = self.run_program("--reduce", "product", status=2)
        self.sentence(error, "product")
        _, error = self.run_program("--reduce", "sum", "--size", "99999999999999999999", status=2)
        self.sentence(error, "--size", "99999999999999999999")
        _, error = self.run_program("--reduce", "sum", "--device", "reference", status=2)
        self.sentence(error, "--device")

    def test_reduce_histogram(self):
        what = ["--reduce", "histogram", "--type", "uchar", "--size", "10007", "--device", "cpu", "--bins", "4", "--range", "0:99"]
        report = json.loads(self.run_program(*what, "--json", "-")[0])
        self.assertTrue(report["agrees"])
        self.assertEqual(len(report["counts"]), 4)
        self.assertEqual(sum(report["counts"]) + report["below"] + report["above"], 10007)
        self.assertGreater(report["above"], 10007 // 2)
        text = self.run_program(*what)[0].decode()
        self.assertIn(f"74.25\t99\t{report['counts'][3]}\n", text)
        whole = json.loads(self.run_program(*what[:8], "--json", "-")[0])
        self.assertEqual((whole["low"], whole["high"], whole["bins"], whole["above"]), (0, 255, 256, 0))
        for arguments, part in ((["--range", "5"], "--range"), (["--range", "9:3"], "range"), (["--variant", "pcl"], "--variant")):
            _, error = self.run_program("--reduce", "histogram", *arguments, status=2)
            self.sentence(error, part)
        _, error = self.run_program("--reduce", "sum", "--bins", "3", status=2)
        self.sentence(error, "--bins")

    def test_a_tuned_reduction(self):
        home = {"XDG_DATA_HOME": str(self.dir / "data"), "XDG_CACHE_HOME": str(self.dir / "cache")}
        what = ["--reduce", "sum", "--type", "ushort", "--size", "20000", "--device", "cpu"]

        def reduction(*arguments):
            return json.loads(self.run_program(*arguments, "--json", "-", env=home)[0])

        self.assertEqual(reduction(*what)["chosen_by"], "program")
        _, error = self.run_program("--tune", *what, "--variant", "pcl", env=home, status=2)
        self.sentence(error, "--variant")
        tuning = reduction("--tune", *what, "--budget", "1s")["tunings"][0]
        self.assertEqual(tuning["trials"][0]["outcome"], "ok", "the search begins at what auto chooses")
        tuned = reduction(*what, "--variant", "auto")
        self.assertEqual(tuned["chosen_by"], "tuning")
        self.assertTrue(tuned["agrees"])
        self.assertEqual(tuned["options"]["vector"], tuning["winner"]["vector"])
        self.assertEqual(tuned["options"]["between"], tuning["winner"]["between"])
        self.assertIn("tuning", self.run_program(*what, env=home)[0].decode())
        self.assertEqual(reduction(*what, "--size", "21000")["chosen_by"], "tuning")
        self.assertEqual(reduction(*what, "--size", "2000000")["chosen_by"], "program")
        self.assertEqual(reduction(*what, "--type", "short")["chosen_by"], "program")
        self.assertEqual(reduction(*what, "--variant", "pcl")["chosen_by"], "caller")
        winner = next((self.dir / "data").rglob("*.winner.json"))
        kept = json.loads(winner.read_text())
        for storage, vector, chosen_by in (("buffer", "4", "tuning"), ("image", "16", "program"), ("tape", "1", "program")):
            kept["winner"].update(storage=storage, vector=vector)
            winner.write_text(json.dumps(kept))
            with self.subTest(storage=storage, vector=vector):
                found = reduction(*what)
                self.assertEqual(found["chosen_by"], chosen_by)
                self.assertEqual(found["options"]["vector"] == "4", chosen_by == "tuning")
        for damaged in ("{", json.dumps({**kept, "winner": {}}), json.dumps({**kept, "winner": {"kernel": "rows"}})):
            winner.write_text(damaged)
            with self.subTest(damaged=damaged):
                self.assertEqual(reduction(*what)["chosen_by"], "program")

    def test_a_search_without_time_has_a_winner_still(self):
        home = {"XDG_DATA_HOME": str(self.dir / "data"), "XDG_CACHE_HOME": str(self.dir / "cache")}
        output, _ = self.run_program("--tune", self.picture("a.png", 60, 90), "--device", "cpu", "--budget", "1ms", env=home)
        self.assertIn(": 1 of ", output.decode())

    def test_experiments_are_listed(self):
        output, _ = self.run_program("--experiment", "list")
        self.assertIn("ms-unroll", output.decode())
        listed, error = self.run_program("--experiment", "list", "--json", "-")
        self.assertEqual(error, "")
        experiments = json.loads(listed)["experiments"]
        self.assertEqual(sorted(e["name"] for e in experiments), sorted(p.stem for p in (SOURCE / "data" / "experiments").glob("*.experiment")))
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
                       "[Fixed]\nop=sum\nsize=1000\n[Quick Fixed]\nsize=999\n[Plot]\nX=variant\n")
        return ["--experiment", own, "--budget", "50ms", "--device", "cpu"]

    def test_experiments_are_held_against_a_baseline(self):
        what, reports, base = self.study(), self.out / "reports", self.out / "base.json"
        self.run_program(*what, "--json", base, "--report-dir", reports)
        for earlier in (base, reports / "own.json"):
            output, _ = self.run_program(*what, "--compare", earlier)
            self.assertIn("own against the baseline", output.decode())
            self.assertNotIn("without two times", output.decode())
        whole = json.loads(base.read_text())
        faster = json.loads(base.read_text())
        for row in faster["experiments"][0]["rows"]:
            row["samples_ns"] = [1.0 + i / 100 for i in range(9)]
            row["rounds"] = list(range(9))
        base.write_text(json.dumps(faster))
        self.run_program(*what, "--compare", base)
        self.run_program(*what, "--compare", base, "--fail-on-slower", status=1)
        whole["experiments"].insert(0, {**whole["experiments"][0]})
        other = {**whole["experiments"][0], "experiment": {**whole["experiments"][0]["experiment"], "name": "other"}}
        base.write_text(json.dumps({**whole, "experiments": [other, whole["experiments"][0]]}))
        self.assertIn("own against the baseline", self.run_program(*what, "--compare", base)[0].decode())
        base.write_text(json.dumps({**whole, "experiments": [other]}))
        self.sentence(self.run_program(*what, "--compare", base, status=2)[1], "--compare", "other")
        for damaged in ("[]", "{", '{"experiments": []}', '{"experiments": [3]}'):
            base.write_text(damaged)
            self.assertIn("base.json", self.run_program(*what, "--compare", base, status=1)[1])

    def test_a_gate_that_compares_nothing_is_shut(self):
        what, base = self.study(), self.out / "base.json"
        self.run_program(*what, "--quick", "--json", base)
        whole = json.loads(base.read_text())
        for rows in (whole["experiments"][0]["rows"], []):
            base.write_text(json.dumps({**whole, "experiments": [{**whole["experiments"][0], "rows": rows}]}))
            self.run_program(*what, "--compare", base)
            _, error = self.run_program(*what, "--compare", base, "--fail-on-slower", status=1)
            self.sentence(error, "--fail-on-slower", "base.json", "--quick")

    def test_an_interrupted_experiment_prints_its_table(self):
        what = [str(part) for part in self.study()]
        what[what.index("50ms")] = "60s"
        for number in (signal.SIGINT, signal.SIGTERM):
            process = subprocess.Popen([PROGRAM, "--headless", *what, "--repeat", "100000"], stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE)
            time.sleep(4)
            process.send_signal(number)
            output, error = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 130, error)
            self.assertIn("own: Own", output.decode())
            self.assertIn("Incomplete", output.decode())

    def test_tuning_leaves_its_report(self):
        home = {**os.environ, "XDG_DATA_HOME": str(self.dir / "data")}
        self.run_program("--tune", "--reduce", "sum", "--type", "uint", "--size", "4096", "--budget", "2s", "--device", "cpu",
                         "--strategy", "random", "--report-dir", self.out, env=home)
        report = json.loads((self.out / "tuning.json").read_text())
        self.assertIn("random", report["experiment"]["description"])
        times = [row["samples_ns"][0] for row in report["rows"] if row["outcome"] == "ok"]
        self.assertTrue(times)
        self.assertEqual(times, sorted(times))
        self.assertTrue((self.out / "index.html").exists())

    def test_finished_experiments_are_left_out(self):
        own = self.dir / "own.experiment"
        own.write_text("[Experiment]\nTitle=Own\nKind=reduce\n[Axes]\nvariant=naive;pcl\n[Fixed]\nop=sum\nsize=1000\n[Plot]\nX=variant\n")
        what = ["--experiment", own, "--quick", "--budget", "1s", "--device", "cpu", "--report-dir", self.out]

        def report(*arguments):
            return json.loads(self.run_program(*what, *arguments, "--json", "-")[0])["experiments"][0]

        first = report()
        self.assertTrue(first["complete"])
        self.assertEqual(report("--resume"), first)
        self.assertNotEqual(report()["rows"], first["rows"])
        _, error = self.run_program("--experiment", own, "--resume", status=2)
        self.sentence(error, "--report-dir")
        _, error = self.run_program("--reduce", "sum", "--resume", "--report-dir", self.out, status=2)
        self.sentence(error, "--")


def convert(*arguments):
    """ImageMagick, which reads and writes with code of its own."""
    subprocess.run(["convert", *map(str, arguments)], check=True, capture_output=True, timeout=60)


class Formats(HeadlessCase):
    """TIFF and WebP, from and for other programs; PNG stands beside them as the format that is always there."""

    SETTINGS = ("--device", "reference", "--sp", "2")

    def setUp(self):
        super().setUp()
        text = subprocess.run([PROGRAM, "--help"], capture_output=True, check=True, text=True).stdout
        self.formats = {name: ending for name, title, ending in (("tiff", "TIFF", "tif"), ("webp", "WebP", "webp")) if title in text}
        if not self.formats:
            self.skipTest("this build has neither TIFF nor WebP")

    def pixels(self, path):
        """The pixels of any file, as ImageMagick reads them."""
        copy = self.dir / "pixels.png"
        convert(path, "-define", "png:color-type=2", "-depth", "8", copy)
        return read_png(copy.read_bytes())

    def result(self, *arguments):
        self.run_program(*arguments, "-o", self.out / "expected.png", *self.SETTINGS)
        expected = read_png((self.out / "expected.png").read_bytes())
        (self.out / "expected.png").unlink()
        return expected

    def test_other_programs_files_are_read_and_ours_are_read_by_them(self):
        source = self.picture("a.png", 41, 23)
        expected = self.result(source)
        for name, ending in self.formats.items():
            other = self.src / f"a.{ending}"
            convert(source, "-define", "webp:lossless=true", other)
            self.run_program(other, "-o", self.out / f"b.{ending}", *self.SETTINGS)
            self.assertEqual(self.pixels(self.out / f"b.{ending}"), expected, name)
            piped, _ = self.run_program("-", "-o", "-", "--format", name, *self.SETTINGS, stdin=other.read_bytes())
            self.assertEqual(piped, (self.out / f"b.{ending}").read_bytes(), name)

    def test_a_folder_of_all_formats(self):
        source = self.picture("one.png", 30, 20)
        for ending in self.formats.values():
            convert(source, "-define", "webp:lossless=true", self.src / f"two-{ending}.{ending}")
        expected = self.result(source)
        self.run_program(self.src, "-o", self.out, *self.SETTINGS)
        self.assertEqual(self.names(), sorted(["one.png", *(f"two-{e}.{e}" for e in self.formats.values())]))
        for name in self.names():
            self.assertEqual(self.pixels(self.out / name), expected, name)
        for name, ending in self.formats.items():
            folder = self.dir / name
            folder.mkdir()
            manifest = self.dir / f"{name}.jsonl"
            arguments = (self.src, "-o", folder, "--format", name, "--manifest", manifest, *self.SETTINGS)
            self.run_program(*arguments)
            self.assertEqual(self.names(folder), sorted([f"one.{ending}", *(f"two-{e}.{ending}" for e in self.formats.values())]))
            for file in self.names(folder):
                self.assertEqual(self.pixels(folder / file), expected, file)
            self.assertEqual({json.loads(line).get("format") for line in manifest.read_text().splitlines()[1:]} - {None}, {name})
            before = {p: p.stat().st_mtime_ns for p in folder.iterdir()}
            self.run_program(*arguments, "--resume")
            _, error = self.run_program(*arguments, status=1)
            self.assertIn("exists already", error)
            self.run_program(*arguments, "--on-conflict", "skip")
            self.assertEqual(before, {p: p.stat().st_mtime_ns for p in folder.iterdir()})
            self.run_program(*arguments, "--on-conflict", "unique")
            self.assertIn(f"one-1.{ending}", self.names(folder))
            self.run_program(*arguments, "--on-conflict", "overwrite")
            self.assertNotEqual(before[folder / f"one.{ending}"], (folder / f"one.{ending}").stat().st_mtime_ns)

    def test_quality_makes_webp_lossy(self):
        if "webp" not in self.formats:
            self.skipTest("no WebP in this build")
        source = self.picture("a.png", 120, 90)
        for quality in ((), ("--quality", "80"), ("--quality", "20")):
            self.run_program(source, "-o", self.out / f"q{''.join(quality)}.webp", *quality, *self.SETTINGS)
        sizes = [(self.out / f"q{q}.webp").stat().st_size for q in ("--quality20", "--quality80", "")]
        self.assertEqual(sizes, sorted(sizes))
        self.assertEqual(self.pixels(self.out / "q.webp"), self.result(source))
        self.assertNotEqual(self.pixels(self.out / "q--quality20.webp"), self.result(source))

    def test_a_changed_quality_is_done_again_on_resume(self):
        if "webp" not in self.formats:
            self.skipTest("no WebP in this build")
        source = self.picture("a.png")
        arguments = (source, "-o", self.out / "a.webp", "--manifest", self.dir / "m.jsonl", "--on-conflict", "overwrite", "--resume", *self.SETTINGS)
        kept = []
        for quality in ((), (), ("--quality", "30"), ("--quality", "30"), ()):
            self.run_program(*arguments, *quality)
            kept.append((self.out / "a.webp").read_bytes())
        self.assertEqual(kept[0], kept[1])
        self.assertNotEqual(kept[1], kept[2])
        self.assertEqual(kept[0], kept[4])

    def test_reduced_samples_are_said(self):
        if "tiff" not in self.formats:
            self.skipTest("no TIFF in this build")
        source = self.picture("a.png")
        convert(source, "-depth", "16", self.src / "deep.tif")
        _, error = self.run_program(self.src / "deep.tif", "-o", self.out / "b.png", *self.SETTINGS)
        self.sentence(error, "deep.tif", "16 bits a sample were reduced to 8")
        self.assertEqual(read_png((self.out / "b.png").read_bytes()), self.result(source))

    def test_what_is_damaged_is_named(self):
        source = self.picture("a.png")
        for ending in self.formats.values():
            convert(source, self.src / f"good.{ending}")
            good = (self.src / f"good.{ending}").read_bytes()
            (self.src / f"cut.{ending}").write_bytes(good[:len(good) // 2])
            _, error = self.run_program(self.src / f"cut.{ending}", "-o", self.out / "x.png", *self.SETTINGS, status=1)
            self.sentence(error, f"cut.{ending}")
            self.assertEqual(self.names(), [])

    def test_a_large_png_in_bands_is_read_by_others(self):
        source, target, peer = self.src / "large.png", self.out / "large.png", self.out / "one-thread.png"
        convert("-seed", "3", "-size", "1500x1103", "plasma:", "-depth", "8", source)
        settings = ("--device", "reference", "--sp", "1", "--max-iterations", "1", "--jobs", "4")
        self.run_program(source, "-o", target, *settings)
        data, position, packed, chunks = target.read_bytes(), 8, b"", 0
        while position < len(data):
            size, kind = struct.unpack(">I4s", data[position:position + 8])
            if kind == b"IDAT":
                packed, chunks = packed + data[position + 8:position + 8 + size], chunks + 1
            position += 12 + size
        raw = zlib.decompress(packed)
        self.assertGreater(chunks, 3)
        self.assertEqual(len(raw), 1103 * (1 + 1500 * 3))
        self.assertLessEqual(set(raw[::1 + 1500 * 3]), {1, 2})
        self.run_program(source, "-o", peer, *settings[:-1], "1")
        found = subprocess.run(["compare", "-metric", "AE", target, peer, "null:"], capture_output=True, timeout=60, check=False)
        self.assertEqual((found.returncode, found.stderr), (0, b"0"))

    def test_what_webp_cannot_hold_is_said_before_any_work(self):
        if "webp" not in self.formats:
            self.skipTest("no WebP in this build")
        write_png(self.src / "wide.png", 16384, 1, rows=[bytes(16384 * 3)])
        _, error = self.run_program(self.src / "wide.png", "-o", self.out / "x.webp", *self.SETTINGS, status=1)
        self.sentence(error, "wide.png", "16383")


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
