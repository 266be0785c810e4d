# SPDX-License-Identifier: MIT
"""Reads the windows of a program through the accessibility bus until it is killed. Usage: reader.py PROCESS"""
import os
import sys
import time

import pyatspi

# How much longer it rests than it reads: what it takes from the program under test.
REST = 9 if os.environ.get("MS_TEST_FORM", "suite") == "suite" else 1


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
        time.sleep(REST * (time.monotonic() - began))


main()
