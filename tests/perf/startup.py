#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""One 512x512 picture through the whole program: wall time, and how long after its start the first kernel runs.

Usage: startup.py BUILD/app/meanshift-lab PICTURE.png [--open BUILD/tests/perf/bench-open] [--device cpu|gpu] [--runs N]
       [--json FILE]

The peer, in turns with the program, is bench-open, which only opens the device and copies a picture to it and back.

The first kernel's start comes from its profiling event. PoCL stamps events by CLOCK_MONOTONIC_RAW, the clock that is
read here before the program is started; for a driver with another clock this row is left out.
"""

import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time


def now():
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)


def open_once(program, device):
    start = now()
    subprocess.run([program, device], check=True)
    return (now() - start) / 1e6


def run_once(program, picture, folder, device):
    report = os.path.join(folder, "report.json")
    command = [program, "--headless", "--quiet", "--device", device, picture, "-o", os.path.join(folder, "out.png"),
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
    times = {"wall_ms": (end - start) / 1e6}
    if start < first < end:
        times["first_kernel_ms"] = (first - start) / 1e6
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("picture")
    parser.add_argument("--open", help="the yardstick, BUILD/tests/perf/bench-open")
    parser.add_argument("--device", choices=["cpu", "gpu"], default="cpu")
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--json")
    options = parser.parse_args()
    program = os.path.abspath(options.program)
    with tempfile.TemporaryDirectory() as folder:
        run_once(program, options.picture, folder, options.device)  # fills the kernel cache
        rows = []
        for _ in range(options.runs):
            rows.append(run_once(program, options.picture, folder, options.device))
            if options.open:
                rows[-1]["open_ms"] = open_once(os.path.abspath(options.open), options.device)
    result = {}
    for name, target in (("first_kernel_ms", 60), ("wall_ms", 250), ("open_ms", "-")):
        values = [row[name] for row in rows if name in row]
        if not values:
            continue
        result[name] = {"median": statistics.median(values), "min": min(values), "max": max(values), "n": len(values)}
        print(f"{name:16} median {result[name]['median']:7.1f}  min {min(values):7.1f}  max {max(values):7.1f}  "
              f"target {target}")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(result, file, indent=2)


if __name__ == "__main__":
    main()
