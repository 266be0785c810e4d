# SPDX-License-Identifier: MIT
"""Runs OpenCV's mean-shift filter for the lab, which starts this with

    LIBRARY WIDTH HEIGHT SP SR ITERATIONS EPSILON INPUT OUTPUT

and reads "ready" or "absent REASON"; then each line "run" is answered by nanoseconds, "save" by "saved". INPUT and
OUTPUT hold pixels of four bytes.
"""
import sys
import time


def opencv(cv2, numpy, pixels, sp, sr, criteria):
    """The processor's filter, which has three channels."""
    colours = numpy.ascontiguousarray(pixels[..., :3])

    def run():
        result = pixels.copy()
        start = time.perf_counter_ns()
        colours_out = cv2.pyrMeanShiftFiltering(colours, sp, sr, None, 0, criteria)
        taken = time.perf_counter_ns() - start
        result[..., :3] = colours_out
        return taken, result

    return run


def opencv_cuda(cv2, numpy, pixels, sp, sr, criteria):
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


def start(arguments):
    library, width, height, sp, sr, iterations, epsilon, source = arguments
    import cv2
    import numpy
    cv2.setNumThreads(1)
    pixels = numpy.fromfile(source, dtype=numpy.uint8).reshape(int(height), int(width), 4)
    criteria = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_MAX_ITER, int(iterations), float(epsilon))
    peer = {'opencv': opencv, 'opencv-cuda': opencv_cuda}[library]
    return peer(cv2, numpy, pixels, float(sp), float(sr), criteria)


def main():
    try:
        run = start(sys.argv[1:-1])
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
