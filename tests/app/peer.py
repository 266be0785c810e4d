#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Compares the program with its peers: cv2.pyrMeanShiftFiltering for the opencv rule, with levels, and emulations
written here from the definitions for the other two, at random parameters and sizes, through files as a user would.

cv2.pyrUp() of OpenCV before 4.7 computes the last of an odd number of rows otherwise. Where a level has such a row, the
filter is put together there from other functions of cv2: once with that row, which must give exactly what
cv2.pyrMeanShiftFiltering does, and once with the row of later versions, which the program must give.

    peer.py PROGRAM [CASES] [SEED]

The suite runs one case of OpenCV's rule and one of a colour space on the device, one of each other rule by the serial
reference, to which other tests hold the device, and small sizes; CI (peer-random) runs CASES, 24 if there is no number,
all on the device, with levels, and more sizes and levels; the long form 100 and more sizes still.

Exit status 77 (skipped, and said so) where OpenCV for Python is absent; 1 at the first difference.
"""
import os
import random
import subprocess
import sys
import tempfile

try:
    import cv2
    import numpy
except ImportError as problem:
    print(f"The peer test is skipped: {problem}.")
    sys.exit(1 if os.environ.get("CI") else 77)


def random_picture(rng, width, height):
    """Noise, blocks or gradients: windows that hold few, many or nearly all of their pixels."""
    generator = numpy.random.default_rng(rng.randrange(1 << 30))
    kind = rng.choice(["noise", "blocks", "gradient", "few"])
    if kind == "noise":
        return generator.integers(0, 256, (height, width, 4), dtype=numpy.uint8)
    if kind == "few":
        return (generator.integers(0, 3, (height, width, 4)) * 7 + 100).astype(numpy.uint8)
    y, x = numpy.mgrid[0:height, 0:width]
    base = (x // 9 * 37 + y // 7 * 59) if kind == "blocks" else (x * 3 + y * 2)
    picture = base[..., None] + numpy.arange(4) * 31 + generator.integers(-9, 10, (height, width, 4))
    return (picture % 256).astype(numpy.uint8)


def photograph(rng):
    """A random cut of a real photograph, where the folder of test pictures is present."""
    folder = os.path.join(os.environ.get("MS_TEST_IMAGES", ""), "photographs")
    if not os.path.isdir(folder):
        return None
    whole = cv2.imread(os.path.join(folder, rng.choice(sorted(os.listdir(folder)))), cv2.IMREAD_COLOR)
    height, width = whole.shape[:2]
    h, w = rng.randrange(40, 160), rng.randrange(40, 160)
    y, x = rng.randrange(max(1, height - h)), rng.randrange(max(1, width - w))
    return cv2.cvtColor(whole[y : y + h, x : x + w], cv2.COLOR_BGR2BGRA)


SPACES = {"luv": (cv2.COLOR_BGR2Luv, cv2.COLOR_Luv2BGR), "lab": (cv2.COLOR_BGR2Lab, cv2.COLOR_Lab2BGR)}


VERSION = tuple(int(number) for number in cv2.__version__.split(".")[:2])


def has_odd_rows(height, levels):
    """Whether a level that is enlarged to has an odd number of rows, of which one is computed from two others."""
    heights = [-(-height // 2 ** level) for level in range(levels)]
    return any(rows % 2 and rows > 1 for rows in heights)


def enlarge(coarser, width, height):
    """cv2.pyrUp() since OpenCV 4.7, with any version: an odd number of rows is one more without the last."""
    enlarged = cv2.pyrUp(coarser, dstsize=(width, height + height % 2))
    return enlarged.reshape(-1, width, 3)[:height]


def enlarge_as_here(coarser, width, height):
    return cv2.pyrUp(coarser, dstsize=(width, height)).reshape(height, width, 3)


def mark_edges(coarser, sr, width, height):
    """A byte of 1 for each pixel of the finer level that is filtered again."""
    rows, columns = coarser.shape[:2]
    colours, edge = coarser.astype(int), max(round(sr * sr), 16)
    inner = colours[1:-1, 1:-1]
    is_edge = numpy.zeros(inner.shape[:2], bool)
    for y in range(3):
        for x in range(3):
            near = colours[y : rows - 2 + y, x : columns - 2 + x] if inner.size else inner
            is_edge |= ((near - inner) ** 2).sum(-1) >= edge
    mask = numpy.zeros((height, width), numpy.uint8)
    if inner.size:
        mask[3 : 2 * rows - 2 : 2, 1 : 2 * columns - 4 : 2] = is_edge
    return cv2.dilate(mask, None)


def filter_levels(colours, sp, sr, levels, criteria, enlarge_level):
    """cv2.pyrMeanShiftFiltering() from the filter without levels, with a function that enlarges."""
    height, width = colours.shape[:2]
    filtered = cv2.pyrMeanShiftFiltering(colours, max(sp, 1), sr, None, 0, criteria)
    if levels == 0:
        return filtered
    halved = cv2.pyrDown(colours).reshape(-(-height // 2), -(-width // 2), 3)
    coarser = filter_levels(halved, sp / 2, sr, levels - 1, criteria, enlarge_level)
    is_marked = mark_edges(coarser, sr, width, height)[..., None] != 0
    return numpy.where(is_marked, filtered, enlarge_level(coarser, width, height))


def filter_colours(colours, sp, sr, levels, criteria):
    """What cv2.pyrMeanShiftFiltering() of the present version gives."""
    here = cv2.pyrMeanShiftFiltering(colours, sp, sr, None, levels, criteria)
    if VERSION >= (4, 7) or not has_odd_rows(len(colours), levels):
        return here
    if not numpy.array_equal(here, filter_levels(colours, sp, sr, levels, criteria, enlarge_as_here)):
        sys.exit(f"OpenCV {cv2.__version__} differs from later versions in more than the last of odd rows.")
    return filter_levels(colours, sp, sr, levels, criteria, enlarge)


def opencv(picture, sp, sr, iterations, epsilon, levels, space="rgb"):
    criteria = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_MAX_ITER, iterations, epsilon)
    colours = numpy.ascontiguousarray(picture[..., :3])
    if space != "rgb":
        colours = cv2.cvtColor(colours, SPACES[space][0])
    colours = filter_colours(colours, sp, sr, levels, criteria)
    result = picture.copy()
    result[..., :3] = colours if space == "rgb" else cv2.cvtColor(colours, SPACES[space][1])
    return result


def emulate(picture, sp, sr, iterations, epsilon, rule):
    """One pixel, from the definitions of OpenCV 2.4's OpenCL filter (truncate) and CUDA filter (replicate)."""
    height, width = picture.shape[:2]
    colours = picture[..., :3].astype(numpy.int64)
    result = picture.copy()
    for y in range(height):
        for x in range(width):
            x0, y0, c = x, y, colours[y, x]
            for _ in range(iterations):
                ys, xs = numpy.mgrid[y0 - sp : y0 + sp + 1, x0 - sp : x0 + sp + 1]
                if rule == "truncate":
                    inside = (ys >= 0) & (ys < height) & (xs >= 0) & (xs < width)
                    ys, xs = ys[inside], xs[inside]
                texels = colours[numpy.clip(ys, 0, height - 1), numpy.clip(xs, 0, width - 1)]
                near = ((texels - c) ** 2).sum(-1) <= sr * sr
                n = int(near.sum())
                if n == 0:
                    break
                sums = [int(xs[near].sum()), int(ys[near].sum())] + [int(v) for v in texels[near].sum(0)]
                if rule == "truncate":
                    means = [s // n for s in sums]
                else:
                    reciprocal = numpy.float32(1) / numpy.float32(n)
                    means = [int(numpy.float32(s) * reciprocal) for s in sums]
                m = numpy.array(means[2:])
                still = (means[0], means[1]) == (x0, y0)
                change = abs(means[0] - x0) + abs(means[1] - y0) + int(((m - c) ** 2).sum())
                x0, y0, c = means[0], means[1], m
                if still or change <= epsilon:
                    break
            result[y, x, :3] = c
    return result


# Device, rule and spaces of the suite's cases: on the device a program is compiled as for users, which costs seconds.
SUITE = (("cpu", "opencv", ["rgb"]), ("cpu", "opencv", ["luv", "lab"]), ("reference", "truncate", ["rgb"]),
         ("reference", "replicate", ["rgb"]))


def suite_case(rng, number):
    device, rule, spaces = SUITE[number]
    return {**random_case(rng, rule), "sp": rng.choice([2, 4, 6]), "levels": 0, "space": rng.choice(spaces),
            "device": device}


def random_case(rng, rule=None):
    rule = rule or rng.choice(["opencv"] * 4 + ["truncate", "replicate"])
    case = {"rule": rule, "iterations": rng.choice([1, 2, 5, 5, 5, 12]), "epsilon": rng.choice([0, 1, 1, 3.5])}
    if rule == "opencv":
        case["sp"] = rng.choice([1, 2, 5, 8, 10, 15, 21, 33, 1.5, 2.5, 3.5, 6.5, round(rng.uniform(1, 20), 3)])
        case["sr"] = rng.choice([0, 1, 6, 20, 33.3, 60, 120, 255, 442, 1000, round(rng.uniform(0, 100), 3)])
        case["levels"] = rng.choice([0, 0, 0, 1, 1, 2, 3, 8])
        case["space"] = rng.choice(["rgb", "rgb", "luv", "lab"])
        picture = photograph(rng) if rng.random() < 0.4 else None
        case["picture"] = picture if picture is not None else \
            random_picture(rng, rng.randint(1, 130), rng.randint(1, 130))
    else:
        case["sp"], case["sr"] = rng.randint(1, 9), rng.choice([0, 6, 20, 60, 200])
        case["picture"] = random_picture(rng, rng.randint(1, 24), rng.randint(1, 24))
    return case


def expected_of(case):
    arguments = (case["picture"], case["sp"], case["sr"], case["iterations"], case["epsilon"])
    if case["rule"] == "opencv":
        return opencv(*arguments, case["levels"], case["space"])
    return emulate(*arguments, case["rule"])


def run_program(program, folder, case):
    source, target = os.path.join(folder, "in.png"), os.path.join(folder, "out.png")
    cv2.imwrite(source, case["picture"])
    subprocess.run(
        [program, "--headless", source, "-o", target, "--on-conflict", "overwrite", "--quiet",
         "--device", case.get("device", "cpu"), "--rule", case["rule"],
         "--levels", str(case.get("levels", 0)), "--space", case.get("space", "rgb"),
         "--sp", str(case["sp"]), "--sr", str(case["sr"]),
         "--max-iterations", str(case["iterations"]), "--epsilon", str(case["epsilon"])],
        check=True)
    return cv2.imread(target, cv2.IMREAD_UNCHANGED)


def as_rgba(picture):
    return picture if picture.shape[2] == 4 else cv2.cvtColor(picture, cv2.COLOR_BGR2BGRA)


def check_sizes(program, rng, largest, levels):
    """Every size up to largest x largest and 20 larger ones, as one folder through the serial reference."""
    case = {"sp": rng.choice([1.5, 4, 7]), "sr": rng.choice([3, 20, 50]), "iterations": 3, "epsilon": 1}
    with tempfile.TemporaryDirectory() as folder:
        source, target = os.path.join(folder, "in"), os.path.join(folder, "out")
        os.mkdir(source)
        os.mkdir(target)
        sides = range(1, largest + 1)
        sizes = [(w, h) for w in sides for h in sides] + [(rng.randint(8, 130), rng.randint(8, 130)) for _ in range(20)]
        pictures = {f"{w}x{h}": random_picture(rng, w, h) for w, h in sizes}
        for name, picture in pictures.items():
            cv2.imwrite(os.path.join(source, name + ".png"), picture)
        subprocess.run(
            [program, "--headless", source, "-o", target, "--format", "png", "--name", "{stem}.{ext}", "--quiet",
             "--device", "reference", "--levels", str(levels), "--sp", str(case["sp"]), "--sr", str(case["sr"]),
             "--max-iterations", "3"],
            check=True)
        for name, picture in pictures.items():
            actual = as_rgba(cv2.imread(os.path.join(target, name + ".png"), cv2.IMREAD_UNCHANGED))
            if not numpy.array_equal(opencv(picture, **case, levels=levels), actual):
                print(f"{name} with {levels} levels, {case}: pixels differ")
                return False
    return True


def main():
    program = sys.argv[1]
    form = os.environ.get("MS_TEST_FORM", "suite")
    full = form != "suite"
    cases = {"suite": len(SUITE), "ci": 24, "long": 100}[form]
    if full and len(sys.argv) > 2:
        cases = int(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(1 << 30)
    rng = random.Random(seed)
    print(f"seed {seed}, OpenCV {cv2.__version__}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for number in range(cases):
            case = random_case(rng) if full else suite_case(rng, number)
            expected, actual = expected_of(case), as_rgba(run_program(program, folder, case))
            if not numpy.array_equal(expected, actual):
                wrong = (expected != actual).any(-1)
                described = {key: value for key, value in case.items() if key != "picture"}
                print(f"case {number}: {described} on {case['picture'].shape[1]}x{case['picture'].shape[0]}: "
                      f"{int(wrong.sum())} pixels differ")
                return 1
    for levels in range(9 if full else 5):
        if not check_sizes(program, rng, {"suite": 7, "ci": 24, "long": 40}[form], levels):
            return 1
    print(f"{cases} cases and all small sizes with levels identical")
    return 0


if __name__ == "__main__":
    sys.exit(main())
