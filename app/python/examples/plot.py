# SPDX-License-Identifier: MIT
"""Plots an image before and after the filter: python3 plot.py IMAGE [PLOT]"""

import sys

import matplotlib.image
import matplotlib.pyplot as plt
import numpy

import meanshift_lab


def read_image(path):
    image = matplotlib.image.imread(path)
    return image if image.dtype == numpy.uint8 else numpy.rint(255 * image).astype(numpy.uint8)


def main():
    before = read_image(sys.argv[1])
    after = meanshift_lab.filter(before, sp=10, sr=20)
    figure, axes = plt.subplots(1, 2, figsize=(12, 5), layout="tight")
    for ax, picture, title in zip(axes, (before, after), ("before", "after: sp 10, sr 20")):
        ax.imshow(picture)
        ax.set_title(title)
        ax.axis("off")
    if len(sys.argv) > 2:
        figure.savefig(sys.argv[2])
    else:
        plt.show()


main()
