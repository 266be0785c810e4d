# SPDX-License-Identifier: MIT
"""Fails where clang-format would change a C file.

Only the version of Debian 12 counts, because others format differently; without it the test is skipped.
"""
import os
import shutil
import subprocess
import sys

import sources

VERSION = 14


def formatter():
    program = shutil.which('clang-format-%d' % VERSION) or shutil.which('clang-format')
    if program:
        text = subprocess.run([program, '--version'], stdout=subprocess.PIPE, text=True, check=True).stdout
        if 'version %d.' % VERSION in text:
            return program
    print('clang-format %d is not installed.' % VERSION)
    sys.exit(1 if os.environ.get('CI') else 77)


def changed(program, paths):
    command = [program, '--dry-run', '--Werror', '--ferror-limit=1'] + paths
    result = subprocess.run(command, cwd=sources.ROOT, stderr=subprocess.PIPE, text=True, check=False)
    if result.returncode == 0:
        return []
    return [line for line in result.stderr.splitlines() if 'error:' in line] or [result.stderr]


def main():
    program = formatter()
    paths = sources.files('.c', '.h')
    problems = []
    for first in range(0, len(paths), 50):
        problems += changed(program, paths[first:first + 50])
    sources.finish(problems)


main()
