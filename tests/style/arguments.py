# SPDX-License-Identifier: MIT
"""Fails where a folder defines another number of functions of seven or more arguments than the table says.

Arguments that travel together are a struct with a name. What is left takes arguments that all differ in kind, or has
the signature of a callback, of GTask's pairs or of the public library.
"""
import collections
import os
import re

import sources

MANY = 7
# How many such functions a folder holds; one that is not named holds none. Where the number has fallen, lower it here:
# it never rises.
MOST = {
    'core/api': 2,
    'ui/common': 1,
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
    for folder in sorted(set(found) | set(MOST)):
        functions, most = found[folder], MOST.get(folder, 0)
        if len(functions) != most:
            problems.append('%s: %d functions take %d or more arguments; the table in %s says %d'
                            % (folder, len(functions), MANY, os.path.basename(__file__), most))
        if len(functions) > most:
            problems += functions
    sources.finish(problems)


main()
