# SPDX-License-Identifier: MIT
"""Filters the images of a folder on several worker processes: python3 folder.py futures|dask INPUT OUTPUT"""

import concurrent.futures
import functools
import multiprocessing
import pathlib
import sys

import cv2

import meanshift_lab

WORKERS = 2


def filter_file(path, output):
    image = cv2.imread(str(path), cv2.IMREAD_COLOR)
    target = pathlib.Path(output) / (path.stem + ".png")
    cv2.imwrite(str(target), meanshift_lab.filter(image, sp=10, sr=20))
    return target


def with_futures(work, paths):
    # A device that this process had opened would not survive a fork.
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(WORKERS, mp_context=context) as pool:
        return list(pool.map(work, paths))


def with_dask(work, paths):
    import dask.bag
    import dask.distributed

    with dask.distributed.LocalCluster(n_workers=WORKERS, threads_per_worker=1, dashboard_address=None) as cluster:
        with dask.distributed.Client(cluster):
            return dask.bag.from_sequence(paths, npartitions=WORKERS).map(work).compute()


def main():
    engine, source, output = sys.argv[1:]
    paths = sorted(path for path in pathlib.Path(source).iterdir() if path.suffix in (".png", ".jpg"))
    run = {"futures": with_futures, "dask": with_dask}[engine]
    for target in run(functools.partial(filter_file, output=output), paths):
        print(target)


if __name__ == "__main__":
    main()
