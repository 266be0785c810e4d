# SPDX-License-Identifier: MIT
"""libmeanshift-lab-1 for the code beside it: its functions and structs as meanshift-lab.h has them, and an open device.

Calls release the interpreter lock. A test compares the structs with the header.
"""

import ctypes
import os
import threading
import weakref
from ctypes import POINTER, Structure, c_char_p, c_double, c_int, c_size_t, c_uint, c_uint32, c_uint64, c_void_p

import numpy


class Error(RuntimeError):
    """What failed, in a sentence."""


class UsageError(Error, ValueError):
    """An argument or setting has a value that it cannot take."""


Error.__module__ = UsageError.__module__ = "meanshift_lab"

N_CHANNELS = 5
_ERRORS_OF_THE_CALLER = (0, 3)  # MSLAB_ERROR_USAGE and MSLAB_ERROR_UNSUPPORTED
_NO_POSITION = 2**64 - 1
_Progress = ctypes.CFUNCTYPE(None, c_int, c_int, c_void_p)


class _Error(Structure):  # GError
    _fields_ = [("domain", c_uint32), ("code", c_int), ("message", c_char_p)]


class MslabImage(Structure):
    _fields_ = [("pixels", c_void_p), ("width", c_int), ("height", c_int), ("stride", c_size_t), ("channels", c_int),
                ("owner", c_void_p)]


class MslabDeviceInfo(Structure):
    _fields_ = [(name, c_char_p) for name in ("address", "name", "platform", "driver", "kind")]


class MslabBand(Structure):
    _fields_ = [("first_row", c_int), ("image_height", c_int)]


class MslabJob(Structure):
    _fields_ = [("settings", c_char_p), ("band", POINTER(MslabBand)), ("min_pixels", c_uint),
                ("cancellable", c_void_p), ("progress", _Progress), ("progress_data", c_void_p)]


class MslabRegion(Structure):
    _fields_ = [("pixels", c_uint32), ("left", c_int), ("top", c_int), ("right", c_int), ("bottom", c_int),
                ("x", c_double), ("y", c_double), ("perimeter", c_uint64), ("mean", c_double * 3),
                ("deviation", c_double * 3), ("n_neighbours", c_uint), ("neighbours", POINTER(c_uint32))]


class MslabRegions(Structure):
    _fields_ = [("n", c_uint32), ("regions", POINTER(MslabRegion)), ("labels", POINTER(c_uint32))]


class MslabChannelStatistics(Structure):
    _fields_ = [("count", c_uint64), ("min", c_uint), ("max", c_uint), ("sum", c_uint64), ("mean", c_double),
                ("stddev", c_double), ("median", c_double), ("percentiles", c_double * 6), ("nonzero", c_uint64),
                ("clipped_low", c_uint64), ("clipped_high", c_uint64)]


class MslabStatistics(Structure):
    _fields_ = [("channels", MslabChannelStatistics * N_CHANNELS), ("histograms", c_uint64 * 256 * N_CHANNELS)]


class MslabArray(Structure):
    _fields_ = [("type", c_char_p), ("elements", c_void_p), ("size", c_size_t)]


class MslabReduction(Structure):
    _fields_ = [("n_numbers", c_uint), ("numbers", c_double * 2), ("is_integer", c_int), ("has_positions", c_int),
                ("positions", c_uint64 * 2), ("text", ctypes.c_char * 128)]


_FUNCTIONS = {
    "mslab_error_quark": (c_uint32,),
    "mslab_list_devices": (POINTER(MslabDeviceInfo), POINTER(c_size_t), POINTER(POINTER(_Error))),
    "mslab_open": (c_void_p, c_char_p, POINTER(POINTER(_Error))),
    "mslab_close": (None, c_void_p),
    "mslab_halo": (c_int, c_char_p, POINTER(POINTER(_Error))),
    "mslab_image_clear": (None, POINTER(MslabImage)),
    "mslab_filter": (c_int, c_void_p, POINTER(MslabImage), POINTER(MslabJob), POINTER(MslabImage),
                     POINTER(POINTER(_Error))),
    "mslab_regions": (POINTER(MslabRegions), c_void_p, POINTER(MslabImage), POINTER(MslabJob), POINTER(MslabImage),
                      POINTER(POINTER(_Error))),
    "mslab_regions_free": (None, POINTER(MslabRegions)),
    "mslab_statistics": (c_int, c_void_p, POINTER(MslabImage), c_void_p, POINTER(MslabStatistics),
                         POINTER(POINTER(_Error))),
    "mslab_reduce": (c_int, c_void_p, c_char_p, POINTER(MslabArray), c_void_p, POINTER(MslabReduction),
                     POINTER(POINTER(_Error))),
    # Of GLib, on which the library depends.
    "g_cancellable_new": (c_void_p,),
    "g_cancellable_cancel": (None, c_void_p),
    "g_object_unref": (None, c_void_p),
    "g_error_free": (None, POINTER(_Error)),
    "g_free": (None, c_void_p),
}


def _load():
    """The library beside this file where the package stands alone, else that of the system."""
    own = os.path.join(os.path.dirname(__file__), "libmeanshift-lab.so")
    library = ctypes.CDLL(own if os.path.exists(own) else "libmeanshift-lab-1.so.0")
    for name, (result, *arguments) in _FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


_library = _load()


def _call(name, *arguments):
    """Calls a function whose last argument is a GError, which becomes an exception."""
    error = POINTER(_Error)()
    result = getattr(_library, name)(*arguments, ctypes.byref(error))
    if not error:
        return result
    given = error.contents
    is_of_the_caller = given.domain == _library.mslab_error_quark() and given.code in _ERRORS_OF_THE_CALLER
    sentence = given.message.decode("utf-8", "replace")
    _library.g_error_free(error)
    raise (UsageError if is_of_the_caller else Error)(sentence)


def _encode(text):
    if "\0" in text:
        raise UsageError("A text cannot hold a null character.")
    return os.fsencode(text)


def list_devices():
    """A tuple of address, name, platform, driver and kind for each device."""
    n = c_size_t()
    devices = _call("mslab_list_devices", ctypes.byref(n))
    rows = [tuple(getattr(devices[i], name).decode("utf-8", "replace") for name, _ in MslabDeviceInfo._fields_)
            for i in range(n.value)]
    _library.g_free(devices)
    return rows


def halo(settings):
    """The rows on each side that can influence a row."""
    return _call("mslab_halo", _encode(settings))


def _has_plain_rows(array):
    """Whether the samples of a pixel and the pixels of a row follow each other, with rows in ascending order."""
    height, width, channels = array.shape
    return array.strides[1:] == (channels, 1) and (array.strides[0] >= width * channels or height == 1)


def _image_over(array):
    """The memory of an array with plain rows."""
    height, width, channels = array.shape
    return MslabImage(array.ctypes.data, width, height, max(array.strides[0], width * channels), channels, None)


def _image_of(array):
    """The image of an array and what holds its memory: four channels in order, where the array has another one."""
    if array.ndim != 3 or array.dtype != numpy.uint8 or array.shape[2] not in (3, 4) or max(array.shape) >= 2**31:
        raise UsageError("An image is an array of height x width x 3 or 4 values of uint8.")
    if array.size == 0 or _has_plain_rows(array):
        return _image_over(array), array
    copy = numpy.empty((*array.shape[:2], 4), numpy.uint8)
    copy[..., 3] = 255
    for channel in range(array.shape[2]):
        copy[..., channel] = array[..., channel]
    return _image_over(copy), copy


def _array_at(address, shape, kind=ctypes.c_uint8):
    """An array over memory of the library's, as long as that lasts."""
    return numpy.ctypeslib.as_array(ctypes.cast(address, POINTER(kind)), shape)


class _Watched:
    """The job of a run, whose function for progress may end it by an exception, which finish() raises."""

    def __init__(self, settings, progress, **members):
        if progress is not None and not callable(progress):
            raise UsageError("progress takes a function of two numbers: rows done, and rows in all.")
        self._told = progress
        self._raised = None
        self._cancellable = _library.g_cancellable_new() if progress is not None else None
        callback = _Progress(self._tell) if progress is not None else _Progress()
        self.job = MslabJob(settings=_encode(settings), cancellable=self._cancellable, progress=callback, **members)

    def _tell(self, done, total, _):
        if self._raised is None:
            try:
                self._told(done, total)
            except BaseException as raised:
                self._raised = raised
                _library.g_cancellable_cancel(self._cancellable)

    def __enter__(self):
        return self.job

    def __exit__(self, *_):
        if self._cancellable is not None:
            _library.g_object_unref(self._cancellable)
        if self._raised is not None:
            raise self._raised


class Engine:
    """An open device. Threads may share it; their calls run one after another."""

    def __init__(self, selector):
        self._device = _call("mslab_open", _encode(selector))
        self._close = weakref.finalize(self, _library.mslab_close, self._device)
        self._turn = threading.Lock()
        self._running = None

    def forget(self):
        """Leaves the device open, of which a forked process has no threads."""
        self._close.detach()

    def _run(self, name, *arguments):
        # The function that a run calls must not wait for the end of that run.
        if self._running == threading.get_ident():
            raise UsageError("The function for progress cannot use the device whose progress it is told.")
        with self._turn:
            self._running = threading.get_ident()
            try:
                return _call(name, self._device, *arguments)
            finally:
                self._running = None

    def filter(self, array, into, settings, band, progress):
        """Filters into an array of the same shape, in any order of axes."""
        image, _memory = _image_of(array)
        if into.dtype != numpy.uint8 or not into.flags.writeable:
            raise UsageError("The array for the result needs values of uint8 that can be changed.")
        if into.shape != array.shape:
            raise UsageError("The array for the result needs the shape of the image.")
        result = _image_over(into) if _has_plain_rows(into) else MslabImage()
        place = None if band is None else ctypes.pointer(MslabBand(*band))
        with _Watched(settings, progress, band=place) as job:
            self._run("mslab_filter", image, job, result)
        if result.owner:
            into[...] = _array_at(result.pixels, (*array.shape[:2], 4))[..., :array.shape[2]]
            _library.mslab_image_clear(result)

    def statistics(self, array):
        """A tuple of the fields of ChannelStatistics for each of R, G, B, A and luma."""
        image, _memory = _image_of(array)
        found = MslabStatistics()
        self._run("mslab_statistics", image, None, found)
        histograms = numpy.array(found.histograms, numpy.uint64)
        return [(s.count, s.min, s.max, s.sum, s.mean, s.stddev, s.median, tuple(s.percentiles), s.nonzero, histogram)
                for s, histogram in zip(found.channels, histograms)]

    def regions(self, array, settings, min_pixels, progress):
        """The labels, a tuple of the fields of Region for each, and the image of mean colours."""
        image, _memory = _image_of(array)
        means = numpy.empty(array.shape, numpy.uint8)
        with _Watched(settings, progress, min_pixels=min_pixels) as job:
            found = self._run("mslab_regions", image, job, _image_over(means))
        try:
            regions = found.contents
            labels = _array_at(regions.labels, array.shape[:2], c_uint32).copy()
            rows = [(label, r.pixels, r.left, r.top, r.right, r.bottom, r.x, r.y, tuple(r.mean), tuple(r.deviation),
                     tuple(r.neighbours[:r.n_neighbours]), r.perimeter)
                    for label, r in enumerate(regions.regions[:regions.n], 1)]
        finally:
            _library.mslab_regions_free(found)
        return labels, rows, means

    def reduce(self, elements, element_type, operation):
        """An int, a float, a pair of them, or such a pair and its positions, None where every element is NaN."""
        array = MslabArray(element_type.encode(), elements.ctypes.data, elements.nbytes)
        found = MslabReduction()
        self._run("mslab_reduce", _encode(operation), array, None, found)
        if found.n_numbers == 1:
            return int(found.text) if found.is_integer else found.numbers[0]
        pair = tuple(int(number) if found.is_integer else number for number in found.numbers)
        positions = tuple(None if position == _NO_POSITION else position for position in found.positions)
        return (pair, positions) if found.has_positions else pair
