# SPDX-License-Identifier: MIT
"""Fails where modules include each other in a circle or against the order of core/README.md, and where core includes
GTK, the window or the program.

A module is a folder below core, ui or app. An arrow leads from the folder of a file to the folder of a header that it
includes.
"""
import os
import re

import sources


def arrows():
    graph = {}
    for path in sources.files('.c', '.h', below=('core', 'ui', 'app')):
        targets = graph.setdefault(os.path.dirname(path), {})
        for header in sources.includes(path):
            folder = os.path.dirname(header)
            if folder and folder != os.path.dirname(path):
                targets.setdefault(folder, '%s includes %s' % (path, header))
    return graph


def reachable(graph, start):
    seen, queue = set(), [start]
    while queue:
        for folder in graph.get(queue.pop(), {}):
            if folder not in seen:
                seen.add(folder)
                queue.append(folder)
    return seen


def circles(graph):
    """The sets of modules that reach each other."""
    reach = {folder: reachable(graph, folder) for folder in graph}
    found = {frozenset(other for other in reach[folder] if folder in reach.get(other, ()))
             for folder in graph if folder in reach[folder]}
    return sorted(found, key=sorted)


def circle_problems(graph):
    problems = []
    for circle in circles(graph):
        problems.append('a circle of modules: ' + ', '.join(sorted(circle)))
        problems += ['  ' + why for folder in sorted(circle)
                     for target, why in sorted(graph[folder].items()) if target in circle]
    return problems


def listed_order():
    """The folders of core in the order of its README, in which each includes only those above it."""
    return re.findall(r'^\| `core/([\w-]+)/`', sources.read('core/README.md'), re.MULTILINE)


def unordered_includes():
    order = listed_order()
    problems = []
    for path in sources.files('.c', '.h', below=('core',)):
        for header in sources.includes(path):
            places = [order.index(name.split('/')[1]) for name in (path, header)
                      if re.match(r'core/[\w-]+/', name) and name.split('/')[1] in order]
            if len(places) == 2 and places[0] < places[1]:
                problems.append('%s: includes %s, whose folder core/README.md lists lower' % (path, header))
    return problems


def upward_includes():
    problems = []
    for path in sources.files('.c', '.h', '.build', below=('core',)):
        text = sources.read(path)
        if re.search(r'#include [<"](gtk|gdk|ui|app|tests)/', text) or 'gtk_dep' in text:
            problems.append('%s: core includes neither GTK nor ui, app or tests' % path)
    for path in sources.files('.c', '.h', below=('ui', 'app')):
        if any(header.startswith('tests/') for header in sources.includes(path)):
            problems.append('%s: the program includes nothing of the tests' % path)
    return problems


sources.finish(circle_problems(arrows()) + unordered_includes() + upward_includes())
