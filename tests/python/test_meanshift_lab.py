# SPDX-License-Identifier: MIT
"""The Python package: pixels against cv2 at random shapes, arrays of every layout, errors, threads and cost."""

import concurrent.futures
import ctypes
import importlib
import inspect
import json
import math
import multiprocessing
import os
import re
import subprocess
import sys
import time

import cv2
import numpy
import pytest
import yaml

import meanshift_lab
from meanshift_lab import _library, _napari

HERE = os.path.dirname(__file__)
SOURCE = os.environ["MS_SOURCE_ROOT"]
SAMPLE = os.path.join(SOURCE, "data", "samples", "harbour.png")
PACKAGE = os.path.dirname(meanshift_lab.__file__)
not_sanitized = pytest.mark.skipif(os.environ["MS_SANITIZE"] != "none", reason="measures time, or leaks of matplotlib")


def picture(shape, seed):
    """Steps of colour with noise, so that windows hold near and far colours."""
    random = numpy.random.default_rng(seed)
    height, width, channels = shape
    y, x = numpy.mgrid[:height, :width]
    base = ((x // 7 + y // 5)[..., None] * numpy.array([23, 41, 11, 0])[:channels]) % 200
    return (base + random.integers(0, 24, shape)).astype(numpy.uint8)


def expected(image, sp, sr):
    criteria = (cv2.TERM_CRITERIA_COUNT + cv2.TERM_CRITERIA_EPS, 5, 1)
    colours = cv2.pyrMeanShiftFiltering(numpy.ascontiguousarray(image[..., :3]), sp, sr, maxLevel=0, termcrit=criteria)
    return numpy.concatenate([colours, image[..., 3:]], axis=2)


# Each radius takes kernels of its own, which are compiled.
RADII = [2, 4, 6.5, 10]


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("channels", [3, 4])
def test_pixels_are_those_of_opencv(seed, channels):
    random = numpy.random.default_rng(seed)
    height, width = (int(n) for n in random.integers(1, 90, 2))
    sp, sr = RADII[seed % len(RADII)], float(random.integers(1, 60))
    image = picture((height, width, channels), seed)
    assert numpy.array_equal(meanshift_lab.filter(image, sp, sr), expected(image, sp, sr))


def test_function_of_opencv():
    image = picture((40, 50, 3), 1)
    criteria = (cv2.TERM_CRITERIA_COUNT, 2, 0)
    target = numpy.empty_like(image)
    result = meanshift_lab.pyrMeanShiftFiltering(image, 6, 30, target, 0, criteria)
    assert result is target
    assert numpy.array_equal(result, cv2.pyrMeanShiftFiltering(image, 6, 30, maxLevel=0, termcrit=criteria))
    mismatched = numpy.empty((1, 1, 3), numpy.uint8)
    again = meanshift_lab.pyrMeanShiftFiltering(image, 6, 30, dst=mismatched, maxLevel=0)
    assert numpy.array_equal(again, cv2.pyrMeanShiftFiltering(image, 6, 30, maxLevel=0))


@pytest.mark.parametrize("levels", [None, 2])
def test_levels_of_opencv(levels):
    # Before 4.7 cv2 computed the last of an odd number of rows otherwise.
    is_present = [int(number) for number in cv2.__version__.split(".")[:2]] >= [4, 7]
    image = picture((41 if is_present else 40, 51, 3), 1)
    options = {} if levels is None else {"maxLevel": levels}
    ours = meanshift_lab.pyrMeanShiftFiltering(image, 6, 30, **options)
    assert numpy.array_equal(ours, cv2.pyrMeanShiftFiltering(image, 6, 30, **options))


LAYOUTS = {
    "rows with gaps": lambda a: a[:, 3:40],
    "every second pixel": lambda a: a[::2, ::2],
    "upside down": lambda a: a[::-1],
    "mirrored": lambda a: a[:, ::-1],
    "reversed channels": lambda a: a[..., 2::-1],
    "Fortran order": numpy.asfortranarray,
    "transposed": lambda a: a.transpose(1, 0, 2),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("channels", [3, 4])
def test_every_layout_gives_the_pixels_of_a_copy(layout, channels):
    view = LAYOUTS[layout](picture((50, 60, channels), 2))
    assert numpy.array_equal(meanshift_lab.filter(view, 4, 25), meanshift_lab.filter(view.copy(order="C"), 4, 25))


def peak_of_a_call(view):
    """What one call adds to the peak of resident memory, in images of view's size with four channels."""
    script = f"""
import resource, numpy, meanshift_lab
whole = numpy.random.default_rng(1).integers(0, 256, (2048, 2112, 4), dtype=numpy.uint8)
whole.flags.writeable = False
image = whole{view}
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
meanshift_lab.filter(image, 1, 0, max_iterations=1, device="reference")
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 16384)
"""
    return float(subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout)


def a_call_costs_at_most(image, seconds):
    """The driver filters on threads of its own, so all that this thread computes is the cost of a call. One of many is
    enough, since other processes that use the same caches only add to it."""
    for _ in range(100):
        start = time.thread_time()
        meanshift_lab.filter(image, 1, 0, max_iterations=1)
        if time.thread_time() - start < seconds:
            return True
    return False


# The reference makes a result of its own, and the call one; three channels take three quarters of an image.
@not_sanitized
@pytest.mark.parametrize("view, images", [("", 2), ("[:, :2048]", 3), ("[:, :2048, 2::-1]", 2.75)])
def test_input_is_copied_once_at_most(view, images):
    assert peak_of_a_call(view) < images + 0.4


@not_sanitized
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("channels", [3, 4])
def test_every_layout_costs_little(layout, channels):
    view = LAYOUTS[layout](picture((512, 512, channels), 7))
    assert a_call_costs_at_most(view, 0.004)


def test_read_only_input_stays_as_it_is():
    image = picture((20, 30, 4), 3)
    before = image.copy()
    image.flags.writeable = False
    result = meanshift_lab.filter(image)
    assert result.flags.writeable and not numpy.shares_memory(result, image)
    assert numpy.array_equal(image, before) and not numpy.array_equal(result, before)


def test_result_goes_into_an_array_of_the_caller():
    image = picture((20, 30, 4), 3)
    large = numpy.zeros((20, 50, 4), numpy.uint8)
    result = meanshift_lab.filter(image, out=large[:, 10:40])
    assert numpy.array_equal(result, meanshift_lab.filter(image))
    assert not large[:, :10].any() and not large[:, 40:].any() and large[:, 10:40].any()
    assert numpy.array_equal(meanshift_lab.filter(image, out=image), result)


@pytest.mark.parametrize("channels", [3, 4])
def test_result_goes_into_an_array_of_any_layout(channels):
    image = picture((20, 30, channels), 3)
    result = meanshift_lab.filter(image)
    large = numpy.zeros((60, 60, 5), numpy.uint8)
    for out in (numpy.zeros(image.shape, numpy.uint8, order="F"), large[:40:2, ::2, :channels],
                large[59:19:-2, 59::-2, 4:4 - channels:-1], large[:20, :30, :channels],
                numpy.zeros((channels, 20, 30), numpy.uint8).transpose(1, 2, 0)):
        out[:] = 0
        assert meanshift_lab.filter(image, out=out) is out
        assert numpy.array_equal(out, result)


@pytest.mark.parametrize("shape, dtype, what", [((8, 8, 4), "u1", "shape"), ((8, 8), "u1", "shape"),
                                                ((8, 8, 3), "i1", "uint8"), ((8, 8, 3), "u2", "uint8")])
def test_a_result_of_another_form_is_refused_with_what_is_wrong(shape, dtype, what):
    with pytest.raises(meanshift_lab.UsageError, match=what):
        meanshift_lab.filter(picture((8, 8, 3), 1), out=numpy.zeros(shape, dtype))


@pytest.mark.parametrize("band", [(5, 0), (0, 0), (0, 7), (1, 8), (-1, 20), (2**31 - 1, 8), (0, -1)])
def test_a_band_that_does_not_lie_in_the_image_is_refused(band):
    with pytest.raises(meanshift_lab.UsageError, match=f"8 rows from row {band[0]} on .* {band[1]} rows"):
        meanshift_lab.filter(picture((8, 8, 3), 1), band=band)


@pytest.mark.parametrize("text", ["opencv\0x", "opencv,sp=3", "opencv=x"])
def test_texts_that_are_more_than_one_setting_are_refused(text):
    for settings in ({"rule": text}, {text: "opencv"}):
        with pytest.raises(ValueError, match="null character|cannot hold"):
            meanshift_lab.filter(picture((8, 8, 3), 1), **settings)


@pytest.mark.parametrize("sp, iterations", [(10, 5), (6.5, 3), (1, 100)])
def test_halo_of_a_filter_without_levels(sp, iterations):
    assert meanshift_lab.halo(sp, iterations) == math.ceil(sp) * (iterations + 1)
    assert meanshift_lab.halo(sp, iterations, levels=2) > 2 * meanshift_lab.halo(sp, iterations)


def test_positions_of_nan_alone_are_none():
    (low, high), positions = meanshift_lab.reduce(numpy.full(50, numpy.nan, "f4"), "minMax-positions")
    assert math.isnan(low) and math.isnan(high) and positions == (None, None)


@pytest.mark.parametrize("shape, dtype", [((4, 4), "u1"), ((4, 4, 2), "u1"), ((4, 4, 5), "u1"), ((4, 4, 3), "u2"),
                                          ((4, 4, 3), "f4"), ((4, 4, 3), "i1"), ((0, 4, 3), "u1"), ((4, 0, 4), "u1")])
def test_what_is_no_image_is_refused(shape, dtype):
    with pytest.raises(meanshift_lab.UsageError, match=r"\.$"):
        meanshift_lab.filter(numpy.zeros(shape, dtype))


@pytest.mark.parametrize("settings", [{"sp": 0}, {"sr": -1}, {"rule": "none"}, {"colour": 3}, {"max_iterations": 1.5},
                                      {"rule": "truncate", "sp": 2.5}, {"out": numpy.zeros((3, 3, 3), "u1")}])
def test_wrong_settings_are_refused(settings):
    with pytest.raises(ValueError, match=r"\.$"):
        meanshift_lab.filter(picture((8, 8, 3), 1), **settings)


def test_sentences_are_those_of_the_program():
    with pytest.raises(meanshift_lab.UsageError) as caught:
        meanshift_lab.filter(picture((8, 8, 3), 1), sp=99)
    command = [os.environ["MS_PROGRAM"], "--headless", SAMPLE, "--sp", "99.0", "-o", os.devnull]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and str(caught.value).replace("99", "99.0") in done.stderr + str(caught.value)
    assert "--sp" in str(caught.value) and "64" in str(caught.value)


def test_unknown_device_is_an_error():
    with pytest.raises(meanshift_lab.Error, match="no such device"):
        meanshift_lab.filter(picture((8, 8, 3), 1), device="no such device")


def test_settings_decide_the_result_or_the_kernel():
    image = picture((40, 40, 4), 4)
    usual = meanshift_lab.filter(image)
    assert not numpy.array_equal(meanshift_lab.filter(image, max_iterations=1), usual)
    for settings in ({"kernel": "direct", "local_memory": True}, {"kernel": "direct", "work_group": (8, 4)},
                     {"device": "reference"}):
        assert numpy.array_equal(meanshift_lab.filter(image, **settings), usual)


def test_devices():
    """Those that the program lists, with the same texts."""
    command = [os.environ["MS_PROGRAM"], "--list-devices", "--json", "-"]
    listed = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["devices"]
    names = ("address", "name", "platform", "driver", "type")
    assert [tuple(device) for device in meanshift_lab.devices()] == [tuple(row[n] for n in names) for row in listed]
    addresses = [device.address for device in meanshift_lab.devices()]
    assert addresses and all(re.fullmatch(r"\d+:\d+", address) for address in addresses)
    image = picture((8, 8, 3), 1)
    assert numpy.array_equal(meanshift_lab.filter(image, device=addresses[0]), meanshift_lab.filter(image))


def flooded(filtered, sr):
    """The colours that region growing by OpenCV joins: neighbours whose colours differ by little in each channel."""
    mask = numpy.zeros((filtered.shape[0] + 2, filtered.shape[1] + 2), numpy.uint8)
    cv2.floodFill(filtered.copy(), mask, (0, 0), 0, (sr,) * 3, (sr,) * 3, 8 | cv2.FLOODFILL_MASK_ONLY)
    return mask[1:-1, 1:-1] > 0


@pytest.mark.parametrize("device", ["auto", "reference"])
@pytest.mark.parametrize("channels", [3, 4])
def test_regions_are_what_their_table_says(device, channels):
    image = picture((45, 61, channels), 8)
    image[::9, ::7, :3] = 255
    found = meanshift_lab.regions(image[:, ::-1], 5, 18, min_pixels=15, device=device)
    every = meanshift_lab.regions(image[:, ::-1], 5, 18, device=device)
    assert found.labels.shape == (45, 61) and 1 < len(found.table) < len(every.table)
    assert [region.label for region in found.table] == list(numpy.unique(found.labels))
    first_seen = numpy.unique(found.labels, return_index=True)[1]
    assert list(first_seen) == sorted(first_seen)
    for region in found.table:
        mask = found.labels == region.label
        y, x = numpy.nonzero(mask)
        pixels = image[:, ::-1][mask][:, :3]
        assert region.pixels == len(x) >= 15
        assert (region.left, region.top, region.right, region.bottom) == (x.min(), y.min(), x.max(), y.max())
        assert numpy.allclose((region.x, region.y), (x.mean(), y.mean()))
        assert numpy.allclose(region.mean, pixels.mean(axis=0)) and numpy.allclose(region.deviation, pixels.std(axis=0))
        around = cv2.dilate(mask.astype("u1"), numpy.ones((3, 3), "u1")) > 0
        assert set(region.neighbours) == set(numpy.unique(found.labels[around])) - {region.label}
        padded = numpy.pad(mask.astype(int), 1)
        assert region.perimeter == abs(numpy.diff(padded, axis=0)).sum() + abs(numpy.diff(padded, axis=1)).sum()
        assert (found.means[mask][:, :3] == numpy.floor(pixels.mean(axis=0) + 0.5)).all()
    if channels == 4:
        assert numpy.array_equal(found.means[..., 3], image[:, ::-1, 3])


def test_region_stays_within_what_opencv_grows():
    image = picture((45, 61, 3), 9)
    labels = meanshift_lab.regions(image, 5, 18).labels
    first = labels == labels[0, 0]
    assert first.sum() > 1 and not (first & ~flooded(meanshift_lab.filter(image, 5, 18), 9)).any()


@pytest.mark.parametrize("settings", [{"min_pixels": -1}, {"rule": "replicate"}, {"sp": 0}])
@pytest.mark.parametrize("device", ["auto", "reference"])
def test_regions_refuse_what_has_no_modes(settings, device):
    with pytest.raises(ValueError, match=r"\.$"):
        meanshift_lab.regions(picture((8, 8, 3), 1), device=device, **settings)
    with pytest.raises(ValueError, match=r"\.$"):
        meanshift_lab.regions(numpy.zeros((8, 8), "u1"))


@pytest.mark.parametrize("channels", [3, 4])
@pytest.mark.parametrize("device", ["auto", "reference"])
def test_statistics_are_those_of_numpy(channels, device):
    image = picture((33, 47, channels), 5)
    result = meanshift_lab.statistics(image, device=device)
    assert list(result) == ["r", "g", "b"] + ["a"] * (channels - 3) + ["luma"]
    for index, name in enumerate("rgba"[:channels]):
        samples, numbers = image[..., index], result[name]
        assert (numbers.count, numbers.min, numbers.max, numbers.sum) == \
            (samples.size, samples.min(), samples.max(), samples.sum())
        assert numpy.isclose(numbers.mean, samples.mean()) and numpy.isclose(numbers.stddev, samples.std())
        assert numbers.median == numpy.median(samples) and numbers.nonzero == numpy.count_nonzero(samples)
        assert all(numpy.isclose(value, numpy.percentile(samples, p)) for p, value in numbers.percentiles.items())
        assert numpy.array_equal(numbers.histogram, numpy.bincount(samples.ravel(), minlength=256))


@pytest.mark.parametrize("device, dtype", [("auto", "f4")] + [
    ("reference", dtype) for dtype in ("u1", "i1", "u2", "i2", "i4", "u4", "f4", "f8")])
def test_reductions_are_those_of_numpy(device, dtype):
    random = numpy.random.default_rng(6)
    low = 0 if dtype[0] == "u" else -100
    array = random.integers(low, 100, (37, 53)).astype(dtype)
    reduce = lambda op: meanshift_lab.reduce(array, op, device=device)
    wide = array.astype("f8" if dtype[0] == "f" else object)
    assert reduce("sum") == wide.sum() and reduce("sum-squares") == (wide * wide).sum()
    assert reduce("minMax") == (array.min(), array.max())
    assert reduce("minMax-positions") == ((array.min(), array.max()), (array.argmin(), array.argmax()))
    assert reduce("count-nonzero") == numpy.count_nonzero(array)
    assert numpy.isclose(reduce("mean"), array.mean()) and numpy.isclose(reduce("stddev"), array.astype("f8").std())
    assert isinstance(reduce("min"), float if dtype[0] == "f" else int) and reduce("min") == array.min()


@pytest.mark.parametrize("dtype", ["i4", "f4"])
def test_every_operation_returns_what_its_text_in_the_program_says(dtype):
    """A pair only where there are two numbers, and an int only where the numbers are integers by definition."""
    array = numpy.array([3, -7, 120, 120, 12], dtype=dtype)
    with pytest.raises(meanshift_lab.UsageError) as refusal:
        meanshift_lab.reduce(array, "product")
    operations = str(refusal.value).rsplit(": ", 1)[1].rstrip(".").split(", ")
    assert len(operations) >= 11
    number = int if dtype == "i4" else float
    shapes = {op: meanshift_lab.reduce(array, op, device="reference") for op in operations}
    for op, value in shapes.items():
        if isinstance(value, tuple):
            assert op.startswith("minMax")
        elif op in ("mean", "stddev", "norm2"):
            assert isinstance(value, float)
        else:
            assert isinstance(value, int if op == "count-nonzero" else number), op
    assert shapes["minMax-positions"] == ((-7, 120), (1, 2))
    assert all(isinstance(x, number) for x in shapes["minMax"])


def test_reductions_take_views_and_refuse_other_types():
    array = numpy.arange(60, dtype="i4").reshape(6, 10)
    assert meanshift_lab.reduce(array[::2, ::3], "sum") == array[::2, ::3].sum()
    assert meanshift_lab.reduce(array > 10, "sum") == (array > 10).sum()
    for wrong in (array.astype("i8"), array.astype(">i4"), array.astype("c8"), array[:0]):
        with pytest.raises(meanshift_lab.UsageError, match=r"\.$"):
            meanshift_lab.reduce(wrong, "sum")
    with pytest.raises(meanshift_lab.UsageError, match="product"):
        meanshift_lab.reduce(array, "product")


def test_threads_share_a_device_and_do_not_hold_the_interpreter():
    images = [picture((150, 150, 4), seed) for seed in range(6)]
    alone = [meanshift_lab.filter(image, 10, 40) for image in images]
    turns = 0
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        futures = [pool.submit(meanshift_lab.filter, image, 10, 40) for image in images]
        while not all(future.done() for future in futures):
            turns += 1
            time.sleep(0)
        together = [future.result() for future in futures]
    assert all(numpy.array_equal(a, b) for a, b in zip(alone, together))
    assert turns > 10


CALLS = {"filter": meanshift_lab.filter, "regions": meanshift_lab.regions}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("device", ["auto", "reference"])
def test_progress_counts_the_rows(call, device):
    image = picture((40, 30, 4), 3)
    told = []
    CALLS[call](image, 3, 20, device=device, progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (40, 40) and told == sorted(told)
    before = len(told)
    CALLS[call](image, 3, 20, device=device)
    assert len(told) == before


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("device", ["auto", "reference"])
def test_exception_of_progress_ends_the_run(call, device):
    image = picture((40, 30, 3), 3)
    told = []

    def give_up(done, total):
        told.append(done)
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough") as caught:
        CALLS[call](image, 3, 20, device=device, progress=give_up)
    assert caught.traceback[-1].name == "give_up" and len(told) == 1
    if device == "reference":
        assert told[0] < 40
    assert CALLS[call](image, 3, 20, device=device) is not None


def test_progress_cannot_use_its_device():
    image = picture((20, 30, 4), 3)
    with pytest.raises(meanshift_lab.UsageError, match="cannot use the device"):
        meanshift_lab.filter(image, progress=lambda done, total: meanshift_lab.statistics(image))
    others = []
    meanshift_lab.filter(image, progress=lambda *_: others.append(meanshift_lab.filter(image, device="reference")))
    assert numpy.array_equal(others[-1], meanshift_lab.filter(image))
    with pytest.raises(meanshift_lab.UsageError, match="two numbers"):
        meanshift_lab.filter(image, progress=3)


def test_each_thread_is_told_of_its_own_run():
    images = [picture((rows, 30, 4), rows) for rows in range(20, 28)]
    told = {}

    def run(image):
        totals = told[len(image)] = set()
        return meanshift_lab.filter(image, 3, 20, progress=lambda done, total: totals.add(total))

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(run, images))
    assert told == {len(image): {len(image)} for image in images}


def _filter_forked(connection):
    try:
        connection.send(str(meanshift_lab.filter(picture((8, 8, 3), 1)).shape))
    except meanshift_lab.Error as error:
        connection.send(str(error))


def test_forked_process_says_why_it_cannot_filter():
    meanshift_lab.filter(picture((8, 8, 3), 1))
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("fork").Process(target=_filter_forked, args=(theirs,))
    process.start()
    assert ours.poll(30) and "spawn" in ours.recv()
    process.join()


@not_sanitized
@pytest.mark.parametrize("channels", [3, 4])
def test_a_call_costs_little_beside_the_filter(channels):
    assert a_call_costs_at_most(picture((512, 512, channels), 7), 0.002)


@pytest.mark.parametrize("function, others", [("filter", {"array", "device", "out", "band", "progress"}),
                                              ("regions", {"array", "device", "min_pixels", "progress"})])
def test_stub_names_every_setting(function, others):
    text = open(os.path.join(PACKAGE, "__init__.pyi"), encoding="utf-8").read()
    arguments = set(re.findall(r"(\w+):", text.partition(f"def {function}(")[2].partition(")")[0]))
    with pytest.raises(meanshift_lab.UsageError) as refusal:
        meanshift_lab.filter(picture((8, 8, 3), 1), nothing=1)
    names = {name.replace("-", "_") for name in str(refusal.value).rsplit(": ", 1)[1].rstrip(".").split(", ")}
    assert arguments - others == names


def test_everything_public_has_a_docstring_and_a_type():
    text = open(os.path.join(PACKAGE, "__init__.pyi"), encoding="utf-8").read()
    for name in meanshift_lab.__all__:
        assert inspect.getdoc(getattr(meanshift_lab, name)), name
        assert re.search(rf"(?m)^(def|class) {name}\b", text), name
        if fields := getattr(getattr(meanshift_lab, name), "_fields", None):
            members = text.partition(f"class {name}(")[2].partition("\n\n")[0]
            assert tuple(re.findall(r"(?m)^    (\w+):", members)) == fields
    assert os.path.exists(os.path.join(PACKAGE, "py.typed"))


@not_sanitized
def test_example_plots_before_and_after(tmp_path):
    pytest.importorskip("matplotlib")
    source, plot = tmp_path / "source.png", tmp_path / "plot.png"
    cv2.imwrite(str(source), cv2.imread(SAMPLE)[200:290, 300:420])
    example = os.path.join(SOURCE, "app", "python", "examples", "plot.py")
    subprocess.run([sys.executable, example, source, plot], check=True, env={**os.environ, "MPLBACKEND": "agg"})
    assert cv2.imread(str(plot)).std() > 10


def test_the_functions_document_shapes_types_and_copies():
    for name in ("filter", "regions", "statistics", "reduce", "halo", "pyrMeanShiftFiltering"):
        function = getattr(meanshift_lab, name)
        parameters = inspect.getdoc(function).split("----------")[1].split("Returns\n")[0]
        documented = set(re.findall(r"^(\S.*?)(?: : .*)?$", parameters, re.M))
        documented = {part for line in documented for part in line.replace("*", "").split(", ")}
        assert documented == set(inspect.signature(function).parameters), name
    assert "ndarray of uint8" in meanshift_lab.filter.__doc__ and "copied once" in meanshift_lab.filter.__doc__


def test_structs_are_those_of_the_header():
    """Each member of each struct has the name, the place and the type that the header gives it."""
    header = open(os.path.join(SOURCE, "core", "api", "meanshift-lab.h"), encoding="utf-8").read()
    plain = re.sub(r"/\*.*?\*/", "", header, flags=re.S)
    channels = re.search(r"typedef enum {([^}]*)} MslabChannel;", plain).group(1)
    assert [name.strip() for name in channels.split(",")].index("MSLAB_N_CHANNELS") == _library.N_CHANNELS
    kinds = {"int": "c_int", "guint": "c_uint", "gboolean": "c_int", "guint32": "c_uint", "gsize": "c_ulong",
             "guint64": "c_ulong", "double": "c_double", "const char *": "c_char_p", "char": "c_char",
             "MslabProgress": "CFunctionType", "MslabChannelStatistics": "MslabChannelStatistics"}
    structs = dict((name, body) for body, name in re.findall(r"typedef struct {([^}]*)} (\w+);", plain))
    assert len(structs) > 8
    for name, body in structs.items():
        fields = []
        for kind, member, size in re.findall(r"\s*(.*?)(\w+)((?:\[\w+\])*);", body):
            shape = size.replace("MSLAB_N_CHANNELS", str(_library.N_CHANNELS))
            fields.append((member, kinds.get(kind.strip(), "pointer"), shape))
        ours = []
        for member, kind in getattr(_library, name)._fields_:
            shape = ""
            while issubclass(kind, ctypes.Array):
                shape, kind = f"{shape}[{kind._length_}]", kind._type_
            is_pointer = kind is ctypes.c_void_p or issubclass(kind, ctypes._Pointer)
            ours.append((member, "pointer" if is_pointer else kind.__name__, shape))
        assert ours == fields, name


def test_napari_finds_its_widgets():
    """The manifest names functions that take arrays; napari itself is not needed to call them."""
    manifest = yaml.safe_load(open(os.path.join(PACKAGE, "napari.yaml"), encoding="utf-8"))
    commands = {command["id"]: command["python_name"] for command in manifest["contributions"]["commands"]}
    for widget in manifest["contributions"]["widgets"]:
        module, name = commands[widget["command"]].split(":")
        assert all(part.annotation is not inspect.Parameter.empty and name != "array" for part in
                   inspect.signature(getattr(importlib.import_module(module), name)).parameters.values())
    image = picture((20, 30, 3), 3)
    assert numpy.array_equal(_napari.smooth(image, 5, 10), meanshift_lab.filter(image, 5, 10, levels=0))
    assert numpy.array_equal(_napari.divide(image, 5, 10, 9), meanshift_lab.regions(image, 5, 10, min_pixels=9).labels)


def test_napari_reads_the_manifest():
    npe2 = pytest.importorskip("npe2", reason="npe2, which reads napari's manifests, is not installed")
    manifest = npe2.PluginManifest.from_file(os.path.join(PACKAGE, "napari.yaml"))
    names = [widget.display_name for widget in manifest.contributions.widgets]
    assert names == ["Mean-shift filter", "Mean-shift regions"]
    manifest.validate_imports()
