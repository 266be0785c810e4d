#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Checks the tests: breaks a copy of the program in one place at a time and expects the named tests to fail.

  mutate.py BUILD [PATTERN...]   every mutation of mutations.py, or those whose names hold a PATTERN; the copy and its
                                 build folder lie in BUILD/mutations
  mutate.py --check              only whether each mutation's text still stands exactly once in its file

A mutation that no test notices is a hole in the tests, and ends this with status 1.
"""
import json
import os
import shutil
import subprocess
import sys

from mutations import MUTATIONS

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TOP = ('app', 'core', 'data', 'kernels', 'tests', 'ui', 'meson.build', 'meson_options.txt')
LOADED_BY_TESTS = ('app/meanshift-lab-loader', 'tests/ms-fake-nvml.so', 'tests/ms-fault-layer.so', 'tests/try-confined',
                   'tests/faults/ms-fault-preload.so', 'data/po/zh_CN/LC_MESSAGES/meanshift-lab.mo')


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def write(path, text):
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)


def check_texts():
    """The mutations whose text is not in its file, or more than once."""
    problems = []
    for name, path, old, new, _tests in MUTATIONS:
        full = os.path.join(ROOT, path)
        count = read(full).count(old) if os.path.exists(full) else 0
        if count != 1 or old == new:
            problems.append('%s: its text stands %d times in %s; adapt tests/mutations.py' % (name, count, path))
    names = [row[0] for row in MUTATIONS]
    problems += ['%s: more than one mutation has this name' % name
                 for name in sorted(set(names)) if names.count(name) > 1]
    return problems


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


class Copy:
    """A copy of the sources with a build folder of its own."""

    def __init__(self, folder):
        self.source = os.path.join(folder, 'source')
        self.build = os.path.join(folder, 'build')
        shutil.rmtree(self.source, ignore_errors=True)
        os.makedirs(self.source)
        # With new times, so that nothing which an earlier run built from a mutation counts as up to date.
        for name in TOP:
            path, copy = os.path.join(ROOT, name), os.path.join(self.source, name)
            if os.path.isdir(path):
                shutil.copytree(path, copy, copy_function=shutil.copy)
            else:
                shutil.copy(path, copy)
        if not os.path.exists(os.path.join(self.build, 'build.ninja')):
            result = run('meson', 'setup', self.build, self.source, '-Dgui=enabled', '-Doptimization=1')
            if result.returncode != 0:
                sys.exit(result.stdout)
        run('ninja', '-C', self.build, 'build.ninja')  # tests may have been added since an earlier run
        self.tests = json.loads(run('meson', 'introspect', '--tests', self.build).stdout)

    def programs_of(self, test):
        """What the command of a test needs; a test in Python runs the program itself, with or without the window."""
        words = next(row['cmd'] for row in self.tests if row['name'] == test.split()[0])
        # The program of a test is absolute, and relative to the build folder where it is an argument of the test.
        programs = {os.path.relpath(word, self.build) if word.startswith(self.build) else word
                    for word in words if word.startswith((self.build + '/', 'app/', 'tests/'))}
        if any(word.endswith('.py') for word in words):
            own = {program for program in programs if program.startswith('app/')}
            return {'app/meanshift-lab', 'app/meanshift-lab-window'} | own
        return programs

    def compile(self, tests):
        programs = set().union(*(self.programs_of(test) for test in tests))
        return run('ninja', '-C', self.build, *sorted(programs), *LOADED_BY_TESTS)

    def forms_of(self, name):
        """The forms that may notice a mutation: it may show in a case that the suite leaves to CI."""
        suites = {suite.split(':')[-1] for row in self.tests if row['name'] == name for suite in row['suite']}
        return ('long',) if 'long' in suites else ('ci',) if 'ci' in suites else \
            ('suite', 'ci') if 'more-ci' in suites else ('suite',)

    def passes(self, test):
        """Whether a test passes: its name, or its name and the path of a case; in Python the name of a case."""
        name, *case = test.split()
        is_python = any(word.endswith('.py') for row in self.tests if row['name'] == name for word in row['cmd'])
        arguments = ['--test-args=' + ('' if is_python else '-p ') + case[0]] if case else []
        return all(run('meson', 'test', '-C', self.build, '--no-rebuild', '--setup', form, '--timeout-multiplier', '5',
                       name, *arguments).returncode == 0 for form in self.forms_of(name))


def try_mutation(copy, name, path, old, new, tests):
    """A sentence on the problem of this mutation or its tests; None when all tests fail, as they must."""
    full = os.path.join(copy.source, path)
    text = read(full)
    try:
        write(full, text.replace(old, new))
        result = copy.compile(tests)
        if result.returncode != 0:
            return '%s: does not compile:\n%s' % (name, result.stdout[-2000:])
        unmoved = [test for test in tests if copy.passes(test)]
        return '%s: not noticed by %s' % (name, ', '.join(unmoved)) if unmoved else None
    finally:
        write(full, text)


def chosen(patterns):
    return [row for row in MUTATIONS if not patterns or any(pattern in row[0] for pattern in patterns)]


def main():
    problems = check_texts()
    if sys.argv[1:] == ['--check']:
        print('\n'.join(problems))
        sys.exit(1 if problems else 0)
    if len(sys.argv) < 2 or sys.argv[1].startswith('-'):
        sys.exit(__doc__)
    rows = chosen(sys.argv[2:])
    copy = Copy(os.path.join(os.path.abspath(sys.argv[1]), 'mutations'))
    tests = sorted({test for row in rows for test in row[4].split(', ')})
    result = copy.compile(tests)
    if result.returncode != 0:
        sys.exit(result.stdout)
    problems += ['%s: fails without any mutation' % test for test in tests if not copy.passes(test)]
    for name, path, old, new, named in rows:
        problem = try_mutation(copy, name, path, old, new, named.split(', '))
        print('%-60s %s' % (name, 'NOT NOTICED' if problem else 'noticed'), flush=True)
        if problem:
            problems.append(problem)
    print('\n'.join(problems))
    print('%d mutations, %d problems' % (len(rows), len(problems)))
    sys.exit(1 if problems else 0)


main()
