# SPDX-License-Identifier: MIT
"""Measures the contrast of what is drawn in a screenshot, as WCAG 2 defines it: 1 to 21."""
import cv2
import numpy

ENOUGH = 4.5

# Lines of the grid of charts, which only help the eye.
GRID = ((0xde, 0xde, 0xde), (0x3c, 0x3c, 0x3c))

# Pixels of a mark that only the antialiasing of its neighbours makes visible.
FEWEST_PIXELS = 6


def luminance(picture):
    share = numpy.asarray(picture, float) / 255
    linear = numpy.where(share <= 0.03928, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    return linear @ numpy.array((0.2126, 0.7152, 0.0722))


def ratios(picture, colour):
    """The contrast of each pixel with a colour."""
    one, other = luminance(picture), luminance(colour)
    return (numpy.maximum(one, other) + 0.05) / (numpy.minimum(one, other) + 0.05)


def colours(picture):
    """The colours and how many pixels have each, the most frequent one first."""
    found, counts = numpy.unique(picture.reshape(-1, 3), axis=0, return_counts=True)
    order = numpy.argsort(-counts)
    return found[order], counts[order]


def solid(picture, scale):
    """The pixels of areas in one colour: those amid a square of 3 x 3 pixels, times the scale, of the same colour."""
    rows, columns = picture.shape[:2]
    same = numpy.zeros((rows, columns), bool)
    inner = same[scale:rows - scale, scale:columns - scale]
    inner[:] = True
    for y in range(2 * scale + 1):
        for x in range(2 * scale + 1):
            shifted = picture[y:rows - 2 * scale + y, x:columns - 2 * scale + x]
            inner &= (shifted == picture[scale:rows - scale, scale:columns - scale]).all(axis=2)
    return same


def measure_areas(picture, ground, scale):
    """The contrast of each colour that fills an area with the ground."""
    found, counts = colours(picture[solid(picture, scale)])
    for colour, count in zip(found, counts):
        if count >= FEWEST_PIXELS and (colour != ground).any() and tuple(colour) not in GRID:
            yield float(ratios(colour, ground)), "area #%02x%02x%02x" % tuple(colour)


def measure_words(picture, ground=None, scale=1):
    """The contrast of each word or mark with the ground: that of its strongest pixel, as strokes are thin.

    Marks join over gaps of 2 x 6 pixels times the scale, so that a box belongs to the word beside it.
    """
    if ground is None:
        ground = colours(picture)[0][0]
    contrast = ratios(picture, ground)
    for colour in GRID:
        contrast[(picture == colour).all(axis=2)] = 1
    ink = (contrast > 1.6).astype(numpy.uint8)
    joined = cv2.dilate(ink, numpy.ones((2 * scale + 1, 6 * scale + 1), numpy.uint8))
    number, labels, boxes, _ = cv2.connectedComponentsWithStats(joined)
    for index in range(1, number):
        pixels = contrast[(labels == index) & (ink == 1)]
        if len(pixels) >= FEWEST_PIXELS:
            yield float(pixels.max()), "mark at %d,%d" % tuple(boxes[index][:2])


def measure(picture, scale=1):
    """(contrast, what) of everything that is drawn on the most frequent colour of a picture in RGB."""
    ground = colours(picture)[0][0]
    return [*measure_areas(picture, ground, scale), *measure_words(picture, ground)]


def measure_caption(picture):
    """(contrast, what) of the letters of a caption in light letters with the lightest pixel between them."""
    letters = cv2.dilate((luminance(picture) > 0.2).astype(numpy.uint8), numpy.ones((3, 3), numpy.uint8)) == 1
    between = picture[~letters]
    if not len(between):
        return [(1.0, "caption on white")]
    ground = between[luminance(between).argmax()]
    return [(float(ratios(picture, ground).max()), "caption on #%02x%02x%02x" % tuple(ground))]
