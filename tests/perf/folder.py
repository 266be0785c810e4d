#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A folder of photographs: the whole program against a Python loop over OpenCV and against ImageMagick.

    folder.py PROGRAM [--count 200] [--size 512] [--format jpg|png] [--sp 5] [--sr 6] [--magick N] [--json FILE]

The folder is cut out of the pictures in MS_TEST_IMAGES/photographs, as JPEG of quality 92. Peers: imread,
pyrMeanShiftFiltering (maxLevel 0, 5 iterations, epsilon 1), imwrite with its defaults, in one Python process; and
`convert IN -mean-shift WxH+D% OUT`, one process an image as its users run it, on the first N pictures (0 leaves it
out), its time scaled to the whole folder. Each is run once; the program's kernel cache is warm, as after any first
run.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

import cv2
import numpy


def make_folder(folder, count, size):
    source = os.path.join(os.environ.get("MS_TEST_IMAGES", ""), "photographs")
    pictures = [cv2.imread(os.path.join(source, name), cv2.IMREAD_COLOR) for name in sorted(os.listdir(source))]
    random = numpy.random.default_rng(3)
    for i in range(count):
        image = pictures[i % len(pictures)]
        scale = max(1.0, size / min(image.shape[:2]))
        if scale > 1.0:
            image = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC)
        y = random.integers(0, max(1, image.shape[0] - size + 1))
        x = random.integers(0, max(1, image.shape[1] - size + 1))
        path = os.path.join(folder, f"{i:04d}.jpg")
        cv2.imwrite(path, image[y : y + size, x : x + size], [cv2.IMWRITE_JPEG_QUALITY, 92])


def opencv_loop(source, target, args):
    criteria = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 5, 1)
    start = time.perf_counter()
    for name in sorted(os.listdir(source)):
        image = cv2.imread(os.path.join(source, name), cv2.IMREAD_COLOR)
        result = cv2.pyrMeanShiftFiltering(image, args.sp, args.sr, maxLevel=0, termcrit=criteria)
        cv2.imwrite(os.path.join(target, f"{os.path.splitext(name)[0]}.{args.format}"), result)
    return time.perf_counter() - start


def magick_loop(source, target, args):
    side = 2 * args.sp + 1
    distance = 100.0 * args.sr / 255.0
    names = sorted(os.listdir(source))[: args.magick]
    start = time.perf_counter()
    for name in names:
        output = os.path.join(target, f"{os.path.splitext(name)[0]}.{args.format}")
        subprocess.run(["convert", os.path.join(source, name), "-mean-shift", f"{side}x{side}+{distance:.3f}%",
                        output], check=True)
    return (time.perf_counter() - start) * args.count / len(names)


def program(source, target, args):
    command = [args.program, "--headless", "--quiet", "--sp", str(args.sp), "--sr", str(args.sr)]
    command += ["--format", {"jpg": "jpeg"}.get(args.format, args.format), "--device", "cpu", source, "-o", target]
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def timed(what, function, source, scratch, args):
    target = os.path.join(scratch, "results")
    shutil.rmtree(target, ignore_errors=True)
    os.mkdir(target)
    seconds = function(source, target, args)
    found = len(os.listdir(target))
    if found != (args.magick if function is magick_loop else args.count):
        sys.exit(f"{what}: {found} results.")
    return seconds


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--size", type=int, default=512)
    parser.add_argument("--format", choices=["jpg", "png"], default="jpg")
    parser.add_argument("--sp", type=int, default=5)
    parser.add_argument("--sr", type=int, default=6)
    parser.add_argument("--magick", type=int, default=5)
    parser.add_argument("--json")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        source = os.path.join(scratch, "pictures")
        os.mkdir(source)
        make_folder(source, args.count, args.size)
        timed("warming", program, source, scratch, args)
        rows = {"program": timed("program", program, source, scratch, args)}
        rows["opencv"] = timed("OpenCV", opencv_loop, source, scratch, args)
        if args.magick > 0 and shutil.which("convert"):
            rows["imagemagick"] = timed("ImageMagick", magick_loop, source, scratch, args)
    for name, seconds in rows.items():
        print(f"{name:>12} {seconds:9.2f} s  {seconds / rows['program']:7.1f}x the program's time")
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump({"arguments": vars(args), "seconds": rows, "opencv": cv2.__version__}, file, indent=1)


if __name__ == "__main__":
    main()
