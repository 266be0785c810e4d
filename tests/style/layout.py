# SPDX-License-Identifier: MIT
"""Fails where a folder holds more than 40 source files, a line is longer than 120 characters, or a name misleads the
formatter.

clang-format reads C as C++, in which some names are keywords: after "if (...)" it takes a variable called private for
the start of a section of a class, and outdents the line.
The window's .ui files are exempt: a sentence that is translated stands on one line.
"""
import collections
import os
import re

import sources

FILES_IN_A_FOLDER = 40
CHARACTERS_IN_A_LINE = 120
KEYWORD = re.compile(r'\b(private|public|protected|operator)\b')
COMMENT_OR_TEXT = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)


def crowded_folders():
    counts = collections.Counter(os.path.dirname(path) for path in sources.files('.c', '.h', '.cl', '.ui'))
    return ['%s: %d source files in one folder; at most %d' % (folder, count, FILES_IN_A_FOLDER)
            for folder, count in sorted(counts.items()) if count > FILES_IN_A_FOLDER]


def long_lines():
    return ['%s:%d: a line of %d characters; at most %d' % (path, number, len(line), CHARACTERS_IN_A_LINE)
            for path in sources.files('.c', '.h', '.cl', '.py', '.sh', '.css', 'meson.build')
            for number, line in enumerate(sources.read(path).split('\n'), 1) if len(line) > CHARACTERS_IN_A_LINE]


def misleading_names():
    """The lines in which a keyword of C++ is a name."""
    problems = []
    for path in sources.files('.c', '.h'):
        code = COMMENT_OR_TEXT.sub(lambda text: '\n' * text.group().count('\n'), sources.read(path))
        problems += ['%s:%d: "%s" is a keyword of C++, which clang-format lays out as such; choose another name'
                     % (path, code.count('\n', 0, name.start()) + 1, name.group()) for name in KEYWORD.finditer(code)]
    return problems


sources.finish(crowded_folders() + long_lines() + misleading_names())
