# SPDX-License-Identifier: MIT
"""Takes the pictures of README and metainfo from the running program.

Usage: screenshots.py WINDOW-PROGRAM PICTURE FOLDER, on a display of 1400x900 (with-display.sh) with a session bus.
"""
import os
import sys
import time

from person import Failure, Person, wait

PROGRAM, PICTURE, FOLDER = sys.argv[1:4]


def wait_for_run(person):
    wait("the first run", lambda: person.has(part="Run 1", role="label"))
    wait("the end of filtering", lambda: not person.has("Cancel", "push button"))
    time.sleep(1)


def shoot(person, name):
    person.mouse(2, 898, "abs")
    time.sleep(0.8)
    person.screenshot(os.path.join(FOLDER, name + ".png"), person.window)


def tour(person):
    wait_for_run(person)
    person.click(person.find("Picture", "image"))
    person.press("3")
    shoot(person, "split")
    person.press("4")
    shoot(person, "side-by-side")
    person.press("5")
    shoot(person, "difference")
    person.press("3")
    person.click(person.find("image", "radio button"))
    wait("the second run", lambda: person.has(part="Run 2", role="label"))
    person.click(person.find("Runs", "radio button"))
    shoot(person, "runs")
    person.click(person.find("Histogram", "radio button"))
    time.sleep(2)
    shoot(person, "histogram")


def main():
    os.makedirs(FOLDER, exist_ok=True)
    for name, environment in (("", {}), ("dark", {"GTK_THEME": "Adwaita:dark"})):
        person = Person(PROGRAM, [PICTURE], environment)
        try:
            if name:
                wait_for_run(person)
                shoot(person, name)
            else:
                tour(person)
        except Failure as failure:
            print(failure, file=sys.stderr)
            return 1
        finally:
            person.kill()
    return 0


sys.exit(main())
