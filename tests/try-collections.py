#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""try-collections.py PROGRAM FOLDER...: tries the program on folders of pictures from elsewhere (tests/README.md).

Prints a row for each folder, and below it each picture that is refused, has other pixels than Pillow, OpenCV and
ImageMagick read, or is filtered otherwise than by OpenCV, for a person to judge."""

import hashlib
import io
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile

import cv2
import numpy
from PIL import Image, ImageOps

ENDINGS = set("png jpg jpeg jpe tif tiff webp bmp dib ppm pnm pgm pbm pam gif heic heif hif avif jxl ico cur tga targa"
              .split())
AS_THEY_ARE, FILTERED = ("--sp", "1", "--sr", "0"), ("--sp", "3", "--sr", "10")
CRITERIA = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_MAX_ITER, 5, 1)
MOST_PIXELS_OF_OPENCV = 1000000
MOST_BYTES = 4 << 20
AT_ONCE = 40
Image.MAX_IMAGE_PIXELS = 50000000


def read_pam(path):
    head, _, body = path.read_bytes().partition(b"ENDHDR\n")
    fields = dict(line.split(" ", 1) for line in head.decode().splitlines() if " " in line)
    width, height, depth = (int(fields[name]) for name in ("WIDTH", "HEIGHT", "DEPTH"))
    pixels = numpy.frombuffer(body, numpy.uint8).reshape(height, width, depth)
    return pixels if depth == 4 else numpy.dstack([pixels, numpy.full((height, width), 255, numpy.uint8)])


def run(program, paths, settings, folder):
    """For each path the result's file or None, and the reason or the note."""
    command = [program, "--headless", *map(str, paths), "-o", str(folder), "--format", "pam", "--name", "{seq}",
               "--on-conflict", "overwrite", "--quiet", "--json", "-", *settings]
    process = subprocess.run(command, stdout=subprocess.PIPE, check=False, timeout=1800)
    if process.returncode not in (0, 1):
        sys.exit(f"The program ended with status {process.returncode} on {paths}.")
    for image in json.loads(process.stdout)["images"]:
        done = image["status"] == "done"
        yield (pathlib.Path(image["output"]) if done else None), image.get("note" if done else "error") or ""


def by_opencv(path):
    pixels = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
    if pixels.dtype == numpy.uint16:
        pixels = ((pixels.astype(numpy.uint32) * 510 + 65535) // 131070).astype(numpy.uint8)
    codes = {1: cv2.COLOR_GRAY2RGBA, 3: cv2.COLOR_BGR2RGBA, 4: cv2.COLOR_BGRA2RGBA}
    return cv2.cvtColor(pixels, codes[1 if pixels.ndim == 2 else pixels.shape[2]])


def by_pillow(path):
    with Image.open(path) as picture:
        if picture.mode not in ("1", "L", "LA", "P", "PA", "RGB", "RGBA", "CMYK"):
            raise ValueError(picture.mode)
        return numpy.array(ImageOps.exif_transpose(picture).convert("RGBA"))


def by_image_magick(path):
    command = ["convert-im6.q16", "-limit", "memory", "1GiB", "-limit", "disk", "0", f"{path}[0]", "-coalesce",
               "-auto-orient", "-colorspace", "sRGB", "-alpha", "on", "-depth", "8", "png32:-"]
    picture = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True, timeout=120).stdout
    return numpy.array(Image.open(io.BytesIO(picture)).convert("RGBA"))


READERS = (by_pillow, by_opencv, by_image_magick)


def difference(pixels, reader, path):
    """By how many levels the pixels differ from what a reader gives; None where it gives none, or they are too many."""
    if pixels.size > 4 * Image.MAX_IMAGE_PIXELS:
        return None
    try:
        others = reader(path)
    except Exception:  # pylint: disable=broad-exception-caught # whatever ails another reader
        return None
    if others.shape != pixels.shape:
        return f"size {others.shape[1]}x{others.shape[0]}"
    levels = numpy.abs(pixels.astype(numpy.int16) - others)
    levels[(pixels[..., 3] == 0) & (others[..., 3] == 0)] = 0
    return int(levels.max())


def find_files(folder):
    """Those of one content once; a short one may stand for a file that Git LFS holds."""
    files = {}
    for path in sorted(folder.rglob("*")):
        if path.suffix[1:].lower() in ENDINGS and path.is_file() and not path.is_symlink() and \
                0 < path.stat().st_size < MOST_BYTES:
            content = path.read_bytes()
            if not content.startswith(b"version https://git-lfs"):
                files.setdefault(hashlib.sha256(content).digest(), path)
    return sorted(files.values())


def try_folder(program, folder):
    files = find_files(folder)
    counts = dict.fromkeys(("files", "read", "as others", "filtered", "as OpenCV", "refused"), 0)
    lines = []
    counts["files"] = len(files)
    for first in range(0, len(files), AT_ONCE):
        paths = files[first : first + AT_ONCE]
        with tempfile.TemporaryDirectory() as plain, tempfile.TemporaryDirectory() as filtered:
            results = itertools.zip_longest(paths, run(program, paths, AS_THEY_ARE, plain),
                                            run(program, paths, FILTERED, filtered))
            for path, (output, note), (smooth, _) in results:
                name = path.relative_to(folder)
                if not output:
                    readers = [reader.__name__ for reader in READERS
                               if difference(numpy.zeros((0, 0, 4)), reader, path) is not None]
                    counts["refused"] += 1
                    lines.append(f"refused  {name}: {note} {readers}")
                    continue
                counts["read"] += 1
                pixels = read_pam(output)
                found = []
                for reader in READERS:
                    found.append(difference(pixels, reader, path))
                    if found[-1] in (0, 1, 2):
                        break
                if found[-1] in (0, 1, 2):
                    counts["as others"] += 1
                else:
                    lines.append(f"other    {name}: {found} {note}")
                if not smooth:
                    lines.append(f"unfiltered {name}")
                elif pixels.shape[0] * pixels.shape[1] <= MOST_PIXELS_OF_OPENCV:
                    counts["filtered"] += 1
                    colours = numpy.ascontiguousarray(pixels[..., :3])
                    wanted = cv2.pyrMeanShiftFiltering(colours, 3, 10, None, 0, CRITERIA)
                    if numpy.array_equal(read_pam(smooth)[..., :3], wanted):
                        counts["as OpenCV"] += 1
                    else:
                        lines.append(f"FILTERED OTHERWISE  {name}")
    print(f"| {folder.name} | " + " | ".join(f"{counts[name]}" for name in counts) + " |", *lines, sep="\n", flush=True)


def main():
    print("| collection | files | read | as others | filtered | as OpenCV | refused |")
    for folder in sys.argv[2:]:
        try_folder(sys.argv[1], pathlib.Path(folder))


if __name__ == "__main__":
    main()
