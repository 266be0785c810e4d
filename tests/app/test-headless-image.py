#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""One image and its statistics, its regions, and the formats of files, by running the program as a script would."""

import csv
import io
import json
import math
import os
import pathlib
import re
import signal
import struct
import subprocess
import sys
import unittest
import zlib

from headless import HeadlessCase, PROGRAM, chunk, read_png, unfilter, wait_until_it_waits, write_png


def timing_sums(rows):
    """What the table of --timings says of a report's rows: by stage and kernel, in the order of the first of each."""
    groups = {}
    for row in rows:
        groups.setdefault((row["stage"], row["kernel"] or ""), []).append(row)
    return [(*names, *sums_of(group)) for names, group in groups.items()]


def sums_of(rows):
    marks = ("queued_ns", "submitted_ns", "started_ns", "ended_ns")
    spans = [sum((row[end] - row[start]) * 1e-6 for row in rows) for start, end in zip(marks, marks[1:])]
    if rows[0]["stage"] in ("decode", "build", "encode"):  # of the host, which waits for no device
        spans = spans[2:]
    megabytes = sum(row["bytes"] for row in rows) * 1e-6
    rates = (megabytes, megabytes / spans[-1]) if megabytes else ()  # a build moves nothing
    return str(len(rows)), *(f"{x:.3f}" for x in (*spans, *rates))


def statistics_of(values):
    """By the manual page: percentiles lie linearly between neighbours, deviations are of the population."""
    values, n = sorted(values), len(values)

    def percentile(percent):
        at, rest = divmod((n - 1) * percent, 100)
        return values[at] + (values[min(at + 1, n - 1)] - values[at]) * rest / 100

    mean = sum(values) / n
    return {"count": n, "min": values[0], "max": values[-1], "mean": mean,
            "stddev": (sum((v - mean) ** 2 for v in values) / n) ** 0.5, "median": percentile(50), "sum": sum(values),
            "nonzero": n - values.count(0), **{f"p{p}": percentile(p) for p in (1, 5, 25, 75, 95, 99)},
            "clipped_low": values.count(0), "clipped_high": values.count(255)}


class OneImage(HeadlessCase):
    OWN_KERNEL = ("--kernel", "direct", "--unroll", "4", "--access", "vload", "--work-group", "16x2")

    def test_the_report_holds_what_was_promised(self):
        source = self.picture("a.png", 41, 23)
        target = self.out / "b.png"
        report = self.report(source, "--sp", "4.5", "--sr", "33", "--repeat", "3", "--verify", "-o", target, "--device",
                             "cpu")
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

    def test_debug_messages_say_what_was_chosen(self):
        source = self.picture("a.png", 37, 29)
        wanted = ["device 0:0: ", "plan: kernel direct, work-groups of 16x2,",
                  "program: 11 parts, the last direct/mean-shift-direct.cl, with -cl-std=CL1.2 -DHAS_MARKS=0",
                  "cache: "]
        output, error = self.run_program(source, *self.OWN_KERNEL, "--device", "0:0", "-o", "-", "--format", "png",
                                         env={"G_MESSAGES_DEBUG": "meanshift-lab"})
        for line in wanted:
            self.assertTrue(any(line in found for found in error.splitlines()), f"{line}\n{error}")
        read_png(output)
        self.assertNotIn("DEBUG", self.run_program(source, "-o", self.out / "b.png")[1])

    def test_every_way_gives_the_same_picture(self):
        source = self.picture("a.png", 37, 29)
        pictures = []
        for i, arguments in enumerate((["--device", "reference"], ["--device", "cpu"],
                                       self.OWN_KERNEL,
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
        jpeg, error = self.run_program("-", "-o", "-", "--format", "jpeg", "--device", "reference", "--timings",
                                       stdin=source.read_bytes())
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
            self.assertEqual(writer.wait(timeout=600), 0)
        self.run_program("/dev/stdin", "-o", self.out / "stdin.png", "--device", "reference", stdin=source.read_bytes())
        script = 'exec "$0" --headless <(cat "$1") -o "$2" --device reference'
        subprocess.run(["bash", "-c", script, PROGRAM, source, self.out / "substituted.png"], check=True, timeout=600)
        for name in ("pipe", "stdin", "substituted"):
            self.assertEqual(read_png((self.out / f"{name}.png").read_bytes()),
                             read_png((self.out / "file.png").read_bytes()))

    def test_waiting_for_a_pipe_can_be_interrupted(self):
        pipe = self.dir / "pipe"
        os.mkfifo(pipe)
        for number in (signal.SIGINT, signal.SIGTERM):
            process = subprocess.Popen([PROGRAM, "--headless", pipe, "-o", self.out / "x.png", "--device", "reference"],
                                       stderr=subprocess.DEVNULL)
            wait_until_it_waits(process)
            self.assertIsNone(process.poll())
            process.send_signal(number)
            try:
                self.assertEqual(process.wait(timeout=600), 130)
            finally:
                process.kill()
                process.wait()
        self.assertEqual(self.names(), [])

    def test_tables(self):
        """The table of --timings has the sums of the report's rows by stage and kernel."""
        report = self.dir / "r.json"
        output, error = self.run_program(self.picture("a.png"), "--timings", "--verify", "--repeat", "2", "--device",
                                         "cpu", "--json", report)
        image = json.loads(report.read_text())["images"][0]
        _, _, titles, *rows, kernels, whole, verified = output.decode().splitlines()
        self.assertEqual(titles, f"  {'stage':9} {'kernel':24} count   queued ms  submitted ms      run ms"
                                 "         MB      GB/s")
        self.assertEqual([(row[2:11].strip(), row[12:36].strip(), *row[36:].split()) for row in rows],
                         timing_sums(image["timings"]))
        for line, what, name in ((kernels, "kernels", "kernel_ms"),
                                 (whole, "whole filter, with transfers", "filter_ms")):
            times = re.fullmatch(rf"  {what}: median (.*) ms, minimum (.*) ms, maximum (.*) ms, n 2", line)
            for time_, key in zip(times.groups(), ("median", "min", "max")):
                self.assertAlmostEqual(float(time_), image[name][key], delta=0.0006)
        self.assertEqual((verified, error), ("  verified: identical to the reference", ""))
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
        output, _ = self.run_program(self.src, "-o", self.out, "--csv", "-", "--dry-run", "--on-conflict", "overwrite")
        row, = csv.DictReader(io.StringIO(output.decode()))
        self.assertEqual((row["kernel_ms_median"], row["filter_ms_median"], row["decode_ms"]), ("", "", ""))

    def test_the_profile_of_colours_is_reported(self):
        source = self.picture("a.png")
        for space, profile in (("rgb", None), ("luv", "sRGB")):
            report = self.report(source, "--space", space, "--csv", self.dir / "r.csv", "--device", "reference")
            self.assertEqual(report["images"][0]["profile"], profile)
            with open(self.dir / "r.csv", newline="", encoding="utf-8") as file:
                row, = csv.DictReader(file)
            self.assertEqual(row["profile"], profile or "")
        output, _ = self.run_program(source, "--space", "lab", "--timings", "--device", "reference")
        self.assertIn("--space lab, by the colour profile sRGB", output.decode())

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
        path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(raw)) +
                         chunk(b"IEND", b""))
        _, error = self.run_program(path, "-o", self.out / "t.jpg", "--device", "reference")
        self.sentence(error, "t.jpg", "white")
        _, error = self.run_program(path, "-o", self.out / "q.jpg", "--device", "reference", "--quiet")
        self.assertEqual(error, "")

    def test_statistics_and_histogram(self):
        """Statistics, changes and counts are those of the pixels in the files, as text and in the report."""
        source, target = pathlib.Path(self.picture("a.png", 40, 30)), self.out / "a.png"
        for device in ("cpu", "reference"):
            report = self.dir / "r.json"
            output, _ = self.run_program(source, "-o", target, "--on-conflict", "overwrite", "--stats", "--histogram",
                                         "--device", device, "--json", report)
            image, lines = json.loads(report.read_text())["images"][0], output.decode().splitlines()
            pixels, before = (read_png(path.read_bytes())[2] for path in (target, source))
            channels = {"r": pixels[::3], "g": pixels[1::3], "b": pixels[2::3], "a": bytes([255] * 1200),
                        "luma": [(299 * r + 587 * g + 114 * b + 500) // 1000
                                 for r, g, b in zip(pixels[::3], pixels[1::3], pixels[2::3])]}
            expected = {name: statistics_of(values) for name, values in channels.items()}
            found = {name: image["statistics"][name] for name in channels}
            for name, numbers in expected.items():
                self.assertEqual(list(found[name]), list(numbers))
                for key, value in numbers.items():
                    self.assertAlmostEqual(found[name][key], value, places=9, msg=f"{device}: {key} of {name}")
                self.assertEqual(image["histogram"][name], [list(channels[name]).count(i) for i in range(256)])
            self.assertEqual(lines[2].split(), list(channels))
            for line, key in zip(lines[3:19], expected["r"]):
                form = ".4f" if isinstance(expected["r"][key], float) else "d"
                self.assertEqual(line.split(), [key, *(format(found[name][key], form) for name in channels)])
            apart = [abs(a - b) for a, b in zip(before, pixels)]
            changed = sum(any(apart[i:i + 3]) for i in range(0, 3600, 3))
            change = image["change"]
            found = change["pixels"], change["changed_pixels"], change["max_difference"]
            self.assertEqual(found, (1200, changed, max(apart)))
            self.assertAlmostEqual(change["mean_absolute_difference"], sum(apart) / 3600, places=9)
            squared = sum(d * d for d in apart) / 3600
            self.assertAlmostEqual(change["psnr_db"], 10 * math.log10(255 * 255 / squared), places=9)
            self.assertIn(f"changed pixels:       {changed} of 1200", lines)
            self.assertIn(f"largest difference:   {max(apart)}", lines)
            self.assertIn(f"mean abs. difference: {change['mean_absolute_difference']:.6f}", lines)
            self.assertIn(f"PSNR:                 {change['psnr_db']:.3f} dB", lines)
            counts = [line.split("\t") for line in lines[lines.index("value\tr\tg\tb\ta\tluma") + 1:]]
            self.assertEqual(counts, [[str(i), *(str(image["histogram"][name][i]) for name in channels)]
                                      for i in range(256) if any(image["histogram"][name][i] for name in channels)])

    def test_statistics_say_what_they_took(self):
        image = self.report(self.picture("a.png", 40, 30), "--stats", "--device", "cpu")["images"][0]
        kernels = {}
        for row in image["timings"]:
            if row["stage"] == "kernel":
                kernels.setdefault(row["kernel"], []).append(row)
        for member, kernel, pixel in (("statistics", "histogram of the result", 4),
                                      ("source_statistics", "histogram of the source", 4)):
            with self.subTest(member=member):
                self.assertEqual(len(kernels.get(kernel, [])), 1, sorted(kernels))
                found = image[member]
                self.assertAlmostEqual(found["kernel_ms"], kernels[kernel][0]["ms"], places=6)
                self.assertAlmostEqual(found["gb_per_s"], pixel * 1200 / found["kernel_ms"] * 1e-6, places=6)
                self.assertGreater(found["peak_share"], 0)
        plain = self.report(self.picture("a.png", 40, 30), "--stats", "--device", "reference")["images"][0]
        for member in ("statistics", "source_statistics"):
            for name in ("kernel_ms", "gb_per_s", "peak_share"):
                self.assertIsNone(plain[member][name], f"{member}.{name} of what no device computed")

    def test_the_benchmark_runs_for_statistics_alone(self):
        cache = self.dir / "cache"
        source = self.picture("a.png", 40, 30)
        image = self.report(source, "--histogram", "--device", "cpu", env={"XDG_CACHE_HOME": str(cache)})["images"][0]
        self.assertEqual(sum(image["histogram"]["luma"]), 1200)
        self.assertNotIn("statistics", image)
        counted = [row["kernel"] for row in image["timings"] if row["stage"] == "kernel"
                   and "histogram" in row["kernel"]]
        self.assertEqual(counted, ["histogram of the result"])
        self.assertEqual(list(cache.rglob("bandwidth/*")), [])
        self.report(source, "--stats", "--device", "cpu", env={"XDG_CACHE_HOME": str(cache)})
        self.assertEqual(len(list(cache.rglob("bandwidth/*.ini"))), 1)


def read_numbers(path, width, height, channels):
    """The numbers of 16 bits in a PNG of one channel or of two."""
    data, position, packed = path.read_bytes(), 8, b""
    while position < len(data):
        size, kind = struct.unpack(">I4s", data[position:position + 8])
        body = data[position + 8:position + 8 + size]
        if kind == b"IHDR":
            assert struct.unpack(">IIBB", body[:10]) == (width, height, 16, 0 if channels == 1 else 4)
        packed += body if kind == b"IDAT" else b""
        position += 12 + size
    raw, stride, numbers = zlib.decompress(packed), 2 * channels * width, ()
    above = bytes(stride)
    for start in range(0, len(raw), 1 + stride):
        above = unfilter(raw[start], bytearray(raw[start + 1:start + 1 + stride]), above, 2 * channels)
        numbers += struct.unpack(f">{channels * width}H", above)
    return numbers


class Regions(HeadlessCase):
    def test_every_output_is_the_same_on_device_and_reference(self):
        source = self.picture("a.png", 53, 31)
        names = {"-o": "means.png", "--labels": "labels.npy", "--modes": "modes.npy", "--outlines": "outlines.png",
                 "--csv": "table.csv", "--json": "table.json"}
        found = []
        for device in (("--device", "cpu"), ("--devices", "cpu"), ("--device", "reference")):
            files = [part for option, name in names.items() for part in (option, self.out / name)]
            self.run_program(source, "--regions", "--min-region", "5", "--sp", "4", "--sr", "60", *device,
                             "--on-conflict", "overwrite", *files)
            found.append([(self.out / name).read_bytes() for name in names.values()])
        self.assertEqual(found[0], found[2])
        self.assertEqual(found[1], found[2])
        table = json.loads((self.out / "table.json").read_text())["regions"]
        rows = list(csv.DictReader(io.StringIO((self.out / "table.csv").read_text())))
        labels = struct.unpack(f"<{53 * 31}I", (self.out / "labels.npy").read_bytes()[-53 * 31 * 4:])
        self.check_table(source, labels, table)
        self.assertEqual(rows, [self.csv_row(region) for region in table])
        self.assertEqual(max(labels), len(table))
        self.assertGreater(len(table), 1)
        self.assertGreaterEqual(min(row["pixels"] for row in table), 5)
        modes = struct.unpack(f"<{53 * 31 * 2}I", (self.out / "modes.npy").read_bytes()[-53 * 31 * 8:])
        self.assertTrue(all(x < 53 and y < 31 for x, y in zip(modes[::2], modes[1::2])))
        self.check_pictures(source, labels, table)
        self.check_png(source, labels, modes)

    def check_table(self, source, labels, table):
        """Every number of each region, from the labels and the pixels of the picture."""
        pixels, regions = read_png(pathlib.Path(source).read_bytes())[2], {}
        for at, label in enumerate(labels):
            regions.setdefault(label, []).append(at)
        for region in table:
            places = regions.pop(region["label"])
            x, y = [at % 53 for at in places], [at // 53 for at in places]
            self.assertEqual([region[name] for name in ("pixels", "left", "top", "right", "bottom")],
                             [len(places), min(x), min(y), max(x), max(y)])
            self.assertAlmostEqual(region["x"], sum(x) / len(places))
            self.assertAlmostEqual(region["y"], sum(y) / len(places))
            for c, name in enumerate(("red", "green", "blue")):
                numbers = statistics_of([pixels[3 * at + c] for at in places])
                self.assertAlmostEqual(region["mean"][name], numbers["mean"])
                self.assertAlmostEqual(region["deviation"][name], numbers["stddev"])
            # The eight around each pixel, of which the first four share an edge with it; 0 is outside.
            around = [labels[53 * (b + dy) + a + dx] if 0 <= a + dx < 53 and 0 <= b + dy < 31 else 0
                      for dx, dy in ((0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1))
                      for a, b in zip(x, y)]
            self.assertEqual(region["perimeter"], sum(other != region["label"] for other in around[:4 * len(places)]))
            self.assertEqual(region["neighbours"], sorted(set(around) - {0, region["label"]}))
        self.assertEqual(regions, {})

    @staticmethod
    def csv_row(region):
        """A region of the report as a row of the table."""
        row = {name: str(region[name]) for name in ("label", "pixels", "left", "top", "right", "bottom")}
        row |= {name: f"{region[name]:.4f}" for name in ("x", "y")}
        row |= {f"{of}_{c}": f"{region[of][c]:.4f}" for of in ("mean", "deviation") for c in ("red", "green", "blue")}
        return row | {"neighbours": " ".join(map(str, region["neighbours"])), "perimeter": str(region["perimeter"])}

    def test_profile(self):
        for space, profile in (("rgb", None), ("lab", "sRGB")):
            table = self.out / f"{space}.json"
            self.run_program(self.picture("a.png", 53, 31), "--regions", "--space", space, "--device", "reference",
                             "--json", table)
            self.assertEqual(json.loads(table.read_text())["profile"], profile)

    def test_jpeg(self):
        self.run_program(self.picture("a.png", 53, 31), "--device", "reference", "-o", self.out / "a.jpg")
        self.run_program(self.out / "a.jpg", "--regions", "--labels", self.out / "a.npy", "--device", "reference")
        self.assertGreater((self.out / "a.npy").stat().st_size, 53 * 31 * 4)

    def check_pictures(self, source, labels, table):
        """Means are the table's; red outlines are where the label on the right or below is another."""
        original = read_png(pathlib.Path(source).read_bytes())[2]
        means, outlines = (read_png((self.out / name).read_bytes())[2] for name in ("means.png", "outlines.png"))
        for at, label in enumerate(labels):
            mean = table[label - 1]["mean"]
            self.assertEqual(list(means[3 * at:3 * at + 3]), [int(mean[c] + 0.5) for c in ("red", "green", "blue")])
            edge = (at % 53 < 52 and labels[at + 1] != label) or (at < 53 * 30 and labels[at + 53] != label)
            self.assertEqual(outlines[3 * at:3 * at + 3], b"\xff\0\0" if edge else original[3 * at:3 * at + 3])

    def check_png(self, source, labels, modes):
        """Labels and modes as PNG of 16 bits hold the same numbers."""
        self.run_program(source, "--regions", "--min-region", "5", "--sp", "4", "--sr", "60", "--device", "cpu",
                         "--labels", self.out / "labels.png", "--modes", self.out / "modes.png")
        self.assertEqual(read_numbers(self.out / "labels.png", 53, 31, 1), labels)
        self.assertEqual(read_numbers(self.out / "modes.png", 53, 31, 2), modes)

    def test_what_means_nothing_is_refused(self):
        source = self.picture("a.png")
        for arguments, part in ((["--rule", "replicate"], "--rule"), (["--kernel", "matrix"], "matrix"),
                                (["--device", "reference", "--rule", "replicate"], "rule")):
            _, error = self.run_program(source, "--regions", "-o", self.out / "x.png", *arguments, status=2)
            self.assertIn(part, error)
        for arguments in ([source, "--regions"], [source, source, "--regions", "-o", self.out / "x.png"],
                          [source, "--labels", self.out / "x.png"], [source, "--regions", "-o", source],
                          [source, "--regions", "--labels", self.out / "x.gif"]):
            _, error = self.run_program(*arguments, status=2)
            self.sentence(error)
        self.assertEqual(self.names(), [])


def convert(*arguments):
    """ImageMagick, whose codecs are independent of the program's."""
    subprocess.run(["convert", *map(str, arguments)], check=True, capture_output=True, timeout=600)


class Formats(HeadlessCase):
    """Formats from and for other programs; PNG stands beside them as the one that is the default."""

    SETTINGS = ("--device", "reference", "--sp", "2")

    def setUp(self):
        super().setUp()
        self.formats = {"tiff": "tif", "webp": "webp", "ppm": "ppm", "pam": "pam"}

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
            self.assertEqual(self.names(folder), sorted([f"one.{ending}",
                                                         *(f"two-{e}.{ending}" for e in self.formats.values())]))
            for file in self.names(folder):
                self.assertEqual(self.pixels(folder / file), expected, file)
            self.assertEqual({line["format"] for line in self.ended(manifest)}, {name})
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

    def test_a_pipeline_of_pixmaps(self):
        """As in convert | meanshift-lab | convert; of several images the first is filtered, which is said."""
        source = self.picture("a.png", 41, 23)
        stream = subprocess.run(["convert", source, "-depth", "8", "ppm:-"], check=True, capture_output=True).stdout
        piped, _ = self.run_program("-", "-o", "-", "--format", "ppm", *self.SETTINGS, stdin=stream)
        png = subprocess.run(["convert", "ppm:-", "-define", "png:color-type=2", "-depth", "8", "png:-"], check=True,
                             input=piped, capture_output=True).stdout
        self.assertEqual(read_png(png), self.result(source))
        twice, error = self.run_program("-", "-o", "-", "--format", "ppm", *self.SETTINGS, stdin=stream + stream)
        self.assertEqual(twice, piped)
        self.assertIn("only the first of its images was read", error)

    def test_formats_of_gdk_pixbuf_become_png(self):
        """Each by a process of its own: the program itself does not link the library."""
        version = subprocess.run([PROGRAM, "--version"], capture_output=True, check=True, text=True).stdout
        line, = re.findall("(?m)^gdk-pixbuf (.*)$", version)
        if "GIF" not in line:
            self.skipTest(f"gdk-pixbuf {line}")
        self.assertRegex(line, r"confined by .+")
        linked = subprocess.run(["ldd", PROGRAM], capture_output=True, check=True, text=True).stdout
        self.assertNotIn("gdk_pixbuf", linked)
        source = self.picture("a.png", 41, 23)
        convert(source, source, "-colors", "16", self.src / "moving.gif")
        convert(self.src / "moving.gif[0]", self.src / "b.gif")
        pathlib.Path(source).unlink()
        _, error = self.run_program(self.src, "-o", self.out, *self.SETTINGS)
        self.assertEqual(self.names(), ["b.png", "moving.png"])
        self.assertEqual(read_png((self.out / "b.png").read_bytes()), read_png((self.out / "moving.png").read_bytes()))
        self.assertIn("moving.gif': only the first of its 2 images was read.", error)
        piped, _ = self.run_program("-", "-o", "-", *self.SETTINGS, stdin=(self.src / "b.gif").read_bytes())
        self.assertEqual(read_png(piped), read_png((self.out / "b.png").read_bytes()))
        _, error = self.run_program(self.src / "b.gif", "-o", self.out / "x.gif", *self.SETTINGS, status=2)
        self.sentence(error, "x.gif")
        (self.src / "moving.gif").write_bytes(b"GIF89a" + bytes(range(64)))
        _, error = self.run_program(self.src, "-o", self.out, "--on-conflict", "overwrite", *self.SETTINGS, status=1)
        self.assertIn("moving.gif", error)

    def test_the_process_that_decodes_counts_as_memory(self):
        """24 MiB and 32 bytes a pixel, beside the pixels that it shares with the program, and as much for a device."""
        width, height = 640, 512
        source = self.src / "a.tga"
        source.write_bytes(struct.pack("<BBB9xHHBB", 0, 0, 10, width, height, 24, 0x20) +
                           b"\xff\1\2\3" * (width * height // 128))
        version = subprocess.run([PROGRAM, "--version"], capture_output=True, check=True, text=True).stdout
        if not re.search("(?m)^gdk-pixbuf .*TGA", version):
            self.skipTest("gdk-pixbuf has no module for TGA.")
        limit = 48 + 2 * (24 + 36 * width * height / (1 << 20)) // 1
        run = (source, "-o", self.out / "a.png", "--device", "reference", "--sp", "1", "--memory-limit")
        _, error = self.run_program(*run, f"{limit:.0f}M", status=1)
        needed = re.search(r"640x512 pixels and needs (\d+) MiB, more than --memory-limit allows", error)
        self.assertAlmostEqual(int(needed[1]), limit, delta=2)
        self.assertEqual(self.names(), [])
        self.run_program(*run, f"{needed[1]}M")
        self.assertEqual(self.names(), ["a.png"])

    def test_greymaps_become_pixmaps(self):
        source = self.picture("a.png", 41, 23)
        for ending in ("pgm", "pbm"):
            convert(source, self.src / f"b-{ending}.{ending}")
        pathlib.Path(source).unlink()
        self.run_program(self.src, "-o", self.out, *self.SETTINGS)
        self.assertEqual(self.names(), ["b-pbm.ppm", "b-pgm.ppm"])
        _, error = self.run_program(self.src / "b-pgm.pgm", "-o", self.out / "x.pgm", *self.SETTINGS, status=2)
        self.assertIn(".ppm", error)

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
        arguments = (source, "-o", self.out / "a.webp", "--manifest", self.dir / "m.jsonl", "--on-conflict",
                     "overwrite", "--resume", *self.SETTINGS)
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

    def test_reduced_samples_are_said_once_a_batch(self):
        source = self.picture("a.png")
        for i in range(3):
            convert(source, "-depth", "16", self.src / f"deep{i}.ppm")
        pathlib.Path(source).unlink()
        twice = (self.src / "deep1.ppm").read_bytes() * 2
        (self.src / "more.ppm").write_bytes(twice)
        report = self.dir / "r.json"
        _, error = self.run_program(self.src, "-o", self.out, "--json", report, *self.SETTINGS)
        self.assertEqual(error.count("16 bits a sample were reduced to 8"), 2, error)
        self.assertIn("deep0.ppm': its 16 bits a sample were reduced to 8.", error)
        self.assertIn("more.ppm': its 16 bits a sample were reduced to 8; only the first of its images was read", error)
        self.assertEqual(error.count("Further images of more than 8 bits"), 1)
        notes = [image["note"] for image in json.loads(report.read_text())["images"]]
        self.assertEqual([("16 bits" in note) for note in notes], [True] * 4)

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
        found = subprocess.run(["compare", "-metric", "AE", target, peer, "null:"], capture_output=True, timeout=600,
                               check=False)
        # Version 7 adds the normalised number.
        self.assertEqual((found.returncode, found.stderr.split()[0]), (0, b"0"))

    def test_what_webp_cannot_hold_is_said_before_any_work(self):
        if "webp" not in self.formats:
            self.skipTest("no WebP in this build")
        write_png(self.src / "wide.png", 16384, 1, rows=[bytes(16384 * 3)])
        _, error = self.run_program(self.src / "wide.png", "-o", self.out / "x.webp", *self.SETTINGS, status=1)
        self.sentence(error, "wide.png", "16383")

if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
