# SPDX-License-Identifier: MIT
"""Reads the windows of a program through the accessibility bus until it is killed. Usage: reader.py PROCESS"""
import sys
import time

import pyatspi


def read(node, depth=0):
    """Reads the properties that a screen reader reads; a widget may be destroyed meanwhile."""
    try:
        node.getRoleName(), node.name, node.description, node.getState().getStates()
        children = min(node.childCount, 100)
    except Exception:
        return
    for index in range(children if depth < 40 else 0):
        try:
            child = node.getChildAtIndex(index)
        except Exception:
            continue
        if child is not None:
            read(child, depth + 1)


def is_of(application, process):
    try:
        return application is not None and application.get_process_id() == process
    except Exception:  # it has ended
        return False


def main():
    process = int(sys.argv[1])
    while True:
        began = time.monotonic()
        for application in pyatspi.Registry.getDesktop(0):
            if is_of(application, process):
                read(application)
        # Half of the time is left to the program under test.
        time.sleep(time.monotonic() - began)


main()
