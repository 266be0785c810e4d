#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Regions beside those of Orfeo ToolBox and of EDISON: processor time, number of regions, deviation within them.

    regions.py MEANSHIFT_LAB [--size 1280] [--min-region 50] [--json FILE] [PICTURE...]

Peers, each left out with a note where it is not installed: otbcli_MeanShiftSmoothing and otbcli_LargeScaleMeanShift of
Orfeo ToolBox (Debian's otb-bin; tiles of 512, iterations as many as it takes), and EDISON through pymeanshift (from
source: pip install --no-build-isolation pymeanshift, for the Python that runs this script). Times are user time of
whole processes, start included, which other work on the machine changes less than the wall time. The deviation is that
of the three channels within each region, root mean square over the pixels. The number of regions of Orfeo is that of
labels.
"""
import argparse
import importlib.util
import os
import resource
import shutil
import subprocess
import sys

import cv2
import numpy

import photographs

CASES = [(10, 20), (5, 6)]
EDISON = """
import cv2, numpy, pymeanshift, sys
source, labels, sp, sr, least = sys.argv[1:]
found = pymeanshift.segment(cv2.cvtColor(cv2.imread(source), cv2.COLOR_BGR2RGB), int(sp), float(sr), int(least))
numpy.save(labels, found[1])
"""


def user_seconds(command, folder=None):
    """User time of a process and of its children; what it leaves behind lies in the folder."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def quality(labels, picture):
    """The number of labels, and the deviation within the regions."""
    _, flat = numpy.unique(labels, return_inverse=True)
    flat = flat.ravel()
    sizes = numpy.bincount(flat)
    squares = 0.0
    for channel in cv2.split(picture):
        values = channel.ravel().astype(float)
        means = numpy.bincount(flat, values) / sizes
        squares += ((values - means[flat]) ** 2).mean()
    return len(sizes), (squares / 3) ** 0.5


def ours(args, source, sp, sr, folder):
    command = [args.program, "--headless", "--quiet", "--sp", str(sp), "--sr", str(sr), source]
    labels = os.path.join(folder, "ours.npy")
    out = ["-o", os.path.join(folder, "filtered.png"), "--on-conflict", "overwrite"]
    regions = ["--regions", "--min-region", str(args.min_region), "--labels", labels, "--on-conflict", "overwrite"]
    for options in (out, regions):  # once for the cache of kernels
        user_seconds(command + options)
    return {"peer": "meanshift-lab", "filter_s": min(user_seconds(command + out) for _ in range(3)),
            "regions_s": min(user_seconds(command + regions) for _ in range(3)), "labels": numpy.load(labels)}


def orfeo(args, source, sp, sr, folder):
    radii = ["-spatialr", str(sp), "-ranger", str(sr)]
    labels = os.path.join(folder, "orfeo.tif")
    smoothing = ["otbcli_MeanShiftSmoothing", "-in", source, "-fout", os.path.join(folder, "smooth.tif"), "-foutpos",
                 os.path.join(folder, "places.tif")] + radii
    # As floats, since OpenCV reads no TIFF of 32-bit integers.
    segments = ["otbcli_LargeScaleMeanShift", "-in", source, "-minsize", str(args.min_region), "-tilesizex", "512",
                "-tilesizey", "512", "-mode", "raster", "-mode.raster.out", labels, "float"] + radii
    return {"peer": "Orfeo ToolBox", "filter_s": user_seconds(smoothing, folder),
            "regions_s": user_seconds(segments, folder), "labels": cv2.imread(labels, cv2.IMREAD_UNCHANGED)}


def edison(args, source, sp, sr, folder):
    labels = os.path.join(folder, "edison.npy")
    seconds = user_seconds([sys.executable, "-c", EDISON, source, labels, str(sp), str(sr), str(args.min_region)])
    return {"peer": "EDISON", "filter_s": None, "regions_s": seconds, "labels": numpy.load(labels)}


def find_peers():
    peers = [ours]
    if shutil.which("otbcli_LargeScaleMeanShift"):
        peers.append(orfeo)
    else:
        print("Orfeo ToolBox is not installed.", file=sys.stderr)
    if importlib.util.find_spec("pymeanshift"):
        peers.append(edison)
    else:
        print("pymeanshift is not installed.", file=sys.stderr)
    return peers


def measure(args, path, folder):
    picture = photographs.load(path, args.size)
    source = os.path.join(folder, "source.png")
    cv2.imwrite(source, picture)
    for sp, sr in CASES:
        for peer in find_peers():
            row = peer(args, source, sp, sr, folder)
            row["regions"], row["deviation"] = quality(row.pop("labels"), picture)
            row.update(picture=os.path.basename(path), size=args.size, sp=sp, sr=sr, min_region=args.min_region)
            filter_s = f"{row['filter_s']:8.2f} s" if row["filter_s"] is not None else "       –  "
            print(f"{row['picture']:>14} sp {sp:2} sr {sr:2} {row['peer']:>14}  filter {filter_s}  with regions "
                  f"{row['regions_s']:8.2f} s  {row['regions']:6} regions  deviation {row['deviation']:6.2f}",
                  flush=True)
            yield row


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--min-region", type=int, default=50)
    photographs.run(parser, measure)


if __name__ == "__main__":
    main()
