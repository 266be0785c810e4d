# SPDX-License-Identifier: MIT
"""The widgets of napari: it makes the controls from the arguments of these functions, and a layer of what they return.

An image is a layer of height x width x 3 or 4 values of uint8; of others napari shows the sentence of the UsageError.
"""

from . import filter as _filter, regions as _regions


def smooth(image: "napari.types.ImageData", sp: float = 10, sr: float = 20,
           levels: int = 0) -> "napari.types.ImageData":
    """Smooths an image to flat colours: sp pixels and sr levels are the radii of the window."""
    return _filter(image, sp, sr, levels=levels)


def divide(image: "napari.types.ImageData", sp: float = 10, sr: float = 20,
           min_pixels: int = 50) -> "napari.types.LabelsData":
    """Divides an image into regions of at least min_pixels; labels count from 1."""
    return _regions(image, sp, sr, min_pixels=min_pixels).labels
