#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Transfers between ordinary host memory and a device: the driver's own way against threads that copy through pinned
slots.

    transfer.py BENCH_TRANSFER [--device gpu] [--sizes 8,26,200] [--repeat 9] [--json FILE]

By the host's clock, medians; `first` is the first transfer, with the memory pinned for it; `new` goes into memory
that the system has yet to give pages for. Wrong bytes end the benchmark with status 1.
"""
import argparse
import json
import os
import subprocess

SHAPES = ["0x0", "1x1024", "2x1024", "4x256", "4x1024", "4x4096", "6x1024", "8x1024"]
COLUMNS = {"first_up_ms": "first up", "up_ms": "up", "down_ms": "down", "down_new_ms": "down, new"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--device", default="gpu")
    parser.add_argument("--sizes", default="8,26,200", help="MiB")
    parser.add_argument("--repeat", default="9")
    parser.add_argument("--json")
    args = parser.parse_args()
    rows = []
    for size in args.sizes.split(","):
        output = subprocess.run([args.program, args.repeat, size, *SHAPES], check=True, capture_output=True, text=True,
                                env={**os.environ, "MS_TEST_DEVICE": args.device}).stdout
        measured = [json.loads(line) for line in output.splitlines()]
        plain = measured[0]
        print(f"{size} MiB" + " " * (14 - len(size)) + "".join(f"{title:>20}" for title in COLUMNS.values()))
        for row in measured:
            name = f"{row['threads']} x {row['chunk_kib']} KiB" if row["threads"] else "driver"
            cells = (f"{row[key]:10.3f} ms {plain[key] / row[key]:5.1f}x" for key in COLUMNS)
            print(f"{name:18}" + " ".join(cells))
        rows += measured
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
