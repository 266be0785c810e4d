#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Prints the statistics and histograms of raw 8UC4 pixels as numpy computes them, one number a line, full digits.

    numpy-statistics.py FILE

Exit status 77 where numpy is absent.
"""
import sys

try:
    import numpy
except ImportError as problem:
    print(f"numpy is absent: {problem}.")
    sys.exit(77)

pixels = numpy.fromfile(sys.argv[1], dtype=numpy.uint8).reshape(-1, 4)
wide = pixels.astype(numpy.int64)
luma = (299 * wide[:, 0] + 587 * wide[:, 1] + 114 * wide[:, 2] + 500) // 1000
for name, x in zip(["r", "g", "b", "a", "luma"], [*wide.T, luma]):
    numbers = {
        "count": x.size,
        "min": x.min(),
        "max": x.max(),
        "mean": x.mean(),
        "stddev": x.std(),
        "median": numpy.median(x),
        "sum": x.sum(),
        "nonzero": numpy.count_nonzero(x),
        "clipped_low": (x == 0).sum(),
        "clipped_high": (x == 255).sum(),
    }
    numbers |= {f"p{q}": numpy.percentile(x, q) for q in (1, 5, 25, 75, 95, 99)}
    numbers |= {f"bin{v}": n for v, n in enumerate(numpy.bincount(x, minlength=256))}
    for field, value in numbers.items():
        print(f"{name}.{field}={value!r}" if isinstance(value, int) else f"{name}.{field}={float(value)!r}")
