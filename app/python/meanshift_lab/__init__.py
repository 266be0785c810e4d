# SPDX-License-Identifier: MIT
"""Mean-shift filtering of images on any OpenCL device, with the pixels of cv2.pyrMeanShiftFiltering since OpenCV 4.7.

>>> import meanshift_lab
>>> smooth = meanshift_lab.filter(image, sp=10, sr=20)

Images are arrays of height x width x 3 or 4 values of uint8. A device is opened by the first call that uses it and kept
open for further calls. The functions release the interpreter lock and may be called from any thread.
"""

import os
import threading
from typing import NamedTuple

import numpy

from . import _library
from ._library import Engine, Error, UsageError

__all__ = [
    "ChannelStatistics", "Device", "Error", "Region", "Regions", "UsageError",
    "devices", "filter", "halo", "pyrMeanShiftFiltering", "reduce", "regions", "statistics",
]

_CHANNELS = ("r", "g", "b", "a", "luma")
_PERCENTILES = (1, 5, 25, 75, 95, 99)
_ELEMENT_TYPES = {
    "|b1": "uchar", "|u1": "uchar", "|i1": "char", "=u2": "ushort", "=i2": "short", "=i4": "int", "=u4": "uint",
    "=f4": "float", "=f8": "double",
}
_TERM_COUNT, _TERM_EPSILON = 1, 2


class Device(NamedTuple):
    """An OpenCL device: its address for the argument `device`, and how it describes itself."""

    address: str
    name: str
    platform: str
    driver: str
    kind: str


class ChannelStatistics(NamedTuple):
    """Exact numbers over the samples of one channel.

    stddev is that of the population; percentiles maps 1, 5, 25, 75, 95 and 99 to values that are interpolated as numpy
    does; histogram holds 256 counts.
    """

    count: int
    min: int
    max: int
    sum: int
    mean: float
    stddev: float
    median: float
    percentiles: dict
    nonzero: int
    histogram: numpy.ndarray


class Region(NamedTuple):
    """A region of an image.

    left, top, right, bottom: its first and last columns and rows. x, y: the centroid. mean, deviation: of each of the
    first three channels over its pixels of the image before it was filtered. neighbours: the labels of the regions that
    touch it. perimeter: the number of edges of pixels between it and another region or the outside of the image.
    """

    label: int
    pixels: int
    left: int
    top: int
    right: int
    bottom: int
    x: float
    y: float
    mean: tuple
    deviation: tuple
    neighbours: tuple
    perimeter: int


class Regions(NamedTuple):
    """The regions of an image.

    labels: height x width values of uint32, from 1 in the order of the regions' first pixels. table: a Region for each
    label, in order. means: the image in which each pixel has the mean colour of its region.
    """

    labels: numpy.ndarray
    table: list
    means: numpy.ndarray


class _Engines:
    """The devices that are open, by selector."""

    def __init__(self):
        self._lock = threading.Lock()
        self._open = {}
        self._inherited = None
        os.register_at_fork(after_in_child=self._forget)

    def _forget(self):
        # A driver's threads do not exist in a forked process. Its objects are kept, because freeing them could hang.
        self._lock = threading.Lock()
        if self._open:
            for engine in self._open.values():
                engine.forget()
            self._inherited, self._open = self._open, {}

    def get(self, device):
        with self._lock:
            if self._inherited and device != "reference":
                raise Error("This process was forked after a device had been opened, and OpenCL does not survive that. "
                            "Start processes with the method spawn or forkserver.")
            if device not in self._open:
                self._open[device] = Engine(device)
            return self._open[device]


_engines = _Engines()


def _as_image(array):
    return array if isinstance(array, numpy.ndarray) else numpy.asarray(array)


def _text(value):
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, (tuple, list)):
        return "x".join(str(part) for part in value)
    return repr(float(value)) if isinstance(value, (float, numpy.floating)) else str(value)


def _settings(**values):
    """The settings as the library takes them: name=value,name=value."""
    texts = {name.replace("_", "-"): _text(value) for name, value in values.items() if value is not None}
    for text in (*texts, *texts.values()):
        if set(text) & set(",=\0"):
            raise UsageError(f"A setting cannot hold '{text}'.")
    return ",".join(f"{name}={text}" for name, text in texts.items())


def filter(array, sp=10, sr=20, *, device="auto", out=None, band=None, progress=None, **settings):
    """Filters an image by mean shift.

    Parameters
    ----------
    array : (M, N, 3) or (M, N, 4) ndarray of uint8
        The image. Alpha is copied. An array with its channels and pixels in order, also one with gaps between its rows
        or that is read-only, is read where it lies; any other order of axes is copied once. It is never changed.
    sp : float
        Radius of the window in pixels, more than 0 to 64.
    sr : float
        Radius of the colours in levels.
    device : str
        "auto", "cpu", "gpu", a part of a name, an address as devices() lists it, or "reference".
    out : (M, N, C) ndarray of uint8, optional
        Receives the result, in any order of axes; it may be `array`. It must have the shape of `array`.
    band : (int, int), optional
        (row, height) where the array holds the rows from that row on of an image of that height, all columns. A row of
        the result is that of the whole image where halo() rows around it lie in the array or outside the image.
    progress : callable, optional
        A function of two numbers that is called during the run: rows done, and rows in all. An exception that it raises
        ends the run and is raised here; so does Ctrl+C. It cannot use the device that is running.
    **settings
        The further options of the program meanshift-lab, with underscores: max_iterations, epsilon, rule, …

    Returns
    -------
    (M, N, C) ndarray of uint8
        A new array in C order, or `out`.

    Raises
    ------
    UsageError
        For a value that cannot be used.
    Error
        Where the device fails; both say why in a sentence.
    """
    image = _as_image(array)
    result = numpy.empty(image.shape, numpy.uint8) if out is None else out
    _engines.get(device).filter(image, result, _settings(sp=sp, sr=sr, **settings), band, progress)
    return result


def halo(sp=10, max_iterations=5, levels=0):
    """The number of rows on each side that can influence a row: the overlap of bands in filter().

    Parameters
    ----------
    sp : float
    max_iterations, levels : int
        As in filter().

    Returns
    -------
    int
    """
    return _library.halo(_settings(sp=sp, max_iterations=max_iterations, levels=levels))


def regions(array, sp=10, sr=20, *, min_pixels=0, device="auto", progress=None, **settings):
    """Filters an image and divides it into regions of connected pixels whose modes lie close together.

    Two of eight neighbouring pixels are of one region where their modes, the positions at which they converge, differ
    by at most sp in column and in row, and their filtered colours by at most half of sr. In rounds, every region with
    fewer than min_pixels pixels chooses the region beside it whose mean colour is nearest, and those that choices
    connect become one, until none is too small or one is left. Every device finds the same regions.

    Parameters
    ----------
    array : (M, N, 3) or (M, N, 4) ndarray of uint8
        The image, as in filter().
    sp, sr, device, progress, **settings
        As in filter().
    min_pixels : int
        The least number of pixels of a region, 0 for any.

    Returns
    -------
    Regions
        labels, an (M, N) ndarray of uint32; table, a list of Region; means, an (M, N, C) ndarray of uint8. The arrays
        are new.
    """
    image = _as_image(array)
    if not 0 <= min_pixels < 2**32:
        raise UsageError("min_pixels takes a number from 0 to 4294967295.")
    labels, rows, means = _engines.get(device).regions(image, _settings(sp=sp, sr=sr, **settings), min_pixels, progress)
    return Regions(labels, [Region(*row) for row in rows], means)


def statistics(array, *, device="auto"):
    """Computes the statistics and histograms of an image's channels.

    Parameters
    ----------
    array : (M, N, 3) or (M, N, 4) ndarray of uint8
        The image, read as in filter().
    device : str
        As in filter().

    Returns
    -------
    dict of str to ChannelStatistics
        The keys are "r", "g", "b", "luma", and "a" where the image has four channels. A histogram is a new ndarray of
        256 values of uint64.
    """
    image = _as_image(array)
    result = {}
    for name, (*numbers, percentiles, nonzero, counts) in zip(_CHANNELS, _engines.get(device).statistics(image)):
        if name != "a" or image.shape[2] == 4:
            result[name] = ChannelStatistics(*numbers, dict(zip(_PERCENTILES, percentiles)), nonzero, counts)
    return result


def _element_type(array):
    byte_order = "=" if array.dtype.isnative and array.dtype.itemsize > 1 else array.dtype.byteorder
    name = _ELEMENT_TYPES.get(byte_order + array.dtype.kind + str(array.dtype.itemsize))
    if name is None:
        raise UsageError(f"An array of {array.dtype} cannot be reduced; convert it to one of 8, 16 or 32-bit integers, "
                         "float32 or float64.")
    return name


def reduce(array, op, *, device="auto"):
    """Reduces an array to one result.

    Parameters
    ----------
    array : ndarray of any shape
        Of bool, integers of 8, 16 or 32 bits, float32 or float64. One that is not in C order is copied.
    op : str
        An operator of the program's option --reduce, such as sum, minMax or stddev; UsageError lists them.
    device : str
        As in filter().

    Returns
    -------
    int, float or tuple
        An exact int for sums, counts and extremes of integers, else a float; a pair (minimum, maximum) for minMax; and
        ((minimum, maximum), (position, position)) for minMax-positions, where positions count elements in C order, and
        are None where every element is NaN.
    """
    elements = numpy.ascontiguousarray(array)
    return _engines.get(device).reduce(elements, _element_type(elements), op)


def devices():
    """Lists the OpenCL devices of this machine: a list of Device."""
    return [Device(*fields) for fields in _library.list_devices()]


def _limits_of(termcrit):
    kind, count, epsilon = termcrit if termcrit is not None else (0, 0, 0)
    count = min(max(int(count), 1), 100) if kind & _TERM_COUNT else 5
    return count, max(float(epsilon), 0.0) if kind & _TERM_EPSILON else 1.0


def pyrMeanShiftFiltering(src, sp, sr, dst=None, maxLevel=1, termcrit=None):
    """Filters an image like the function of that name in cv2, with identical pixels.

    They are those of OpenCV 4.7 and later. Earlier versions compute the last row of levels of odd height otherwise;
    with maxLevel=0 all versions agree. The device is that of the environment variable MEANSHIFT_LAB_DEVICE, "auto"
    where it is not set.

    Parameters
    ----------
    src : (M, N, 3) or (M, N, 4) ndarray of uint8
        The image, read as in filter().
    sp, sr : float
        Radius of the window in pixels, and of the colours in levels.
    dst : ndarray, optional
        Receives the result if it has the shape and the type of `src`; otherwise a new array does, as in cv2.
    maxLevel : int
        Levels of the pyramid above the image.
    termcrit : (int, int, float), optional
        Kind, iterations and epsilon, as in cv2.

    Returns
    -------
    (M, N, C) ndarray of uint8
    """
    image = _as_image(src)
    count, epsilon = _limits_of(termcrit)
    fits = isinstance(dst, numpy.ndarray) and dst.shape == image.shape and dst.dtype == numpy.uint8
    return filter(image, sp, sr, device=os.environ.get("MEANSHIFT_LAB_DEVICE", "auto"), out=dst if fits else None,
                  max_iterations=count, epsilon=epsilon, levels=maxLevel)
