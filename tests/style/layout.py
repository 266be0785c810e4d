# SPDX-License-Identifier: MIT
"""Fails where a folder holds more than 40 source files or a line is longer than 120 characters.

The window's .ui files are exempt: a sentence that is translated stands on one line.
"""
import collections
import os

import sources

FILES_IN_A_FOLDER = 40
CHARACTERS_IN_A_LINE = 120
# Folders that still hold more: must become empty; one that holds few enough fails the test.
KNOWN_CROWDED_FOLDERS = [
]
# Files that still hold longer lines: must become empty; one that holds none any more fails the test.
KNOWN_LONG_LINES = [
]


def crowded_folders():
    counts = collections.Counter(os.path.dirname(path) for path in sources.files('.c', '.h', '.cl', '.ui'))
    crowded = {folder for folder, count in counts.items() if count > FILES_IN_A_FOLDER}
    problems = ['%s: %d source files in one folder; at most %d' % (folder, counts[folder], FILES_IN_A_FOLDER)
                for folder in sorted(crowded.difference(KNOWN_CROWDED_FOLDERS))]
    problems += ['%s: remove it from KNOWN_CROWDED_FOLDERS' % folder
                 for folder in KNOWN_CROWDED_FOLDERS if folder not in crowded]
    return problems


def long_lines():
    problems = []
    guilty = set()
    for path in sources.files('.c', '.h', '.cl', '.py', '.sh', '.css', 'meson.build'):
        for number, line in enumerate(sources.read(path).split('\n'), 1):
            if len(line) > CHARACTERS_IN_A_LINE:
                guilty.add(path)
                if path not in KNOWN_LONG_LINES:
                    problems.append('%s:%d: a line of %d characters; at most %d'
                                    % (path, number, len(line), CHARACTERS_IN_A_LINE))
    problems += ['%s: remove it from KNOWN_LONG_LINES' % path for path in KNOWN_LONG_LINES if path not in guilty]
    return problems


sources.finish(crowded_folders() + long_lines())
