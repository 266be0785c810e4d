# SPDX-License-Identifier: MIT
"""Runs the operation with the command gegl; its pixels must be those of the program."""

import os
import shutil
import subprocess
import sys
import tempfile

import cv2
import numpy

SAMPLE = os.path.join(os.environ["MS_SOURCE_ROOT"], "data", "samples", "harbour.png")
PLUGIN, PROGRAM = (os.path.abspath(path) for path in sys.argv[1:])


WIDTH, HEIGHT = 200, 160


def run(command, **variables):
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **variables}, check=False)
    if done.returncode != 0 or "mean-shift" in done.stderr:
        sys.exit(f"{command}: {done.returncode}\n" + done.stdout + done.stderr)


def read(path):
    """The pixels with 8 bits: a file of 16 bits holds each value 257 times."""
    image = cv2.imread(path, cv2.IMREAD_UNCHANGED)
    if image.dtype == numpy.uint16:
        if (image % 257).any():
            sys.exit(f"{path} holds values that 8 bits do not have")
        image = image // 257
    return image


def compare(folder, name, *properties, crop=None):
    """With crop=(x, y, width, height), GEGL asks the operation for that part alone."""
    source, ours, theirs = (os.path.join(folder, part) for part in ("source.png", "gegl.png", f"{properties}.png"))
    x, y, width, height = crop or (0, 0, WIDTH, HEIGHT)
    cropping = ["gegl:crop", f"x={x}", f"y={y}", f"width={width}", f"height={height}"]
    options = [part for word in properties for part in ("--" + word.replace("iterations", "max-iterations")).split("=")]
    run(["gegl", source, "-o", ours, "--", "meanshift-lab:mean-shift", *properties, *cropping],
        XDG_DATA_HOME=folder)
    if not os.path.exists(theirs):
        run([PROGRAM, "--headless", source, *options, "-o", theirs])
    part = (slice(y, y + height), slice(x, x + width))
    if not numpy.array_equal(read(ours), read(theirs)[part]):
        sys.exit(f"The operation's pixels differ from the program's: {name}")
    if numpy.array_equal(read(ours), read(source)[part]):
        sys.exit(f"The operation changes nothing: {name}")


def main():
    with tempfile.TemporaryDirectory(prefix="ms-gegl-") as folder:
        plugins = os.path.join(folder, "gegl-0.4", "plug-ins")
        os.makedirs(plugins)
        shutil.copy(PLUGIN, plugins)
        image = cv2.imread(SAMPLE)[200:200 + HEIGHT, 300:300 + WIDTH]
        alpha = numpy.where(numpy.indices(image.shape[:2]).sum(axis=0) % 3 == 0, 200, 255).astype(numpy.uint8)
        cv2.imwrite(os.path.join(folder, "source.png"), numpy.dstack([image, alpha]))
        compare(folder, "the defaults", "sp=10", "sr=20")
        compare(folder, "other settings", "sp=4", "sr=35", "iterations=2", "space=luv", "device=reference")
        compare(folder, "a pyramid", "sp=4", "sr=20", "levels=2")
        compare(folder, "a part of a pyramid", "sp=4", "sr=20", "levels=2", crop=(60, 51, 93, 77))
        compare(folder, "a part", "sp=10", "sr=20", crop=(60, 51, 93, 77))


main()
