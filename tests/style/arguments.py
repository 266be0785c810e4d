# SPDX-License-Identifier: MIT
"""Fails where a folder defines more functions of six or more arguments than the table allows.

Arguments that travel together are a struct with a name. What is left takes arguments that all differ in kind, or has
the signature of a callback, of GTask's pairs or of the public library.
"""
import collections
import os
import re

import sources

MANY = 6
# The most such functions that a folder may hold; a folder that is not named may hold none. Bounds only become lower.
MOST = {
    'app/commands': 1,
    'app/diagnose': 1,
    'core/api': 7,
    'core/batch/run': 3,
    'core/chart': 8,
    'core/engine': 1,
    'core/filter': 2,
    'core/filter/split': 1,
    'core/image': 6,
    'core/image/common': 5,
    'core/image/file': 1,
    'core/image/jpeg': 1,
    'core/image/metadata': 4,
    'core/image/png': 1,
    'core/image/stream': 3,
    'core/lab/kinds': 1,
    'core/lab/report': 1,
    'core/opencl': 2,
    'core/regions': 15,
    'ui/batch': 1,
    'ui/common': 1,
    'ui/panels/common': 1,
    'ui/panels/runs': 1,
}

COMMENT_OR_TEXT = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.DOTALL)
DEFINITION = re.compile(r'^(\w+)\(((?:[^(){};]|\([^(){};]*\))*)\)\n\{', re.MULTILINE)


def count_arguments(text):
    """How many arguments stand in a list, in which a function pointer has its list, too."""
    while '(' in text:
        text = re.sub(r'\([^()]*\)', '', text)
    return text.count(',') + 1


def long_lists(path):
    """The functions of a file with many arguments."""
    text = COMMENT_OR_TEXT.sub('', sources.read(path))
    return [name for name, arguments in DEFINITION.findall(text) if count_arguments(arguments) >= MANY]


def main():
    found = collections.defaultdict(list)
    for path in sources.files('.c', below=('app', 'core', 'ui')):
        found[os.path.dirname(path)] += ['%s: %s()' % (path, name) for name in long_lists(path)]
    problems = []
    for folder, functions in sorted(found.items()):
        if len(functions) > MOST.get(folder, 0):
            problems.append('%s: %d functions take %d or more arguments; at most %d'
                            % (folder, len(functions), MANY, MOST.get(folder, 0)))
            problems += functions
    sources.finish(problems)


main()
