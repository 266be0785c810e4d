# SPDX-License-Identifier: MIT
"""Fails where a test does more in a form (tests/run.sh) in which no row of tests/meson.build ever runs it, and where a
row runs a test once more in a form for which the test does not ask.

  forms.py BUILD   the build folder, whose files say which tests there are, in which suites, and what they are made of
"""
import json
import os
import re
import sys

import sources

# How a test asks whether it is run in a form or a later one.
ASKS = {
    'ci': re.compile(r'\bMS_TEST_CI\b|"ci": \d|\bin_ci\b|FORM\b[^\n]*(?:==|!=) "suite"|'
                     r'"MS_TEST_FORM"[^\n]*"suite"\) [!=]= (?:0|"suite")'),
    'long': re.compile(r'\bMS_TEST_LONG\b|"long": \d|FORM\b[^\n]*== "long"|\b(?:faults|self)\.(?:LONG|sample)\b'),
}
# The suites that run a test in a form; the long form runs what does more in CI too.
RUN_BY = {'ci': {'ci', 'more-ci'}, 'long': {'ci', 'more-ci', 'long', 'more-long'}}


def read_objects(build):
    """The names of the objects that a program of the tests is linked of, by its path in the build folder."""
    with open(os.path.join(build, 'build.ninja'), encoding='utf-8') as file:
        lines = re.findall(r'^build (tests/\S+): c_LINKER ([^|\n]*)', file.read(), re.MULTILINE)
    return {program: objects.split() for program, objects in lines}


def sources_of(command, build, objects, by_name):
    """The files in tests/ that a test is made of: the scripts of its command, and the sources of its programs."""
    found = set()
    for word in command:
        if word.endswith('.py'):
            found.add(os.path.relpath(os.path.realpath(word), sources.ROOT))
        for name in objects.get(os.path.relpath(word, build) if os.path.isabs(word) else word, []):
            found.add(by_name.get(re.sub(r'\.o$', '', os.path.basename(name)).rpartition('_')[2]))
    return {path for path in found if path and path.startswith('tests/') and not path.startswith('tests/style/')}


def read_rows(build):
    """The rows of the table of tests that do not run under Oclgrind, where CI does what the suite does."""
    with open(os.path.join(build, 'meson-info', 'intro-tests.json'), encoding='utf-8') as file:
        rows = json.load(file)
    return [(row['name'], row['cmd'], {suite.partition(':')[2] for suite in row['suite']})
            for row in rows if not any(suite.endswith(':oclgrind') for suite in row['suite'])]


def main():
    build = os.path.realpath(sys.argv[1])
    objects = read_objects(build)
    texts = {path: sources.read(path) for path in sources.files('.c', '.py', below=('tests',))}
    by_name = {os.path.basename(path): path for path in texts}
    asked_by = {path: {form for form, pattern in ASKS.items() if pattern.search(text)} for path, text in texts.items()}
    suites_of, problems = {}, []
    for name, command, suites in read_rows(build):
        files = sources_of(command, build, objects, by_name)
        asked = {form for path in files for form in asked_by[path]}
        for path in files:
            suites_of.setdefault(path, set()).update(suites)
        if files and (('more-ci' in suites and 'ci' not in asked) or ('more-long' in suites and not asked)):
            problems.append('%s runs once more in a form for which its program does not ask' % name)
    problems += ['%s does more in the form %s, in which no row of tests/meson.build runs it' % (path, form)
                 for path, suites in suites_of.items() for form in asked_by[path] if not suites & RUN_BY[form]]
    sources.finish(sorted(problems))


main()
