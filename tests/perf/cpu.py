#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The filter on a processor against OpenCV and against its own direct kernel, same pixels, one machine, one run.

    cpu.py BENCH_FILTER [--size 1280] [--repeat 9] [--levels N] [--json FILE] [PICTURE...]

Peer: cv2.pyrMeanShiftFiltering(rgb, sp, sr, maxLevel=N, termcrit=(EPS|COUNT, 5, 1)) of python3-opencv, which has no
threads in this function; its colours are copied out of the 8UC4 pixels before the clock starts. Ours: the whole
filter (upload, all kernels, download) on 8UC4 pixels. Pictures are scaled and cut to SIZE x SIZE. The results must be
identical; a difference ends the benchmark with status 1. Beside the wall times stands the ratio of processor times,
which other work on the machine hardly changes; for both cores at work it is to be doubled.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import time

import cv2
import numpy

import photographs

CASES = [(5, 6), (10, 20)]
KERNELS = ["direct", "rows", "rows-wide", "auto"]


def peer(rgba, sp, sr, levels, repeat):
    colours = numpy.ascontiguousarray(rgba[..., :3])
    criteria = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 5, 1)
    times, processor = [], []
    for _ in range(repeat):
        start, processor_start = time.perf_counter(), time.process_time()
        result = cv2.pyrMeanShiftFiltering(colours, sp, sr, maxLevel=levels, termcrit=criteria)
        times.append((time.perf_counter() - start) * 1e3)
        processor.append((time.process_time() - processor_start) * 1e3)
    return statistics.median(times), statistics.median(processor), result


def ours(program, rgba, sp, sr, kernels, repeat, folder):
    pixels, result = os.path.join(folder, "pixels"), os.path.join(folder, "result")
    rgba.tofile(pixels)
    command = [program, str(rgba.shape[1]), str(rgba.shape[0]), str(sp), str(sr), str(repeat), pixels, result]
    lines = subprocess.run(command + kernels, check=True, capture_output=True, text=True).stdout.splitlines()
    return [json.loads(line) for line in lines], numpy.fromfile(result, numpy.uint8).reshape(rgba.shape)


def measure(args, path, folder):
    rgba = cv2.cvtColor(photographs.load(path, args.size), cv2.COLOR_BGR2RGBA)
    for sp, sr in CASES:
        peer_ms, peer_processor_ms, expected = peer(rgba, sp, sr, args.levels, min(3, args.repeat))
        kernels = [f"{kernel},levels={args.levels}" if args.levels else kernel for kernel in KERNELS]
        rows, result = ours(args.program, rgba, sp, sr, kernels, args.repeat, folder)
        if not numpy.array_equal(result[..., :3], expected):
            sys.exit(f"{path} sp {sp} sr {sr}: the pixels differ from OpenCV's.")
        direct = rows[0]["wall_median_ms"]
        for row in rows:
            row.update(picture=os.path.basename(path), size=args.size, sp=sp, sr=sr, opencv_ms=peer_ms,
                       levels=args.levels, times_opencv=peer_ms / row["wall_median_ms"],
                       times_opencv_processor=peer_processor_ms / row["processor_median_ms"],
                       times_direct=direct / row["wall_median_ms"])
            print(f"{row['picture']:>14} sp {sp:2} sr {sr:2} {row['kernel']:>10}  {row['wall_median_ms']:8.2f} ms "
                  f"whole (kernels {row['kernel_median_ms']:8.2f})  OpenCV {peer_ms:7.0f} ms: "
                  f"{row['times_opencv']:5.1f}x, processor {row['times_opencv_processor']:5.1f}x  "
                  f"direct: {row['times_direct']:5.1f}x", flush=True)
            yield row


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeat", type=int, default=9)
    parser.add_argument("--levels", type=int, default=0)
    photographs.run(parser, measure)


if __name__ == "__main__":
    main()
