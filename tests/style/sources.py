# SPDX-License-Identifier: MIT
"""Shared by the style tests: the source files of the project by folder, and the report of problems."""
import os
import re
import sys

ROOT = os.environ.get('MS_SOURCE_ROOT') or os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDERS = ('app', 'core', 'data', 'kernels', 'tests', 'ui')


def files(*suffixes, below=FOLDERS):
    """The paths, relative to the root and sorted, of the files below the folders whose names end with a suffix."""
    found = []
    for top in below:
        for folder, folders, names in os.walk(os.path.join(ROOT, top)):
            folders[:] = [name for name in folders if not name.startswith(('.', '__'))]
            found += [os.path.relpath(os.path.join(folder, name), ROOT) for name in names if name.endswith(suffixes)]
    return sorted(found)


def read(path):
    with open(os.path.join(ROOT, path), encoding='utf-8') as file:
        return file.read()


def includes(path):
    """The files of the project that a C file includes, as paths from the root."""
    return re.findall(r'^#include "([^"]+)"', read(path), re.MULTILINE)


def finish(problems):
    """Prints the problems, one a line, and ends with status 1 if there are any."""
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)
