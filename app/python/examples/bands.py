# SPDX-License-Identifier: MIT
"""Filters one large image in bands with Dask; the result is that of the whole image.

dask.array can read such an image from disk band by band, so that it never is in memory as a whole.
"""

import dask.array
import numpy

import meanshift_lab


def filter_in_bands(image, sp=10, sr=20):
    """Takes and returns a dask array of height x width x channels."""
    depth = meanshift_lab.halo(sp)
    heights = dask.array.overlap.ensure_minimum_chunksize(depth, image.chunks[0])
    bands = image.rechunk({0: heights, 1: -1, 2: -1})
    first_rows = numpy.cumsum((0,) + bands.chunks[0])
    height = image.shape[0]

    def filter_band(block, block_info=None):
        number = block_info[0]["chunk-location"][0]
        row = max(int(first_rows[number]) - depth, 0)
        return meanshift_lab.filter(block, sp, sr, band=(row, height))

    return dask.array.map_overlap(filter_band, bands, depth={0: depth, 1: 0, 2: 0}, boundary="none",
                                  dtype=numpy.uint8, meta=numpy.empty((0, 0, 0), numpy.uint8))
