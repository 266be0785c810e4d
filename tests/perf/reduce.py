#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Reductions on one device against OpenCV and the device's own read bandwidth; prints the tables of README.md.

    reduce.py BENCH_REDUCE [--device cpu|gpu|NAME] [--types LIST] [--bytes N] [--repeat N] [--rounds N] [--json FILE]

Each job runs in turns with a kernel that only reads the same array and, on a processor, with OpenCV's function on an
array of the same type and size, with as many threads. The least time of all rounds counts: others on the machine only
ever add to it. A wrong result ends the benchmark with status 1.
"""
import argparse
import json
import subprocess
import sys
import time

import numpy

SIZES = {"uchar": 1, "char": 1, "ushort": 2, "short": 2, "int": 4, "uint": 4, "float": 4, "double": 8}
OPERATIONS = ["sum", "min", "max", "minMax", "count-nonzero"]
# What OpenCV has: element types by name, functions by operation.
PEER_TYPES = {"uchar": "uint8", "char": "int8", "ushort": "uint16", "short": "int16", "int": "int32",
              "float": "float32",
              "double": "float64"}
PEER_FUNCTIONS = {"sum": "sumElems", "minMax": "minMaxLoc", "count-nonzero": "countNonZero"}


class Bench:
    """The benchmark program, kept running: one job a line, one answer a line."""

    def __init__(self, program, device, repeat):
        self.process = subprocess.Popen([program, device, str(repeat)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)

    def ask(self, job):
        self.process.stdin.write(job + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        answer = json.loads(line)
        if "error" in answer or answer.get("agrees") is False:
            print(f"{job}: {line}", file=sys.stderr)
            sys.exit(1)
        return answer


def peer_ms(function, array, repeat):
    best = float("inf")
    for _ in range(repeat):
        start = time.perf_counter()
        function(array)
        best = min(best, (time.perf_counter() - start) * 1e3)
    return best


def peers(args):
    """OpenCV's functions by (operation, type), empty where it does not apply."""
    if args.device != "cpu":
        return {}, None
    import cv2
    cv2.setNumThreads(cv2.getNumberOfCPUs())
    return {operation: getattr(cv2, name) for operation, name in PEER_FUNCTIONS.items()}, cv2


def array_of(kind, n):
    rng = numpy.random.default_rng(1)
    if kind.startswith("float"):
        return rng.random(n, dtype=kind).reshape(-1, 4096)
    return rng.integers(0, 100, n, dtype=kind).reshape(-1, 4096)


def reduce_rows(bench, args):
    functions, _ = peers(args)
    rows = []
    for kind in args.types.split(","):
        size = SIZES[kind]
        n = args.bytes // size
        array = array_of(PEER_TYPES[kind], n) if functions and kind in PEER_TYPES else None
        for operation in OPERATIONS:
            best = {"op": operation, "type": kind, "n": n, "kernel_ms": 1e30, "read_ms": 1e30, "wall_ms": 1e30}
            for _ in range(args.rounds):
                if array is not None and operation in functions:
                    best["peer_ms"] = min(best.get("peer_ms", 1e30), peer_ms(functions[operation], array, args.repeat))
                answer = bench.ask(f"reduce {operation} {kind} {n} auto")
                for key in ("kernel_ms", "read_ms", "wall_ms"):
                    best[key] = min(best[key], answer[key])
            rows.append(best)
            print_row(best, args.bytes)
    return rows


def print_row(row, size):
    rate = size / row["kernel_ms"] * 1e-6
    peer = f"{size / row['peer_ms'] * 1e-6:.1f}" if "peer_ms" in row else "–"
    ratio = f"{row['peer_ms'] / row['wall_ms']:.2f}" if "peer_ms" in row else "–"
    print(f"| {row['op']} | {row['type']} | {row['kernel_ms']:.3f} | {rate:.1f} | "
          f"{100 * row['read_ms'] / row['kernel_ms']:.0f} % | {peer} | {ratio} |", flush=True)


def other_rows(bench, args):
    jobs = ["statistics 2560 2560 noise", "statistics 2560 2560 flat"]
    if args.device != "cpu":
        jobs += [f"reduce {operation} int {1 << log} auto" for log in (24, 28) for operation in OPERATIONS]
        jobs += ["sort 16777216 fast off 64", "sort 16777216 study off 64"]
        jobs += [f"sort 16777216 study {swap} {r}" for swap in ("plain", "refined") for r in (64, 128, 256, 512)]
    rows = [bench.ask(job) for job in jobs]
    print("\n| job | ms (least) | ms (median) | GB/s |\n|---|---|---|---|")
    for job, row in zip(jobs, rows):
        print(f"| {job} | {row['kernel_ms']:.4f} | {row['kernel_median_ms']:.4f} | {row['kernel_gb_s']:.1f} |",
              flush=True)
    return rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--bytes", type=int, default=256 << 20)
    parser.add_argument("--types", default=",".join(SIZES))
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json")
    args = parser.parse_args()
    bench = Bench(args.program, args.device, args.repeat)
    peak = bench.ask("peak")
    print(f"{peak['device']}, driver {peak['driver']}: read {peak['read_gb_s']} GB/s, copy {peak['copy_gb_s']} GB/s\n")
    print("| operation | type | ms | GB/s | of read | OpenCV GB/s | over OpenCV |\n|---|---|---|---|---|---|---|")
    report = {"peak": peak, "reduce": reduce_rows(bench, args), "other": other_rows(bench, args)}
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(report, file, indent=1)


main()
