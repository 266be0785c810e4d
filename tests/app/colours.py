#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Compares the conversions of 8-bit colours with cv2.cvtColor: some thousand colours, or all in CI.

    colours.py CONVERT-COLOURS

Exit status 77 (skipped, and said so) where OpenCV for Python is absent; 1 at the first difference.
"""
import os
import subprocess
import sys

try:
    import cv2
    import numpy
except ImportError as problem:
    print(f"The test of colours is skipped: {problem}.")
    sys.exit(1 if os.environ.get("CI") else 77)

CODES = {("luv", "convert"): cv2.COLOR_RGB2Luv, ("luv", "restore"): cv2.COLOR_Luv2RGB,
         ("lab", "convert"): cv2.COLOR_RGB2Lab, ("lab", "restore"): cv2.COLOR_Lab2RGB}


def all_colours():
    numbers = numpy.arange(1 << 24, dtype=numpy.uint32)
    return numpy.stack([numbers >> 16, numbers >> 8 & 255, numbers & 255], -1).astype(numpy.uint8)


def sample():
    """All greys, all colours of multiples of 15, and others at random."""
    steps = numpy.stack(numpy.meshgrid(*[numpy.arange(0, 256, 15)] * 3), -1).reshape(-1, 3)
    greys = numpy.repeat(numpy.arange(256)[:, None], 3, 1)
    others = numpy.random.default_rng(14).integers(0, 256, (20000, 3))
    return numpy.concatenate([steps, greys, others]).astype(numpy.uint8)


def run(program, space, way, colours):
    """The program stores the channels of the space last first, and keeps the fourth byte."""
    pixels = numpy.empty((len(colours), 4), numpy.uint8)
    pixels[:, :3] = colours if way == "convert" else colours[:, ::-1]
    pixels[:, 3] = numpy.arange(len(colours))
    output = subprocess.run([program, space, way], input=pixels.tobytes(), stdout=subprocess.PIPE, check=True).stdout
    result = numpy.frombuffer(output, numpy.uint8).reshape(-1, 4)
    if not numpy.array_equal(result[:, 3], pixels[:, 3]):
        raise SystemExit(f"{way} {space}: the fourth byte changes")
    return result[:, 2::-1] if way == "convert" else result[:, :3]


def main():
    colours = all_colours() if os.environ.get("MS_TEST_FORM", "suite") != "suite" else sample()
    for (space, way), code in CODES.items():
        expected = cv2.cvtColor(colours[None], code)[0]
        actual = run(sys.argv[1], space, way, colours)
        wrong = numpy.flatnonzero((expected != actual).any(-1))
        if len(wrong) > 0:
            first = wrong[0]
            print(f"{way} {space}: {len(wrong)} of {len(colours)} colours differ; "
                  f"{colours[first]} gives {actual[first]} instead of {expected[first]}")
            return 1
    print(f"{len(colours)} colours identical in both directions")
    return 0


if __name__ == "__main__":
    sys.exit(main())
