#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Files of every kind that is read, by running the program: their pixels are those that the format's arithmetic and
independent readers give (Pillow, ImageMagick), or the sentence names a command that converts them."""

import json
import os
import pathlib
import struct
import subprocess
import sys
import unittest

try:
    import numpy
except ImportError:
    print("python3-numpy is not installed, so that nothing reads the files.", file=sys.stderr)
    sys.exit(1 if os.environ.get("CI") else 77)

from headless import HeadlessCase, PROGRAM

REPORTS = pathlib.Path(os.environ.get("MS_TEST_IMAGES", "/nonexistent")) / "reports"
AS_THEY_ARE = ("--device", "reference", "--sp", "1", "--sr", "0")


def read_pam(path):
    """The pixels of a PAM file as rows x columns x 4."""
    head, _, body = path.read_bytes().partition(b"ENDHDR\n")
    fields = dict(line.split(" ", 1) for line in head.decode().splitlines() if " " in line)
    width, height, depth = (int(fields[name]) for name in ("WIDTH", "HEIGHT", "DEPTH"))
    pixels = numpy.frombuffer(body, numpy.uint8).reshape(height, width, depth)
    return pixels if depth == 4 else numpy.dstack([pixels, numpy.full((height, width), 255, numpy.uint8)])


class ReaderCase(HeadlessCase):
    def read(self, *paths):
        """The pixels of each file and what is said of it; no pixels where it is refused, with the reason."""
        run = subprocess.run([PROGRAM, "--headless", *map(str, paths), "-o", self.out, "--format", "pam", "--name",
                              "{seq}", "--on-conflict", "overwrite", "--json", "-", *AS_THEY_ARE],
                             stdout=subprocess.PIPE, check=False, timeout=120)
        results = []
        for image in json.loads(run.stdout)["images"]:
            done = image["status"] == "done"
            results.append((read_pam(pathlib.Path(image["output"])) if done else None,
                            image.get("note" if done else "error") or ""))
        return results

    def given(self, name):
        """A small file of a kind that once went wrong."""
        path = REPORTS / name
        if not path.is_file():
            self.skipTest(f"{path} is not there; set MS_TEST_IMAGES to the folder of pictures.")
        return path

    def start(self, name):
        """The first two pixels of such a file."""
        (pixels, note), = self.read(self.given(name))
        return None if pixels is None else pixels[0, :2].tolist(), note


class Jpeg(ReaderCase):
    def test_cmyk_without_adobe_s_marker(self):
        """Right as Pillow, ImageMagick and OpenCV have it."""
        pixels, note = self.start("cmyk-without-marker.jpg")
        self.assertEqual(pixels, [[255, 0, 0, 255]] * 2)
        self.assertIn("CMYK", note)


UNSIGNED, SIGNED, FLOAT = 1, 2, 3
WIDTH, BITS, PHOTOMETRIC, OFFSETS, COUNTS = 256, 258, 262, 273, 279


def pack(samples, bits, kind, order):
    """The bytes of a row of samples, which are numbers of bits and the kind."""
    whole = {(16, FLOAT): "e", (32, FLOAT): "f", (64, FLOAT): "d", (8, SIGNED): "b", (16, SIGNED): "h",
             (32, SIGNED): "i", (8, UNSIGNED): "B", (16, UNSIGNED): "H", (32, UNSIGNED): "I"}.get((bits, kind))
    if whole:
        return struct.pack(f"{order}{len(samples)}{whole}", *samples)
    if bits == 24:
        return b"".join(int(s).to_bytes(3, "little" if order == "<" else "big") for s in samples)
    text = "".join(f"{s:0{bits}b}" for s in samples)
    return int(text.ljust(-len(text) % 8 + len(text), "0"), 2).to_bytes((len(text) + 7) // 8, "big")


def tiff(rows, bits=8, kind=UNSIGNED, order="<", channels=1, photometric=1, extra=(), tags=()):
    """An uncompressed file of one strip. tags: (number, type, count, value, offset or bytes), in place of others."""
    data = b"".join(pack(row, bits, kind, order) for row in rows)
    fields = {WIDTH: (4, 1, len(rows[0]) // channels), 257: (4, 1, len(rows)), BITS: (3, channels, None),
              259: (4, 1, 1), PHOTOMETRIC: (4, 1, photometric), OFFSETS: (4, 1, 8), 277: (4, 1, channels),
              278: (4, 1, len(rows)), COUNTS: (4, 1, len(data)), 284: (4, 1, 1), 339: (3, channels, None)}
    if extra:
        fields[338] = (3, 1, extra[0] << 16 if order == ">" else extra[0])
    fields.update({tag[0]: tag[1:] for tag in tags})
    data += b"\0" * (len(data) % 2)
    directory_at = 8 + len(data)
    after = directory_at + 2 + 12 * len(fields) + 4
    tables = b""
    directory = struct.pack(order + "H", len(fields))
    for number, (form, count, value) in sorted(fields.items()):
        if value is None:
            value = struct.pack(f"{order}{count}H", *[bits if number == BITS else kind] * count)
        if isinstance(value, bytes):
            table = value + b"\0" * (len(value) % 2)
            value = int.from_bytes(table.ljust(4, b"\0"), "little" if order == "<" else "big")
            if len(table) > 4:
                value = after + len(tables)
                tables += table
        directory += struct.pack(order + "HHII", number, form, count, value)
    mark = b"II*\0" if order == "<" else b"MM\0*"
    return mark + struct.pack(order + "I", directory_at) + data + directory + b"\0" * 4 + tables


class Tiff(ReaderCase):
    def write(self, name, content):
        path = self.src / name
        path.write_bytes(content)
        return path

    def test_samples_of_every_size(self):
        """The least becomes 0, the greatest 255, and what lies between is rounded."""
        cases = []
        for order in "<>":
            for bits in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 20, 24, 31, 32):
                most = 2 ** bits - 1
                values = [[min(most, (most * i + 7 * j) // 12) for i in range(13)] for j in range(3)]
                wanted = [[(v * 510 + most) // (2 * most) for v in row] for row in values]
                cases.append((order, bits, UNSIGNED, values, wanted))
                if bits in (8, 16, 32):
                    signed = [[v - 2 ** (bits - 1) for v in row] for row in values]
                    cases.append((order, bits, SIGNED, signed, wanted))
            for bits in (16, 32, 64):
                values = [[-1.0, 0.0, 2.0 ** -24, 1 / 512, 0.25, 0.5, 0.75, 1.0, 60000.0, numpy.inf, numpy.nan]] * 2
                cases.append((order, bits, FLOAT, values, [[0, 0, 0, 0, 64, 128, 191, 255, 255, 255, 0]] * 2))
        paths = [self.write(f"{i}.tif", tiff(values, bits, kind, order))
                 for i, (order, bits, kind, values, _) in enumerate(cases)]
        for case, (pixels, note) in zip(cases, self.read(*paths)):
            self.assertIsNotNone(pixels, (case, note))
            self.assertEqual(pixels[..., 0].tolist(), case[4], case[:3])
            self.assertEqual(pixels[..., 2].tolist(), case[4], case[:3])
            self.assertEqual("reduced to 8" in note, case[1] > 8, case[:3])

    def test_colours_of_odd_sizes(self):
        """Three samples a pixel that do not end where bytes end."""
        for bits in (5, 10, 12, 14):
            most = 2 ** bits - 1
            rows = [[(i * 37 + j * 11) % (most + 1) for i in range(15)] for j in range(4)]
            (pixels, note), = self.read(self.write("c.tif", tiff(rows, bits, channels=3, photometric=2)))
            self.assertIsNotNone(pixels, note)
            self.assertEqual(pixels[..., :3].reshape(4, 15).tolist(),
                             [[(v * 510 + most) // (2 * most) for v in row] for row in rows])

    def test_given_samples(self):
        """Right as tifffile has the samples, the full range on 0 to 255."""
        for name in ("signed-16-bit.tif", "half-float.tif"):
            pixels, note = self.start(name)
            self.assertEqual([p[0] for p in pixels], [0, 17])
            self.assertIn("16 bits", note)

    def test_kinds_that_are_not_read_name_a_command(self):
        inks = tiff([[1] * 8] * 2, 12, channels=4, photometric=5)
        for name, content in (("complex.tif", tiff([[1, 2]] * 2, 32, 5)), ("inks.tif", inks)):
            (pixels, error), = self.read(self.write(name, content))
            self.assertIsNone(pixels)
            self.assertIn("magick FILE", error)
            self.assertNotIn("damaged", error)

    def test_tags_that_no_pixel_depends_on(self):
        """Right as Pillow, OpenCV and GDAL read them: the pixels of the file without the tag."""
        rows = [[5 * (i + j) for i in range(13)] for j in range(3)]
        far = 0x7fffff00
        broken = [(40000, 1, 0, 0), (40001, 99, 1, 7), (40002, 0, 1, 7), (40003, 4, 1000, far),
                  (40004, 12, 0x40000000, 8), (65535, 13, 3, far), (700, 1, 500, far), (34675, 7, 5000, far),
                  (34377, 1, 0, 0), (305, 2, 0, 0), (306, 2, 20, far), (282, 5, 1, far), (33723, 4, 9, far), (34735, 3, 40, far),
                  (33550, 12, 3, far), (42113, 2, 9, far), (34665, 4, 1, far), (330, 4, 1, far), (333, 2, 7, far), (301, 3, 3, far)]
        paths = [self.write(f"{i}.tif", tiff(rows, order=order, tags=[tag]))
                 for order in "<>" for i, tag in enumerate(broken)]
        for tag, (pixels, note) in zip(broken * 2, self.read(*paths)):
            self.assertIsNotNone(pixels, (tag, note))
            self.assertEqual(pixels[..., 1].tolist(), rows, tag)
        for name in ("private-tag-without-count.tif", "private-tag-of-type-99.tif"):
            self.assertEqual(self.start(name), ([[0, 5, 10, 255], [15, 20, 25, 255]], ""))

    def test_tags_that_pixels_depend_on(self):
        rows = [[5 * (i + j) for i in range(13)] for j in range(3)]
        for tag in ((OFFSETS, 4, 1, 0x7fffff00), (OFFSETS, 99, 1, 8), (BITS, 99, 1, 8), (WIDTH, 4, 0, 0)):
            (pixels, error), = self.read(self.write("bad.tif", tiff(rows, tags=[tag])))
            self.assertIsNone(pixels, tag)
            self.assertIn("damaged", error)


PLACE = ((33550, 12, 3, struct.pack("<3d", 10, 10, 0)), (33922, 12, 6, struct.pack("<6d", 0, 0, 0, 6e5, 5.2e6, 0)))
NO_DATA = ((42113, 2, 2, b"0\0\0\0"),)
ON_READING = "its value of pixels without data was not kept"
ON_WRITING = "the value of pixels without data could not be kept"


class Losses(ReaderCase):
    """Whatever a file loses is said by every way to write it, and nothing else is."""

    def check(self, content, target, *parts, more=()):
        source = self.src / "source.tif"
        source.write_bytes(content)
        for way in ([], ["--regions"]):
            _, error = self.run_program(source, *way, "-o", self.out / target, "--on-conflict", "overwrite",
                                        *AS_THEY_ARE, *more)
            clauses = [c for line in error.splitlines() for c in line.split(": ", 2)[2].rstrip(".").split("; ")]
            self.assertEqual(len(clauses), len(parts), (way, error))
            for part in parts:
                self.assertIn(part, error, way)

    def test_every_loss_is_said(self):
        rgb = [[20 * i % 256 for i in range(24)]] * 4
        rgba = [[20 * i % 256 for i in range(32)]] * 4
        deep = [[2000 * i % 65536 for i in range(24)]] * 4
        kinds = {"channels": 3, "photometric": 2}
        alpha = {"channels": 4, "photometric": 2, "extra": (2,)}
        self.check(tiff(rgb, **kinds), "a.png")
        self.check(tiff(rgb, tags=PLACE + NO_DATA, **kinds), "a.tif")
        self.check(tiff(rgb, tags=PLACE + NO_DATA, **kinds), "a.png", "the place on the map", ON_WRITING)
        self.check(tiff(rgb, tags=PLACE, **kinds), "a.webp", "the place on the map could not be kept")
        self.check(tiff(rgb, tags=NO_DATA, **kinds), "a.jpg", ON_WRITING)
        self.check(tiff(deep, 16, tags=PLACE + NO_DATA, **kinds), "a.tif", "its 16 bits a sample", ON_READING)
        turned = ((274, 3, 1, 3),)
        self.check(tiff(rgb, tags=PLACE + NO_DATA + turned, **kinds), "a.tif", "its place on the map was not kept")
        self.check(tiff(rgba, **alpha), "a.png")
        self.check(tiff(rgba, **alpha), "a.jpg", "composed on white")
        self.check(tiff(rgba, tags=PLACE, **alpha), "a.ppm", "composed on white", "the place on the map")
        self.check(tiff([[9 * i for i in range(20)]] * 4, channels=5, photometric=2), "a.png", "its channels beside")
        self.check(tiff([[9 * i for i in range(20)]] * 4, channels=5, photometric=5, extra=(2,)), "a.png",
                   "its transparency was not read", "converted by a formula")

    def test_labels_without_a_place(self):
        source = self.src / "source.tif"
        source.write_bytes(tiff([[20 * i % 256 for i in range(24)]] * 4, channels=3, photometric=2, tags=PLACE))
        for name, lost in (("l.tif", False), ("l.npy", True), ("l.png", True)):
            _, error = self.run_program(source, "--regions", "--labels", self.out / name, *AS_THEY_ARE)
            self.assertEqual("the place on the map could not be kept" in error, lost, name)

    def test_inks_with_alpha(self):
        """ImageMagick reads alpha there, so that its loss is said."""
        self.assertIn("its transparency was not read", self.start("cmyk-and-alpha.tif")[1])


if __name__ == "__main__":
    unittest.main(verbosity=2)
