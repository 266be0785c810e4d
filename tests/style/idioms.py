# SPDX-License-Identifier: MIT
"""Fails where C code departs from what "How code is written" in tests/README.md says of pointers, names and messages.

A comparison with NULL is a value that is passed or returned, not a condition. A static function that nothing but a
signal, a timeout or a thread calls has the name of its kind.
"""
import re

import sources

NULL = re.compile(r'[!=]= NULL')
BEFORE_NULL = re.compile(r'(?:&&|\|\||\bif \(|\bwhile \(|\bfor \([^;]*;)\s*!?[\w>\-.\[\]*]*(?:\([^()]*\))?\s*$|'
                         r'\bwhile \(.*\(\w+ = .*\)\s*$')
AFTER_NULL = re.compile(r'\s*(?:&&|\|\||\?)')
COMMENT = re.compile(r'/\*.*?\*/', re.DOTALL)
CALLBACK = re.compile(r'\b(?:G_)?CALLBACK\((\w+)\)|\bg_(?:idle|timeout)_add\w*\([^;]*?\b(\w+), (?:self|data)\b')
THREAD = re.compile(r'\bg_thread_(?:try_)?new\("[^"]*", (\w+),|\bg_thread_pool_new\((\w+),|'
                    r'\bg_task_run_in_thread\(\w+, (\w+)\)')


def code_of(path):
    return COMMENT.sub(lambda text: '\n' * text.group().count('\n'), sources.read(path))


def conditions(path, code):
    """The comparisons with NULL that are conditions."""
    for match in NULL.finditer(code):
        line = code.count('\n', 0, match.start()) + 1
        if AFTER_NULL.match(code, match.end()) or BEFORE_NULL.search(code[max(0, match.start() - 160):match.start()]):
            yield '%s:%d: test the pointer itself instead of comparing it with NULL' % (path, line)


def misnamed(path, code, pattern, is_right, form):
    """The static functions of the file that are used as the pattern finds them alone and are not named so."""
    found = [name for names in pattern.findall(code) for name in ([names] if isinstance(names, str) else names) if name]
    for name in sorted(set(found)):
        is_static = re.search(r'^static .*\n%s\(' % name, code, re.MULTILINE)
        is_called = re.search(r'[^\n]\b%s\((?!void\))|= %s[;,]' % (name, name), code)
        if is_static and not is_called and not is_right(name):
            yield '%s: nothing in this file calls %s(); name it %s' % (path, name, form)


def main():
    problems = []
    for path in sources.files('.c', '.h'):
        code = code_of(path)
        problems += conditions(path, code)
        if path.startswith('tests/'):
            continue
        problems += misnamed(path, code, CALLBACK, lambda name: name.startswith('on_'), 'on_…')
        problems += misnamed(path, code, THREAD, lambda name: name.endswith('_in_thread'), '…_in_thread')
        for number, line in enumerate(code.split('\n'), 1):
            if re.search('[“”‘’]', line):
                problems.append("%s:%d: a message quotes a value as '%%s'" % (path, number))
            if re.search(r'\bg_debug\("(?!\w+(?: %s)?: )', line):
                problems.append('%s:%d: a message to g_debug() begins with what it speaks of' % (path, number))
    sources.finish(problems)


main()
