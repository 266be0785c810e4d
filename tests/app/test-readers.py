#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Files of every kind that is read, by running the program: their pixels are those that the format's arithmetic and
independent readers give (Pillow, ImageMagick), or the sentence names a command that converts them."""

import io
import itertools
import json
import os
import pathlib
import random
import re
import struct
import subprocess
import sys
import unittest
import zlib

try:
    import numpy
    from PIL import Image, ImageCms, ImageOps
except ImportError:
    print("python3-pil or python3-numpy is not installed, so that nothing reads the files.", file=sys.stderr)
    sys.exit(1 if os.environ.get("CI") else 77)

from headless import chunk, HeadlessCase, PROGRAM

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

    def write(self, name, content):
        path = self.src / name
        path.write_bytes(content)
        return path

    def assert_pixels(self, result, wanted, most=0, name=""):
        """Pixels that are transparent in both may have any colour."""
        pixels, note = result
        self.assertIsNotNone(pixels, (name, note))
        self.assertEqual(pixels.shape, wanted.shape, name)
        difference = numpy.abs(pixels.astype(int) - wanted.astype(int))
        difference[(pixels[..., 3] == 0) & (wanted[..., 3] == 0)] = 0
        self.assertLessEqual(difference.max(), most, name)

    def needs(self, title):
        """Skips the test where gdk-pixbuf has no module for the format."""
        text = subprocess.run([PROGRAM, "--version"], capture_output=True, check=True, text=True).stdout
        if title not in re.search(r"(?m)gdk-pixbuf.*$", text)[0]:
            self.skipTest(f"gdk-pixbuf has no module for {title}.")

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

    def test_orientation_of_any_type(self):
        """As Pillow turns them: an orientation that is no SHORT, which cameras and editors have written."""
        picture = Image.fromarray(numpy.arange(16 * 24 * 3, dtype=numpy.uint32).reshape(16, 24, 3).astype(numpy.uint8))
        for order, kind in itertools.product("<>", (3, 4, 8, 9)):
            value = struct.pack(order + {3: "H2x", 4: "I", 8: "h2x", 9: "i"}[kind], 6)
            exif = b"Exif\0\0" + (b"II*\0" if order == "<" else b"MM\0*") + \
                struct.pack(order + "IHHHI", 8, 1, 274, kind, 1) + value + bytes(4)
            content = io.BytesIO()
            picture.save(content, "jpeg", quality=95, exif=exif)
            path = self.write("turned.jpg", content.getvalue())
            with Image.open(path) as opened:
                wanted = numpy.array(ImageOps.exif_transpose(opened).convert("RGBA"))
            self.assertEqual(wanted.shape[0], 24)
            self.assert_pixels(self.read(path)[0], wanted, 0, (order, kind))


class Png(ReaderCase):
    NOTE = "a damaged part that no pixel depends on was left out"

    def test_damaged_parts(self):
        """Right as libpng's default and browsers have it: a chunk that no pixel depends on may be damaged."""
        head = chunk(b"IHDR", struct.pack(">IIBBBBB", 2, 1, 8, 2, 0, 0, 0))
        body = chunk(b"IDAT", zlib.compress(b"\0\x0a\x14\x1e\x28\x32\x3c"))
        for kind, behind in itertools.product((b"tEXt", b"iTXt", b"iCCP", b"cLLI", b"gAMA", b"prVt", b"tRNS", b"eXIf",
                                               b"tSNS", b"sUIT"), (False, True)):
            part = chunk(kind, b"some bytes")[:-1] + b"?"
            path = self.write("a.png", b"\x89PNG\r\n\x1a\n" + head + (body + part if behind else part + body) +
                              chunk(b"IEND", b""))
            (pixels, note), = self.read(path)
            if kind in (b"tRNS", b"eXIf", b"tSNS"):
                self.assertIsNone(pixels, kind)
                self.assertIn("is a damaged PNG file", note)
            else:
                self.assertIsNotNone(pixels, (kind, note))
                self.assertEqual(pixels[0].tolist(), [[10, 20, 30, 255], [40, 50, 60, 255]])
                self.assertTrue(behind or self.NOTE in note, (kind, note))


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
    def test_samples_of_every_size(self):
        """The least becomes 0, the greatest 255, and what lies between is rounded."""
        cases = []
        for order, bits in itertools.product("<>", (1, 2, 4, 8, 16)):
            most = 2 ** bits - 1
            values = [[min(most, (most * i + 7 * j) // 12) for i in range(13)] for j in range(3)]
            cases.append((order, bits, values, [[(v * 510 + most) // (2 * most) for v in row] for row in values]))
        paths = [self.write(f"{i}.tif", tiff(values, bits, UNSIGNED, order))
                 for i, (order, bits, values, _) in enumerate(cases)]
        for case, (pixels, note) in zip(cases, self.read(*paths)):
            self.assertIsNotNone(pixels, (case, note))
            self.assertEqual(pixels[..., 0].tolist(), case[3], case[:2])
            self.assertEqual(pixels[..., 2].tolist(), case[3], case[:2])
            self.assertEqual("reduced to 8" in note, case[1] > 8, case[:2])

    def test_colours_of_few_bits(self):
        """Three samples a pixel that do not end where bytes end."""
        for bits in (2, 4):
            most = 2 ** bits - 1
            rows = [[(i * 37 + j * 11) % (most + 1) for i in range(15)] for j in range(4)]
            (pixels, note), = self.read(self.write("c.tif", tiff(rows, bits, channels=3, photometric=2)))
            self.assertIsNotNone(pixels, note)
            self.assertEqual(pixels[..., :3].reshape(4, 15).tolist(),
                             [[(v * 510 + most) // (2 * most) for v in row] for row in rows])

    def test_palettes_with_transparency(self):
        """A sample of transparency, or one that says nothing, beside the index into a palette."""
        for bits, order in itertools.product((4, 8), "<>"):
            most = 2 ** bits - 1
            palette = [[(i * 9001 + k * 2003) % 65536 for i in range(most + 1)] for k in range(3)]
            packed = struct.pack(f"{order}{3 * (most + 1)}H", *palette[0], *palette[1], *palette[2])
            indices = [[(i * 5 + j) % (most + 1) for i in range(8)] for j in range(3)]
            alphas = [[most - v for v in row] for row in indices]
            rows = [[v for pair in zip(*pairs) for v in pair] for pairs in zip(indices, alphas)]
            content = tiff(rows, bits, order=order, channels=2, photometric=3, extra=(2,),
                           tags=[(320, 3, 3 * (most + 1), packed)])
            (pixels, note), = self.read(self.write("p.tif", content))
            self.assertIsNotNone(pixels, (bits, order, note))
            wanted = [[[(palette[k][v] * 510 + 65535) // 131070 for k in range(3)] + [(a * 510 + most) // (2 * most)]
                       for v, a in zip(*pairs)] for pairs in zip(indices, alphas)]
            self.assertEqual(pixels.tolist(), wanted, (bits, order))

    def test_colours_multiplied_by_transparency(self):
        """Divided before they are reduced to 8 bits, so that faint pixels have their colours."""
        shares, colours, one = [0, 0.004, 0.02, 0.1, 0.5, 1], [0.1, 0.4, 0.8], 2 ** 16 - 1
        row = [round(v * a * one) for a in shares for v in colours + [1]]
        (pixels, note), = self.read(self.write("m.tif", tiff([row] * 2, 16, channels=4, photometric=2, extra=(1,))))
        self.assertIsNotNone(pixels, note)
        for pixel, stored in zip(pixels[0].tolist()[1:], zip(*[iter(row[4:])] * 4)):
            for value, sample in zip(pixel[:3], stored):
                self.assertAlmostEqual(value, sample * 255 / stored[3], delta=0.51)

    def test_kinds_that_are_not_read_name_a_command(self):
        inks = tiff([[1] * 8] * 2, 12, channels=4, photometric=5)
        more_inks = tiff([[1] * 8] * 2, 16, channels=4, photometric=5)
        kinds = [(32, 5), (12, UNSIGNED), (24, UNSIGNED), (32, UNSIGNED), (8, SIGNED), (16, SIGNED), (16, FLOAT),
                 (32, FLOAT), (64, FLOAT)]
        paths = [self.write(f"{bits}-{kind}.tif", tiff([[0, 1]] * 2, bits, kind)) for bits, kind in kinds]
        paths += [self.write("inks.tif", inks), self.write("m.tif", more_inks)]
        for pixels, error in self.read(*paths):
            self.assertIsNone(pixels)
            self.assertNotIn("Sorry", error)
            self.assertIn("magick FILE", error)
            self.assertNotIn("damaged", error)
        for name in ("signed-16-bit.tif", "half-float.tif"):
            pixels, error = self.start(name)
            self.assertIn("magick FILE", error)
            self.assertIsNone(pixels)

    def test_tags_that_no_pixel_depends_on(self):
        """Right as Pillow, OpenCV and GDAL read them: the pixels of the file without the tag."""
        rows = [[5 * (i + j) for i in range(13)] for j in range(3)]
        far = 0x7fffff00
        broken = [(40000, 1, 0, 0), (40001, 99, 1, 7), (40002, 0, 1, 7), (40003, 4, 1000, far),
                  (40004, 12, 0x40000000, 8), (65535, 13, 3, far), (700, 1, 500, far), (34675, 7, 5000, far),
                  (34377, 1, 0, 0), (305, 2, 0, 0), (306, 2, 20, far), (282, 5, 1, far), (33723, 4, 9, far),
                  (34735, 3, 40, far), (33550, 12, 3, far), (42113, 2, 9, far), (34665, 4, 1, far), (330, 4, 1, far),
                  (333, 2, 7, far), (301, 3, 3, far)]
        paths = [self.write(f"{i}.tif", tiff(rows, order=order, tags=[tag]))
                 for order in "<>" for i, tag in enumerate(broken)]
        for tag, (pixels, note) in zip(broken * 2, self.read(*paths)):
            self.assertIsNotNone(pixels, (tag, note))
            self.assertEqual(pixels[..., 1].tolist(), rows, tag)
        for name in ("private-tag-without-count.tif", "private-tag-of-type-99.tif"):
            self.assertEqual(self.start(name), ([[0, 5, 10, 255], [15, 20, 25, 255]], ""))

    def test_tags_that_pixels_depend_on(self):
        rows = [[5 * (i + j) for i in range(13)] for j in range(3)]
        for tag in ((278, 4, 1, 0), (OFFSETS, 4, 1, 0x7fffff00), (OFFSETS, 99, 1, 8), (BITS, 99, 1, 8),
                    (WIDTH, 4, 0, 0)):
            (pixels, error), = self.read(self.write("bad.tif", tiff(rows, tags=[tag])))
            self.assertIsNone(pixels, tag)
            self.assertIn("damaged", error)
            self.assertEqual(error.count("bad.tif"), 1, error)


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


def by_pillow(content):
    return numpy.array(Image.open(io.BytesIO(content)).convert("RGBA"))


def by_command(sentence, path):
    """The pixels that the command gives which a refusal names; `convert` is Debian 12's `magick`."""
    target = path.with_suffix(".pam")
    command = re.search(r"'(magick FILE .*?)'", sentence)[1]
    for word, own in (("magick", "convert"), ("FILE", path), ("meanshift-lab", PROGRAM), ("OUTPUT", target)):
        command = command.replace(word, str(own), 1)
    subprocess.run(f"{command} {' '.join(AS_THEY_ARE)}", shell=True, check=True)
    return read_pam(target)


def saved(pictures, form, **options):
    content = io.BytesIO()
    pictures[0].save(content, form, append_images=pictures[1:], save_all=len(pictures) > 1, **options)
    return content.getvalue()


def icon(parts, kind=1):
    """A file of icons: (width, height, content)."""
    head, body = struct.pack("<HHH", 0, kind, len(parts)), b""
    for width, height, content in parts:
        bits = 32 if content[:1] == b"\x89" else content[14]
        head += struct.pack("<BBBBHHII", width, height, 0, 0, 1, bits, len(content), 6 + 16 * len(parts) + len(body))
        body += content
    return head + body


def bitmap(width, height, bits, rng, palette=None):
    """The content of an icon: noise with a mask."""
    row, mask_row = (width * bits + 31) // 32 * 4, (width + 31) // 32 * 4
    if palette is None:
        palette = b"".join(rng.randbytes(3) + b"\0" for _ in range(2 ** bits if bits <= 8 else 0))
    pixels, mask = rng.randbytes(row * height), rng.randbytes(mask_row * height)
    return struct.pack("<IiiHHIIiiII", 40, width, height * 2, 1, bits, 0, 0, 0, 0, 0, 0) + palette + pixels + mask


class Further(ReaderCase):
    """Of several pictures the first is read, in every format, and that is said."""

    RED, GREEN = Image.new("RGBA", (8, 8), (255, 0, 0, 255)), Image.new("RGBA", (8, 8), (0, 255, 0, 255))

    def check(self, path, n):
        result, = self.read(path)
        self.assert_pixels(result, numpy.full((8, 8, 4), (255, 0, 0, 255), numpy.uint8), 2, path)
        self.assertIn(f"only the first of its {n}images was read", result[1])

    def test_given_animations(self):
        for name in ("two-pictures.png", "two-pictures.webp"):
            self.check(self.given(name), "2 ")

    def test_pillow_s(self):
        pictures = [self.RED, self.GREEN, self.RED]
        for form, n in (("png", "3 "), ("webp", "3 "), ("tiff", "")):
            self.check(self.write(f"a.{form}", saved(pictures, form)), n)
        self.needs("GIF")
        self.check(self.write("a.gif", saved([p.convert("RGB") for p in pictures], "gif")), "3 ")
        self.check(self.given("two-pictures.gif"), "2 ")

    def test_a_picture_before_the_animation(self):
        """Pillow's default image is none of the frames."""
        first = io.BytesIO()
        self.RED.save(first, "png", save_all=True, default_image=True, append_images=[self.GREEN, self.GREEN.rotate(9)])
        self.check(self.write("a.png", first.getvalue()), "3 ")

    def test_icons(self):
        """Of each icon the first, also where it is PNG, as ImageMagick reads it as FILE[0]."""
        rng = random.Random(3)
        self.needs("ICO")
        small, large = bitmap(8, 8, 32, rng), bitmap(16, 16, 32, rng)
        for parts in ([(8, 8, small), (16, 16, large)], [(16, 16, large), (8, 8, small)]):
            path = self.write("a.ico", icon(parts))
            (pixels, note), = self.read(path)
            self.assert_pixels((pixels, note), by_pillow(icon(parts[:1])))
            self.assertIn("only the first of its 2 images was read", note)
        self.check(self.write("p.ico", icon([(8, 8, saved([self.RED], "png")), (16, 16, large)])), "2 ")
        self.assertEqual(self.start("png-inside.ico"), ([[200, 100, 50, 128]] * 2, ""))

    def test_avif(self):
        """Made by avifenc of one red and one green picture."""
        self.needs("AVIF")
        self.check(self.write("a.avif", bytes.fromhex(ANIMATED_AVIF)), "")

    def test_losses_of_avif(self):
        self.needs("AVIF")
        result, = self.read(self.write("a.avif", bytes.fromhex(DEEP_AVIF)))
        self.assert_pixels(result, numpy.full((8, 8, 4), (255, 0, 0, 255), numpy.uint8), 2)
        self.assertIn("its 10 bits a sample were reduced to 8; its EXIF data were not read", result[1])

    def test_damage_behind_the_first(self):
        """A later picture of an animation is not looked at."""
        self.needs("GIF")
        whole = saved([self.RED.convert("RGB"), self.GREEN.convert("RGB")], "gif")
        self.check(self.write("cut.gif", whole[:-8]), "2 ")


class Others(ReaderCase):
    """What gdk-pixbuf decodes is as by the arithmetic of the format, Pillow and ImageMagick, or is refused."""

    def test_tga(self):
        """Every kind: Pillow knows no palette of 32 bits or transparency of one, ImageMagick no place of the origin."""
        self.needs("TGA")
        rng, cases = random.Random(1), []
        for first, depth, place, runs in itertools.product((0, 1, 3), (15, 16, 24, 32), range(4), (False, True)):
            palette = [rng.randbytes((depth + 7) // 8) for _ in range(7)]
            pixels = [bytes([first + rng.randrange(7)]) for _ in range(40)]
            cases.append((first == 0 and depth > 16, Tga(1, 8, pixels, place, runs, 0, palette, first, depth)))
        for (kind, bits), attributes, place, runs in itertools.product(
                ((2, 15), (2, 16), (2, 24), (2, 32), (3, 8), (3, 16)), (0, 1, 8), range(4), (False, True)):
            pixels = [rng.randbytes((bits + 7) // 8) for _ in range(20)] * 2
            good = bits == 24 or (bits == 32 and attributes > 0) or (kind == 3 and bits == 8) or \
                (kind == 2 and bits == 16 and attributes == 0)
            if (bits, attributes) != (32, 0):
                cases.append((good, Tga(kind, bits, pixels, place, runs, attributes)))
            if place == 0:  # colours beside a palette that none refers to
                cases.append((False, Tga(kind, bits, pixels, place, runs, attributes, [b"abc"] * 2, 0, 24)))
        paths = [self.write(f"{i}.tga", tga.content()) for i, (_, tga) in enumerate(cases)]
        for path, (is_read, tga), (pixels, note) in zip(paths, cases, self.read(*paths)):
            if is_read:
                self.assert_pixels((pixels, note), tga.pixels(), 1, vars(tga))
            else:
                self.assertIsNone(pixels, vars(tga))
                self.assertIn("magick FILE", note, vars(tga))
        for name, right in (("palette-16-bit.tga", [[255, 0, 0, 255], [0, 0, 255, 255]]),
                            ("palette-first-index-1.tga", [[255, 0, 0, 255], [0, 0, 255, 255]]),
                            ("attribute-bit.tga", [[255, 0, 0, 255], [0, 0, 255, 0]])):
            (pixels, error), = self.read(self.given(name))
            self.assertIsNone(pixels)
            copy = self.write(name, self.given(name).read_bytes())
            self.assertEqual(by_command(error, copy)[0, :2].tolist(), right)

    def test_bmp(self):
        """Every kind, also with short palettes and gaps, which the module takes for pixels by itself."""
        self.needs("BMP")
        rng, cases = random.Random(8), []
        for bits, size, top_down in itertools.product((1, 4, 8), (12, 40, 124), (False, True)):
            for colours, used, gap in ((2 ** bits, 0, 0), (2 ** bits, 2 ** bits, 7), (2, 2, 0), (2, 0, 0), (2, 999, 0)):
                if size > 12 or (used == 0 and not top_down):
                    cases.append((True, Bmp(bits, rng, size, top_down, colours=colours, used=used, gap=gap)))
        for bits, size, top_down, gap in itertools.product((16, 24, 32), (12, 40, 124), (False, True), (0, 9)):
            if size > 12 or (bits == 24 and not top_down):
                cases.append((True, Bmp(bits, rng, size, top_down, gap=gap)))
        for good, bits, masks in ((True, 16, (0xf800, 0x7e0, 0x1f, 0)), (True, 32, (0xff, 0xff00, 0xff0000, 0)),
                                  (True, 32, (0xff0000, 0xff00, 0xff, 0xff000000)),
                                  (False, 16, (0xf00, 0xf0, 15, 0xf000)), (False, 32, (0xe0, 0x1c, 3, 0)),
                                  (True, 32, (0x3ff00000, 0xffc00, 0x3ff, 0)),
                                  (False, 32, (0xff0000, 0xff00, 0x5f, 0)), (False, 32, (0xff0000, 0xff00, 0, 0))):
            cases += [(good, Bmp(bits, rng, size, False, masks=masks, gap=gap)) for size in (56, 124) for gap in (0, 5)]
            if masks[3] == 0:
                cases.append((good, Bmp(bits, rng, 40, True, masks=masks)))
        cases += [(False, Bmp(2, rng)), (False, Bmp(24, rng, compression=5)), (False, Bmp(24, rng, compression=6))]
        paths = [self.write(f"{i}.bmp", bmp.content()) for i, (_, bmp) in enumerate(cases)]
        for path, (is_read, bmp), (pixels, note) in zip(paths, cases, self.read(*paths)):
            if is_read:
                self.assert_pixels((pixels, note), bmp.pixels(), 1, vars(bmp))
            else:
                self.assertIsNone(pixels, vars(bmp))
                self.assertIn("magick FILE", note, vars(bmp))

    def test_bmp_with_runs(self):
        """As Pillow reads them."""
        self.needs("BMP")
        for bits, runs in ((8, b"\3\1\1\2\0\0\0\3\0\1\2\0\1\2\0\1"), (4, b"\4\x01\0\0\4\x12\0\1")):
            bmp = Bmp(bits, random.Random(9), width=4, height=2, compression=1 if bits == 8 else 2, colours=3, used=3)
            bmp.rows = runs
            result, = self.read(self.write("a.bmp", bmp.content()))
            self.assert_pixels(result, by_pillow(bmp.content()), 0, bits)

    def test_bmp_with_profile(self):
        """It goes on to the result."""
        self.needs("BMP")
        profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
        content = bytearray(Bmp(24, random.Random(11), 124).content())
        struct.pack_into("<I", content, 70, 0x4d424544)
        struct.pack_into("<II", content, 126, len(content) - 14, len(profile))
        self.run_program(self.write("a.bmp", content + profile), "-o", self.out / "a.png", *AS_THEY_ARE)
        self.assertEqual(Image.open(self.out / "a.png").info["icc_profile"], profile)

    def test_cut_bmp(self):
        """What is missing is not made up, unless damage is accepted; the padding of the last row may be missing."""
        self.needs("BMP")
        bmp = Bmp(24, random.Random(10))
        whole, wanted = bmp.content(), bmp.pixels()
        padding = bmp.row - 3 * bmp.width
        self.assert_pixels(self.read(self.write("a.bmp", whole[:-padding]))[0], wanted)
        cut = self.write("b.bmp", whole[:-padding - 1])
        (pixels, error), = self.read(cut)
        self.assertIsNone(pixels)
        self.assertIn("the file ends before the image does", error)
        self.run_program(cut, "-o", self.out / "b.pam", "--accept-damaged", *AS_THEY_ARE)
        self.assert_pixels((read_pam(self.out / "b.pam")[1:], ""), wanted[1:])

    def test_icons_of_every_depth(self):
        """As Pillow reads them; of cursors it leaves out the mask."""
        self.needs("ICO")
        rng = random.Random(4)
        black_and_white = b"\0\0\0\0\xff\xff\xff\0"
        files = {bits: icon([(9, 7, bitmap(9, 7, bits, rng, black_and_white if bits == 1 else None))])
                 for bits in (1, 4, 8, 16, 24, 32)}
        paths = [self.write(f"{bits}.ico", content) for bits, content in files.items()]
        for (bits, content), result in zip(files.items(), self.read(*paths)):
            self.assert_pixels(result, by_pillow(content), 1, bits)
        (pixels, error), = self.read(self.write("red.ico", icon([(9, 7, bitmap(9, 7, 1, rng))])))
        self.assertIsNone(pixels)
        self.assertIn("two colours", error)
        packed = bytearray(icon([(9, 7, bitmap(9, 7, 32, rng))]))
        packed[22 + 16] = 3
        (pixels, error), = self.read(self.write("packed.ico", bytes(packed)))
        self.assertIsNone(pixels)
        self.assertIn("gdk-pixbuf does not read compressed icons", error)

    def test_gif(self):
        """As Pillow has it."""
        rng = numpy.random.default_rng(6)
        picture = Image.fromarray(rng.integers(0, 255, (11, 13, 3), dtype=numpy.uint8)).quantize(17)
        self.needs("GIF")
        for options in ({"interlace": 0}, {"interlace": 1}, {"transparency": 3}):
            content = saved([picture], "gif", **options)
            result, = self.read(self.write("a.gif", content))
            self.assert_pixels(result, by_pillow(content))

    def test_heic_and_avif(self):
        """As ImageMagick decodes its own, up to how colours of a quarter of the pixels are enlarged."""
        for form in ("HEIC", "AVIF"):
            self.needs(form)
            path = self.src / f"a.{form.lower()}"
            if subprocess.run(["convert", "-size", "64x48", "gradient:red-blue", "-alpha", "set", "-channel", "A",
                               "-evaluate", "set", "50%", path], stderr=subprocess.DEVNULL, check=False).returncode:
                self.skipTest(f"ImageMagick writes no {form}.")
            rgba = subprocess.run(["convert", path, "-depth", "8", "rgba:-"], check=True, stdout=subprocess.PIPE).stdout
            result, = self.read(path)
            self.assert_pixels(result, numpy.frombuffer(rgba, numpy.uint8).reshape(48, 64, 4), 8, form)


class Bmp:
    """A file and its pixels, by the format's specification."""

    def __init__(self, bits, rng, size=40, top_down=False, masks=None, compression=None, colours=0, used=0, gap=0,
                 width=9, height=5):
        self.bits, self.size, self.top_down, self.masks, self.used = bits, size, top_down, masks, used
        self.width, self.height, self.gap = width, height, rng.randbytes(gap)
        self.compression = (3 if masks else 0) if compression is None else compression
        self.row = (width * bits + 31) // 32 * 4
        self.palette = [rng.randbytes(3) for _ in range(colours)]
        self.values = [[rng.randrange(colours or 2 ** bits) for _ in range(width)] for _ in range(height)]
        self.rows = b"".join(self.stored(row) for row in self.values)

    def stored(self, row):
        if self.bits >= 8:
            return b"".join(value.to_bytes(self.bits // 8, "little") for value in row).ljust(self.row, b"\0")
        text = "".join(f"{value:0{self.bits}b}" for value in row).ljust(8 * self.row, "0")
        return int(text, 2).to_bytes(self.row, "big")

    def content(self):
        entry = b"" if self.size == 12 else b"\0"
        masks = struct.pack("<4I", *self.masks) if self.masks else b""
        if self.size == 12:
            head = struct.pack("<IHHHH", 12, self.width, self.height, 1, self.bits)
        else:
            height = -self.height if self.top_down else self.height
            head = struct.pack("<IiiHHIIiiII", self.size, self.width, height, 1, self.bits, self.compression,
                               len(self.rows), 0, 0, self.used, 0)
            head = (head + masks).ljust(self.size, b"\0") if self.size > 40 else head + masks[:12]
        head += b"".join(colour + entry for colour in self.palette) + self.gap
        return struct.pack("<2sIII", b"BM", 14 + len(head + self.rows), 0, 14 + len(head)) + head + self.rows

    def colour(self, value):
        if self.palette:
            return (*self.palette[value][::-1], 255)
        masks = self.masks or ((0x7c00, 0x3e0, 0x1f, 0) if self.bits == 16 else (0xff0000, 0xff00, 0xff, 0))
        shares = [(value & mask) * 255 / mask if mask else 255 for mask in masks]
        return tuple(int(share + 0.5) for share in shares)

    def pixels(self):
        rows = [[self.colour(value) for value in row] for row in self.values]
        return numpy.array(rows if self.top_down else rows[::-1], numpy.uint8)


class Tga:
    """A file and its pixels, by the format's specification."""

    WIDTH, HEIGHT = 8, 5

    def __init__(self, kind, bits, stored, place, runs, attributes=0, palette=(), first=0, depth=0):
        self.kind, self.bits, self.stored, self.place, self.runs = kind, bits, stored, place, runs
        self.attributes, self.palette, self.first, self.depth = attributes, palette, first, depth

    def content(self):
        head = struct.pack("<BBBHHBHHHHBB", 3, len(self.palette) > 0, self.kind | 8 * self.runs, self.first,
                           len(self.palette), self.depth, 0, 0, self.WIDTH, self.HEIGHT, self.bits,
                           self.place << 4 | self.attributes)
        body = b""
        for pixel, same in itertools.groupby(self.stored):
            n = len(list(same))
            body += bytes([127 + n]) + pixel if self.runs and n > 1 else b"\0" * self.runs + pixel
            body += (b"\0" * self.runs + pixel) * (n - 1) * (not self.runs)
        return head + b"abc" + b"".join(self.palette) + body

    def colour(self, entry, has_alpha):
        if len(entry) == 2:
            value = int.from_bytes(entry, "little")
            channels = [((value >> shift & 31) * 255 + 15) // 31 for shift in (10, 5, 0)]
            return (*channels, 255 if value >> 15 or not has_alpha else 0)
        return (entry[2], entry[1], entry[0], entry[3] if len(entry) == 4 and has_alpha else 255)

    def pixels(self):
        pixels = numpy.zeros((self.HEIGHT, self.WIDTH, 4), numpy.uint8)
        for i, stored in enumerate(self.stored):
            y, x = divmod(i, self.WIDTH)
            if self.kind == 1:
                colour = self.colour(self.palette[stored[0] - self.first], self.depth == 32)
            elif self.kind == 2:
                colour = self.colour(stored, self.attributes > 0)
            else:
                colour = (stored[0],) * 3 + (255,)
            pixels[y if self.place & 2 else self.HEIGHT - 1 - y, self.WIDTH - 1 - x if self.place & 1 else x] = colour
        return pixels


class Claims(ReaderCase):
    """A header that claims more pixels than the bytes can hold costs nothing, and says so."""

    def assert_refused(self, result, name=""):
        pixels, error = result
        self.assertIsNone(pixels, name)
        self.assertIn("28777 x 28786 pixels, but its", error, name)

    def test_claims(self):
        huge = struct.pack("<HH", 28777, 28786)
        part = struct.pack("<IiiHHIIiiII", 40, 28777, 28786 * 2, 1, 32, 0, 0, 0, 0, 0, 0)
        files = {"a.tga": b"\0\0\2" + b"\0" * 9 + huge + b"\x18\0" + b"x" * 500,
                 "b.tga": b"\0\0\x0a" + b"\0" * 9 + huge + b"\x18\0" + b"x" * 500,
                 "a.gif": b"GIF89a" + huge + b"\0\0\0," + b"\0" * 4 + huge + b"\0\2\2L\1\0;" + b"x" * 500,
                 "a.ico": icon([(0, 0, part + b"x" * 500)]),
                 "a.heic": heif(b"heic", 28777, 28786), "a.avif": heif(b"avif", 28777, 28786)}
        paths = [self.write(name, content) for name, content in files.items()]
        for name, result in zip(files, self.read(*paths)):
            self.assert_refused(result, name)

    def test_given_claims(self):
        """That of a known file, and of an animation on a canvas that hardly anything covers."""
        frames = self.given("two-pictures.webp").read_bytes()
        canvas = self.write("a.webp", frames[:24] + struct.pack("<HBHB", 28776, 0, 28785, 0) + frames[30:])
        for result in self.read(canvas, self.given("claims-28777x28786.tga")):
            self.assert_refused(result)

    def test_invalid_gif(self):
        """A frame without pixels is no lack of memory."""
        self.needs("GIF")
        for sides in ((3, 0), (0, 2)):
            frame = b"," + struct.pack("<4HB", 1, 1, *sides, 0) + b"\2\4D\xa81*\0;"
            head = b"GIF89a\6\0\5\0\x81\0\0" + bytes(range(12)) + b"!\xf9\4" + b"\0" * 5
            path = self.write("a.gif", head + frame)
            (pixels, error), = self.read(path)
            self.assertIsNone(pixels)
            self.assertNotIn("memory", error.lower())

    def test_what_a_module_does_not_read(self):
        """Says by what it is not read, and not that it is damaged."""
        for name, content in (("a.heic", heif(b"heic", 8, 8)), ("a.avif", heif(b"avif", 8, 8))):
            self.needs(name[2:].upper())
            (pixels, error), = self.read(self.write(name, content))
            self.assertIsNone(pixels)
            self.assertIn(f"cannot be read by gdk-pixbuf's module for {name[2:].upper()} (", error)
            self.assertNotIn("damaged", error)

    def test_all_formats_are_named(self):
        (_, error), = self.read(self.write("a.txt", b"words, " * 100))
        version = subprocess.run([PROGRAM, "--version"], capture_output=True, check=True, text=True).stdout
        modules = re.search(r"(?m)gdk-pixbuf.*?: (.*?);", version)
        for title in ("PNG", "TIFF", "PAM", *(modules[1].split(", ") if modules else ())):
            self.assertIn(title, error)


def box(kind, content):
    return struct.pack(">I4s", 8 + len(content), kind) + content


def heif(brand, width, height):
    """The boxes of a picture of a codec that no module knows."""
    item = box(b"infe", struct.pack(">IHH4sx", 2 << 24, 1, 0, b"zzzz"))
    properties = box(b"ipco", box(b"ispe", struct.pack(">III", 0, width, height)))
    properties += box(b"ipma", struct.pack(">IIHBB", 0, 1, 1, 1, 1))
    meta = box(b"hdlr", struct.pack(">II4s13x", 0, 0, b"pict")) + box(b"pitm", struct.pack(">IH", 0, 1))
    meta += box(b"iloc", struct.pack(">IBBHHHHII", 0, 0x44, 0, 1, 1, 0, 1, 0, 8))
    meta += box(b"iinf", struct.pack(">IH", 0, 1) + item) + box(b"iprp", properties)
    return box(b"ftyp", brand + b"\0\0\0\0mif1" + brand) + box(b"meta", b"\0" * 4 + meta) + box(b"mdat", b"x" * 400)


# By avifenc 0.11: red with 10 bits a sample and EXIF data, and an animation of red and green.
DEEP_AVIF = (
    "00000020667479706176696600000000617669666d6966316d6961664d413141000001336d657461000000000000002868646c72000000"
    "0000000000706963740000000000000000000000006c696261766966000000000e7069746d0000000000010000002c696c6f6300000000"
    "4400000200010000000100000179000000210002000000010000015b0000001e0000004169696e660000000000020000001a696e666502"
    "0000000001000061763031436f6c6f720000000019696e666502000000000200004578696645786966000000001a697265660000000000"
    "00000e636473630002000100010000006a697072700000004b6970636f0000001469737065000000000000000800000008000000107069"
    "786900000000030a0a0a0000000c617631438120400000000013636f6c726e636c780001000d0006800000001769706d61000000000000"
    "000100010401028304000000476d6461740000000049492a000800000001001201030001000000010000000000000012000a083808bf63"
    "010d06903213164009249244004e21aa27a579960a7b67eda0")
ANIMATED_AVIF = (
    "0000002c66747970617669730000000061766966617669736d73663169736f386d6966316d6961664d4131410000018d6d657461000000"
    "000000002868646c720000000000000000706963740000000000000000000000006c696261766966000000000e7069746d000000000001"
    "0000002c696c6f630000000044000002000100000001000006e500000027000200000001000006bc000000190000004269696e66000000"
    "0000020000001a696e6665020000000001000061763031436f6c6f72000000001a696e6665020000000002000061763031416c70686100"
    "0000001a69726566000000000000000e6175786c000200010001000000c3697072700000009d6970636f00000014697370650000000000"
    "00000800000008000000107069786900000000030808080000000c617631438120000000000013636f6c726e636c780001000d00068000"
    "00000e706978690000000001080000000c6176314381001c0000000038617578430000000075726e3a6d7065673a6d706567423a636963"
    "703a73797374656d733a617578696c696172793a616c706861000000001e69706d61000000000000000200010401028304000204010586"
    "07000004fb6d6f6f76000000786d7668640100000000000000e73025bd00000000e73025bd0000001e0000000000000002000100000100"
    "00000000000000000000000100000000000000000000000000000001000000000000000000000000000040000000000000000000000000"
    "00000000000000000000000000000000000002000002217472616b00000068746b68640100000100000000e73025bd00000000e73025bd"
    "00000001000000000000000000000002000000000000000000000000000000000001000000000000000000000000000000010000000000"
    "000000000000000000400000000008000000080000000001b16d6469610000002c6d6468640100000000000000e73025bd00000000e730"
    "25bd0000001e000000000000000255c400000000002868646c720000000000000000706963740000000000000000000000006c69626176"
    "696600000001556d696e6600000014766d68640000000100000000000000000000002464696e660000001c647265660000000000000001"
    "0000000c75726c2000000001000001157374626c000000147374636f0000000000000001000006e50000001c7374736300000000000000"
    "010000000100000002000000010000001c7374737a00000000000000000000000200000027000000300000001473747373000000000000"
    "00010000000100000018737474730000000000000001000000020000000100000095737473640000000000000001000000856176303100"
    "00000000000001000000000000000000000000000000000008000800480000004800000000000000010a414f4d20436f64696e67000000"
    "0000000000000000000000000000000000000018ffff0000000c617631438120000000000013636f6c726e636c780001000d0006800000"
    "001063637374000000007c0000000000025a7472616b00000068746b68640100000100000000e73025bd00000000e73025bd0000000200"
    "00000000000000000000020000000000000000000000000000000000010000000000000000000000000000000100000000000000000000"
    "0000000040000000000800000008000000000014747265660000000c6175786c00000001000001d66d6469610000002c6d646864010000"
    "0000000000e73025bd00000000e73025bd0000001e000000000000000255c400000000002868646c720000000000000000617578760000"
    "000000000000000000006c696261766966000000017a6d696e6600000014766d68640000000100000000000000000000002464696e6600"
    "00001c6472656600000000000000010000000c75726c20000000010000013a7374626c000000147374636f0000000000000001000006bc"
    "0000001c7374736300000000000000010000000100000002000000010000001c7374737a00000000000000000000000200000019000000"
    "100000001473747373000000000000000100000001000000187374747300000000000000010000000200000001000000ba737473640000"
    "000000000001000000aa617630310000000000000001000000000000000000000000000000000008000800480000004800000000000000"
    "010a414f4d20436f64696e670000000000000000000000000000000000000000000018ffff0000000c6176314381001c00000000106363"
    "7374000000007c00000000000038617578690000000075726e3a6d7065673a6d706567423a636963703a73797374656d733a617578696c"
    "696172793a616c70686100000000886d64617412000a090000000117e6d7c950320a100080000018dea295501200320c30038080fdf846"
    "800400953012000a0c2000000117e6d7c9010d069032151000b00028a28a24104800470f4d8c70344c9473991200322c30038080fdf846"
    "b00038e38e24100a00027d6fcf7f41e158e34d71549c46aef08a006cebec3658b1f6f909e0")


if __name__ == "__main__":
    unittest.main(verbosity=2)
