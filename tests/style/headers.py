# SPDX-License-Identifier: MIT
"""Fails where a public function is declared in the header of another module, or no other file calls it.

A function of FILE.c is declared in a header of the same folder: in FILE.h, in one whose name FILE begins with
(document-runs.c and document.h), or in a private one. One that only its own file calls is static.
"""
import collections
import os
import re

import sources

DEFINITION = re.compile(r'^(?!static\b)[A-Za-z_][^\n;{}=#()]*\n(ms_\w+)\((?:[^;{}]*)\)\n\{', re.MULTILINE)
DECLARATION = re.compile(r'\b(ms_\w+)\(')
NAME = re.compile(r'\bms_\w+')
COMMENT = re.compile(r'/\*.*?\*/', re.DOTALL)


def declarations():
    """For each function, the headers that name it."""
    found = {}
    for path in sources.files('.h', below=('core', 'ui', 'app')):
        for name in DECLARATION.findall(COMMENT.sub('', sources.read(path))):
            found.setdefault(name, []).append(path)
    return found


def belongs(path, header):
    stem = os.path.splitext(os.path.basename(path))[0]
    name = os.path.splitext(os.path.basename(header))[0]
    same_folder = os.path.dirname(path) == os.path.dirname(header)
    return same_folder and (name == stem or stem.startswith(name + '-') or name.endswith('-private'))


def users():
    """For each name, how often each file holds it."""
    found = collections.defaultdict(collections.Counter)
    for path in sources.files('.c', '.h', '.ui'):
        for name in NAME.findall(COMMENT.sub('', sources.read(path))):
            found[name][path] += 1
    return found


def is_used_elsewhere(path, headers, uses):
    """Whether a third file names the function, or its header does so twice, as the macros for g_autoptr() do."""
    return (any(user != path and user not in headers for user in uses)
            or any(uses[header] > 1 for header in headers))


def main():
    declared = declarations()
    problems = []
    used = users()
    for path in sources.files('.c', below=('core', 'ui', 'app')):
        for name in DEFINITION.findall(COMMENT.sub('', sources.read(path))):
            headers = declared.get(name, [])
            if headers and not any(belongs(path, header) for header in headers):
                problems.append('%s: %s() is declared in %s' % (path, name, ', '.join(headers)))
            if headers and not is_used_elsewhere(path, headers, used[name]):
                problems.append('%s: no other file calls %s(); make it static or remove it' % (path, name))
    sources.finish(problems)


main()
