# SPDX-License-Identifier: MIT
"""Fails where a folder holds more than 40 source files or a line is longer than 120 characters.

The window's .ui files are exempt: a sentence that is translated stands on one line.
"""
import collections
import os

import sources

FILES_IN_A_FOLDER = 40
CHARACTERS_IN_A_LINE = 120


def crowded_folders():
    counts = collections.Counter(os.path.dirname(path) for path in sources.files('.c', '.h', '.cl', '.ui'))
    return ['%s: %d source files in one folder; at most %d' % (folder, count, FILES_IN_A_FOLDER)
            for folder, count in sorted(counts.items()) if count > FILES_IN_A_FOLDER]


def long_lines():
    return ['%s:%d: a line of %d characters; at most %d' % (path, number, len(line), CHARACTERS_IN_A_LINE)
            for path in sources.files('.c', '.h', '.cl', '.py', '.sh', '.css', 'meson.build')
            for number, line in enumerate(sources.read(path).split('\n'), 1) if len(line) > CHARACTERS_IN_A_LINE]


sources.finish(crowded_folders() + long_lines())
