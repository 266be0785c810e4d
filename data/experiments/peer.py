# SPDX-License-Identifier: MIT
"""Runs functions of OpenCV for the lab, which starts this with one of

    filter LIBRARY WIDTH HEIGHT SP SR ITERATIONS EPSILON LEVELS INPUT OUTPUT
    reduce LIBRARY OPERATOR TYPE INPUT OUTPUT

and reads "ready" or "absent REASON"; then each line "run" is answered by nanoseconds, "save" by "saved". INPUT and
OUTPUT of the filter hold pixels of four bytes. INPUT of a reduction holds its elements, OUTPUT numbers of 64 bits.
"""
import os
import sys
import tempfile
import time


def opencv(cv2, numpy, pixels, sp, sr, levels, criteria):
    """The processor's filter, which has three channels."""
    colours = numpy.ascontiguousarray(pixels[..., :3])

    def run():
        result = pixels.copy()
        start = time.perf_counter_ns()
        colours_out = cv2.pyrMeanShiftFiltering(colours, sp, sr, None, levels, criteria)
        taken = time.perf_counter_ns() - start
        result[..., :3] = colours_out
        return taken, result

    return run


def opencv_cuda(cv2, numpy, pixels, sp, sr, levels, criteria):
    """The filter of OpenCV's CUDA module; the picture stays on the GPU."""
    if not hasattr(cv2, 'cuda') or cv2.cuda.getCudaEnabledDeviceCount() == 0:
        raise RuntimeError('this OpenCV has no CUDA device')
    source = cv2.cuda_GpuMat(pixels)
    stream = cv2.cuda_Stream()

    def run():
        start = time.perf_counter_ns()
        result = cv2.cuda.meanShiftFiltering(source, int(sp), int(sr), criteria=criteria, stream=stream)
        stream.waitForCompletion()
        taken = time.perf_counter_ns() - start
        return taken, result.download()

    return run


def mean_shift(cv2, numpy, source, library, width, height, sp, sr, iterations, epsilon, levels):
    pixels = numpy.fromfile(source, dtype=numpy.uint8).reshape(int(height), int(width), 4)
    criteria = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_MAX_ITER, int(iterations), float(epsilon))
    peer = {'opencv': opencv, 'opencv-cuda': opencv_cuda}[library]
    return peer(cv2, numpy, pixels, float(sp), float(sr), int(levels), criteria)


TYPES = {'uchar': 'uint8', 'char': 'int8', 'ushort': 'uint16', 'short': 'int16', 'int': 'int32', 'float': 'float32',
         'double': 'float64'}


def positions(result):
    """The numbers of minMaxLoc() for an array of one row."""
    low, high, low_at, high_at = result
    return [low, high, low_at[0], high_at[0]]


def array_of(matrix):
    return matrix.get() if hasattr(matrix, 'get') else matrix


def host_functions(cv2):
    """The functions by operator, for arrays and for those on an OpenCL device: the numbers of the result."""
    return {'sum': lambda a: cv2.sumElems(a)[:1],
            'mean': lambda a: cv2.mean(a)[:1],
            'stddev': lambda a: array_of(cv2.meanStdDev(a)[1])[0],
            'sum-abs': lambda a: [cv2.norm(a, cv2.NORM_L1)],
            'sum-squares': lambda a: [cv2.norm(a, cv2.NORM_L2SQR)],
            'norm2': lambda a: [cv2.norm(a, cv2.NORM_L2)],
            'count-nonzero': lambda a: [cv2.countNonZero(a)],
            'minMax': lambda a: cv2.minMaxLoc(a)[:2],
            'minMax-positions': lambda a: positions(cv2.minMaxLoc(a))}


def cuda_functions(cv2):
    return {'sum': lambda a: cv2.cuda.sum(a)[:1],
            'sum-abs': lambda a: cv2.cuda.absSum(a)[:1],
            'sum-squares': lambda a: cv2.cuda.sqrSum(a)[:1],
            'norm2': lambda a: [cv2.cuda.norm(a, cv2.NORM_L2)],
            'count-nonzero': lambda a: [cv2.cuda.countNonZero(a)],
            'minMax': lambda a: cv2.cuda.minMax(a)[:2],
            'minMax-positions': lambda a: positions(cv2.cuda.minMaxLoc(a))}


def check_opencl(function, array):
    """Fails where OpenCV reports a problem of its kernel, after which it would compute on the processor."""
    kept = os.dup(2)
    with tempfile.TemporaryFile() as messages:
        os.dup2(messages.fileno(), 2)
        function(array)
        os.dup2(kept, 2)
        os.close(kept)
        messages.seek(0)
        if b'ERROR' in messages.read():
            raise RuntimeError('its OpenCL kernel fails on this device')


def reduction(cv2, numpy, source, library, operator, element):
    """The array is on the device before the first run, as it is for the rows that this is compared with."""
    array = numpy.fromfile(source, dtype=TYPES[element]).reshape(1, -1)
    if library == 'opencv-cuda':
        if not hasattr(cv2, 'cuda') or cv2.cuda.getCudaEnabledDeviceCount() == 0:
            raise RuntimeError('this OpenCV has no CUDA device')
        array = cv2.cuda_GpuMat(array)
    if library == 'opencv-opencl':
        if not cv2.ocl.haveOpenCL():
            raise RuntimeError('this OpenCV has no OpenCL device')
        cv2.ocl.setUseOpenCL(True)
        array = cv2.UMat(array)
    function = (cuda_functions if library == 'opencv-cuda' else host_functions)(cv2).get(operator)
    if not function:
        raise RuntimeError('it has no function for ' + operator)
    if library == 'opencv-opencl':
        check_opencl(function, array)

    def run():
        start = time.perf_counter_ns()
        result = function(array)
        return time.perf_counter_ns() - start, numpy.array(result, dtype=numpy.float64)

    return run


def start(task, *arguments):
    import cv2
    import numpy
    cv2.setNumThreads(1)
    *rest, source = arguments
    return {'filter': mean_shift, 'reduce': reduction}[task](cv2, numpy, source, *rest)


def main():
    try:
        run = start(*sys.argv[1:-1])
    except Exception as problem:  # whatever the library says, the lab shows it
        print('absent', str(problem).split('\n')[0], flush=True)
        return
    print('ready', flush=True)
    result = None
    for line in sys.stdin:
        if line == 'run\n':
            taken, result = run()
            print(taken, flush=True)
        else:
            result.tofile(sys.argv[-1])
            print('saved', flush=True)


main()
