#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The filter on a GPU: the kernel that `auto` takes against the direct one, same pixels, one machine, one run.

    gpu.py BENCH_FILTER [--size 2560] [--repeat 15] [--device gpu] [--json FILE]

Times are OpenCL events, kernels only; the first pass of a kernel counts. Pictures of MS_TEST_IMAGES are enlarged to
SIZE x SIZE, and one is repeated instead, which has more detail. A difference between the two results ends the
benchmark with status 1.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

import cv2
import numpy

RADII = [(5, 6), (10, 6), (15, 6)]


def enlarged(path, size):
    return cv2.resize(cv2.imread(path, cv2.IMREAD_COLOR), (size, size), interpolation=cv2.INTER_CUBIC)


def repeated(path, size):
    image = cv2.imread(path, cv2.IMREAD_COLOR)
    height, width = image.shape[:2]
    return numpy.tile(image, (size // height + 1, size // width + 1, 1))[:size, :size]


def run(program, device, pixels, size, sp, sr, repeat, kernels, folder):
    result = os.path.join(folder, "result")
    command = [program, str(size), str(size), str(sp), str(sr), str(repeat), pixels, result, *kernels]
    environment = {**os.environ, "MS_TEST_DEVICE": device}
    lines = subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout.splitlines()
    return [json.loads(line) for line in lines], numpy.fromfile(result, numpy.uint8)


def measure(args, name, image, folder):
    pixels = os.path.join(folder, "pixels")
    cv2.cvtColor(image, cv2.COLOR_BGR2RGBA).tofile(pixels)
    for sp, sr in RADII:
        rows, fast = run(args.program, args.device, pixels, args.size, sp, sr, args.repeat, ["direct", "auto"], folder)
        _, plain = run(args.program, args.device, pixels, args.size, sp, sr, 3, ["direct"], folder)
        if not numpy.array_equal(plain, fast):
            sys.exit(f"{name} sp {sp} sr {sr}: the pixels of {rows[1]['resolved']} differ from the direct kernel's.")
        direct, auto = (row["kernel_median_ms"] for row in rows)
        row = {"picture": name, "size": args.size, "sp": sp, "sr": sr, "kernel": rows[1]["resolved"],
               "direct_ms": direct,
               "kernel_ms": auto, "wall_ms": rows[1]["wall_median_ms"], "times_direct": direct / auto}
        text = (f"{name:>20} sp {sp:2} sr {sr} direct {direct:8.3f} ms  {row['kernel']:>8} {auto:8.3f} ms: "
                f"{direct / auto:4.1f}x")
        print(text, flush=True)
        yield row


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--size", type=int, default=2560)
    parser.add_argument("--repeat", type=int, default=15)
    parser.add_argument("--device", default="gpu")
    parser.add_argument("--json")
    args = parser.parse_args()
    folder = os.path.join(os.environ.get("MS_TEST_IMAGES", ""), "photographs")
    astronaut, coffee = (os.path.join(folder, name) for name in ("astronaut.png", "coffee.png"))
    pictures = [("astronaut, enlarged", enlarged(astronaut, args.size)), 
                ("coffee, enlarged", enlarged(coffee, args.size)),
                ("astronaut, repeated", repeated(astronaut, args.size))]
    with tempfile.TemporaryDirectory() as scratch:
        rows = [row for name, image in pictures for row in measure(args, name, image, scratch)]
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump({"results": rows}, file, indent=1)


if __name__ == "__main__":
    main()
