#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""One 512x512 picture through the whole program: wall time, and how long after its start the first kernel runs.

Usage: startup.py BUILD/app/meanshift-lab PICTURE.png [--runs N] [--json FILE]

The first kernel's start comes from its profiling event. PoCL stamps events by CLOCK_MONOTONIC_RAW, the clock that is
read here before the program is started; another driver's clock would give nonsense, so numbers outside the run itself
are refused.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time


def now():
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)


def run_once(program, picture, folder):
    report = os.path.join(folder, "report.json")
    command = [program, "--headless", "--quiet", "--device", "cpu", picture, "-o", os.path.join(folder, "out.png"),
               "--on-conflict", "overwrite",
               "--json", report]
    start = now()
    process = os.posix_spawn(program, command, os.environ)
    status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    end = now()
    if status != 0:
        raise subprocess.CalledProcessError(status, command)
    with open(report, encoding="utf-8") as file:
        timings = json.load(file)["images"][0]["timings"]
    first = min(row["started_ns"] for row in timings if row["stage"] == "kernel")
    if not start < first < end:
        sys.exit("The device's clock is not CLOCK_MONOTONIC_RAW, so its events cannot be compared with the start.")
    return {"first_kernel_ms": (first - start) / 1e6, "wall_ms": (end - start) / 1e6}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("picture")
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--json")
    options = parser.parse_args()
    program = os.path.abspath(options.program)
    with tempfile.TemporaryDirectory() as folder:
        run_once(program, options.picture, folder)  # fills the kernel cache
        rows = [run_once(program, options.picture, folder) for _ in range(options.runs)]
    result = {}
    for name, target in (("first_kernel_ms", 60), ("wall_ms", 250)):
        values = [row[name] for row in rows]
        result[name] = {"median": statistics.median(values), "min": min(values), "max": max(values), "n": len(values)}
        print(f"{name:16} median {result[name]['median']:7.1f}  min {min(values):7.1f}  max {max(values):7.1f}  "
              f"target {target}")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(result, file, indent=2)


if __name__ == "__main__":
    main()
