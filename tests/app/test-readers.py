#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Files of every kind that is read, by running the program: their pixels are those that the format's arithmetic and
independent readers give (Pillow, ImageMagick), or the sentence names a command that converts them."""

import json
import os
import pathlib
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
        run = subprocess.run([PROGRAM, "--headless", *map(str, paths), "-o", self.out, "--format", "pam", "--name", "{seq}",
                              "--on-conflict", "overwrite", "--json", "-", *AS_THEY_ARE],
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


if __name__ == "__main__":
    unittest.main(verbosity=2)
