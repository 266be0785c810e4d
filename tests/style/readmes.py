# SPDX-License-Identifier: MIT
"""Fails where a README or a source names a file that does not exist, or a README leaves out a folder.

A name is what stands between backquotes, looks like a path and ends with a known suffix or a slash. It is the end
of the path of a file or folder. {a,b} stands for both; a name with a word in capitals stands for any file. In a source
a name is a path from the root; the build generates those that begin with ms-.
"""
import itertools
import os
import re

import sources

READMES = ('README.md', 'core/README.md', 'core/process/README.md', 'data/experiments/README.md',
           'kernels/README.md', 'tests/README.md', 'tests/perf/README.md', 'ui/README.md')
SUFFIXES = ('.1', '.build', '.c', '.cl', '.css', '.experiment', '.h', '.json', '.md', '.png', '.py', '.sh', '.txt',
            '.ui', '.xml')
PLACEHOLDER = re.compile(r'(?<![A-Za-z])(?!README\b|LICENSE\b)[A-Z]{2,}(?![a-z])')
PATH = re.compile(r'(?<![\w/.-])((?:app|core|kernels|tests|ui)/(?:[\w-]+/)*(?!ms-)[\w-]+\.(?:c|h|cl|py|sh|ui))\b')


def expand(name):
    """a/{b,c}.[ch] stands for a/b.c, a/b.h, a/c.c and a/c.h."""
    name = name.replace('.[ch]', '.{c,h}')
    parts = [part.split(',') for part in re.split(r'[{}]', name)]
    return [''.join(choice) for choice in itertools.product(*parts)]


def is_name(text):
    return re.fullmatch(r'\w[\w./{},\[\]-]+', text) and text.endswith(SUFFIXES + ('/', '.[ch]'))


def all_paths():
    """The files and folders of the project, folders with a slash at the end, each with a slash before it."""
    found = {'/' + name for name in os.listdir(sources.ROOT)}
    for path in sources.files(''):
        found.add('/' + path)
        while path:
            path = os.path.dirname(path)
            found.add('/' + path + '/')
    return found


def missing_names(readme, paths):
    problems = []
    for text in re.findall(r'`([^`\n]+)`', sources.read(readme)):
        if is_name(text) and not PLACEHOLDER.search(text):
            problems += ['%s: %s does not exist' % (readme, name) for name in expand(text)
                         if not any(path.endswith('/' + name) for path in paths)]
    return problems


def missing_in_sources(paths):
    return ['%s: %s does not exist' % (source, name) for source in sources.files('.c', '.h', '.cl', '.py', '.sh')
            for name in PATH.findall(sources.read(source)) if '/' + name not in paths and not PLACEHOLDER.search(name)]


def unlisted_folders(top):
    """The folders of a part of the project that its README does not name; the build alone uses "precompiled"."""
    text = sources.read(top + '/README.md')
    return ['%s/README.md: does not say what lives in `%s/%s/`' % (top, top, name)
            for name in sorted(os.listdir(os.path.join(sources.ROOT, top)))
            if os.path.isdir(os.path.join(sources.ROOT, top, name)) and name != 'precompiled'
            and '`%s/%s/`' % (top, name) not in text]


def main():
    problems = unlisted_folders('core')
    paths = all_paths()
    problems += missing_in_sources(paths)
    for readme in READMES:
        problems += missing_names(readme, paths)
    sources.finish(problems)


main()
