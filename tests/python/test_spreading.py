# SPDX-License-Identifier: MIT
"""The examples that spread the filter: one image in bands, and folders over processes, by Dask and by the standard
library. Dask's parts are skipped where it is not installed."""

import os
import subprocess
import sys

import cv2
import numpy
import pytest

import meanshift_lab

EXAMPLES = os.path.join(os.environ["MS_SOURCE_ROOT"], "app", "python", "examples")
SAMPLE = cv2.imread(os.path.join(os.environ["MS_SOURCE_ROOT"], "data", "samples", "harbour.png"))


@pytest.mark.parametrize("rows, channels", [(61, 3), (100, 4), (480, 3)])
def test_bands_equal_the_whole_image(rows, channels):
    dask_array = pytest.importorskip("dask.array")
    sys.path.insert(0, EXAMPLES)
    import bands

    image = SAMPLE[:, 300:364]
    if channels == 4:
        image = numpy.dstack([image, image[..., 0]])
    chunked = dask_array.from_array(image, chunks=(rows, 20, channels))
    result = bands.filter_in_bands(chunked)
    assert result.shape == image.shape
    assert numpy.array_equal(result.compute(), meanshift_lab.filter(image))


left_to_ci = pytest.mark.skipif(os.environ.get("MS_TEST_FORM", "suite") == "suite", reason="takes seconds to start")


@pytest.mark.parametrize("engine", ["futures", pytest.param("dask", marks=left_to_ci)])
def test_folder_is_filtered_on_two_processes(engine, tmp_path):
    if engine == "dask":
        pytest.importorskip("dask.distributed")
        pytest.importorskip("dask.bag")
    source, output = tmp_path / "source", tmp_path / "output"
    source.mkdir()
    output.mkdir()
    image = SAMPLE[200:290, 300:420]
    for number in range(4):
        cv2.imwrite(str(source / f"{number}.png"), numpy.roll(image, 10 * number, axis=0))
    command = [sys.executable, os.path.join(EXAMPLES, "folder.py"), engine, str(source), str(output)]
    subprocess.run(command, check=True, timeout=600)
    for number in range(4):
        expected = meanshift_lab.filter(numpy.roll(image, 10 * number, axis=0))
        assert numpy.array_equal(cv2.imread(str(output / f"{number}.png")), expected)
