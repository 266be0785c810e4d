# SPDX-License-Identifier: MIT
"""Takes pictures of the three workspaces from the running program, on a display of 2800x1800 with a session bus.

Usage: screenshots.py WINDOW-PROGRAM PICTURE FOLDER [STYLE...]

A style is one of those in STYLES; without one, the pictures of the README are taken, which is the style "light" under
the names of the workspaces.
"""
import os
import shutil
import sys
import tempfile
import time

import cv2

from person import Failure, Person, wait

PROGRAM, PICTURE, FOLDER = sys.argv[1:4]
STYLES = {
    "light": {},
    "dark": {"GTK_THEME": "Adwaita:dark"},
    "high-contrast": {"GTK_THEME": "HighContrast"},
    "900x600": {"GSETTINGS_BACKEND": "keyfile"},
    "200-percent": {"GDK_SCALE": "2"},
}


def shoot(person, name):
    person.mouse(2798, 1798, "abs")
    time.sleep(0.8)
    person.screenshot(os.path.join(FOLDER, name + ".png"), person.window)


def go_to(person, workspace):
    person.click(person.find(workspace, "radio button"))
    time.sleep(0.5)


def show_picture(person, prefix):
    wait("the first run", lambda: person.has(part="Run 1", role="label"))
    wait("the end of filtering", lambda: not person.has("Cancel", "push button"))
    time.sleep(1.5)
    shoot(person, prefix + "picture")


def show_lab(person, prefix):
    go_to(person, "Lab")
    person.enter(person.find("Search experiments"), "access")
    person.click(person.find("Access to global memory", "table cell"))
    if person.has("Run", "push button"):
        person.click(person.find("Run", "push button"))
        wait("the experiment to end", lambda: person.has(part="Done: "), 200)
    shoot(person, prefix + "lab")
    person.click(person.find("Learn", "radio button"))
    person.click(person.find("Next Step", "push button"))
    shoot(person, prefix + "learn")


def show_batch(person, prefix):
    go_to(person, "Batch")
    if prefix:
        shoot(person, prefix + "batch-empty")


def show_folder(environment, prefix):
    """A batch that has ended, with one file that is no picture."""
    folder = tempfile.mkdtemp(prefix="meanshift-lab-screenshots-")
    picture = cv2.imread(PICTURE)
    for number in range(12):
        cv2.imwrite(os.path.join(folder, f"harbour-{number:02}.png"), picture[:, 20 * number:20 * number + 400])
    with open(os.path.join(folder, "notes.png"), "w", encoding="utf-8") as file:
        file.write("no picture")
    person = Person(PROGRAM, [folder], environment)
    try:
        person.click(person.find("Start", "push button"))
        wait("the end of the batch", lambda: person.has(part="12 of 13 done", role="label"), 200)
        person.click(person.find("harbour-03.png", "table cell"))
        shoot(person, prefix + "batch")
    finally:
        person.kill()
        shutil.rmtree(folder)


def keep_settings_in(folder):
    """Settings of a small window, in a key file below the folder."""
    path = os.path.join(folder, "meanshift-lab")
    os.makedirs(path)
    with open(os.path.join(path, "settings.ini"), "w", encoding="utf-8") as file:
        file.write("[Settings]\nwindow-width=900\nwindow-height=600\n")


def tour(style, prefix):
    environment = dict(STYLES[style], XDG_CONFIG_HOME=tempfile.mkdtemp(prefix="meanshift-lab-screenshots-"))
    keep_settings_in(environment["XDG_CONFIG_HOME"])
    person = Person(PROGRAM, [PICTURE], environment)
    try:
        show_picture(person, prefix)
        show_lab(person, prefix)
        show_batch(person, prefix)
    finally:
        person.kill()
        show_folder(environment, prefix)
        shutil.rmtree(environment["XDG_CONFIG_HOME"])


def main():
    os.makedirs(FOLDER, exist_ok=True)
    styles = sys.argv[4:]
    try:
        for style in styles:
            tour(style, style + "-")
        if not styles:
            tour("light", "")
    except Failure as failure:
        print(failure, file=sys.stderr)
        return 1
    return 0


sys.exit(main())
