# SPDX-License-Identifier: MIT
"""The length and the arguments of functions, with the limits that .clang-tidy has for readability-function-size.

As clang-format lays it out, a function begins with its name in the first column, and its body with a brace there; a
comment NOLINTBEGIN(readability-function-size) exempts what follows, up to NOLINTEND. clang-tidy finds the same, but
parses every header for it, which takes minutes."""
import re

import sources

CHECK = 'readability-function-size'
LIMITS = {key: int(value) for key, value in
          re.findall(CHECK + r'\.(\w+)\n\s+value: (\d+)', sources.read('.clang-tidy'))}


def functions(path):
    """The line, name, arguments and number of lines of each function that is not exempt."""
    lines = sources.read(path).split('\n')
    begin, exempt = 0, False
    for i, line in enumerate(lines):
        if CHECK in line:
            exempt = 'NOLINTBEGIN' in line
        if re.match(r'\w+\(', line):
            begin = i
        if line == '{' and not exempt:
            # One that returns a pointer to an array has its name within parentheses.
            header = re.fullmatch(r'(\w+)\((.*)\)', ' '.join(lines[begin:i]))
            header = header or re.match(r'.*?(\w+)\((.*)\)', lines[i - 1])
            yield begin + 1, *header.groups(), lines.index('}', i) - i


def count_arguments(text):
    """Those between the parentheses of a function, of which functions among the arguments have their own."""
    while '(' in text:
        text = re.sub(r'\([^()]*\)', '', text)
    return 0 if text == 'void' else text.count(',') + 1


def check(path):
    for line, name, arguments, length in functions(path):
        n = count_arguments(arguments)
        if length > LIMITS['LineThreshold']:
            yield f"{path}:{line}: {name}() has {length} lines; at most {LIMITS['LineThreshold']}"
        if n > LIMITS['ParameterThreshold']:
            yield f"{path}:{line}: {name}() has {n} arguments; at most {LIMITS['ParameterThreshold']}"


sources.finish([problem for path in sources.files('.c', '.h', below=('app', 'core', 'ui')) for problem in check(path)])
