# SPDX-License-Identifier: MIT
"""The window around the workspaces: its width, printing, tables as files, URIs, and a second window.
Usage: e2e-window.py WINDOW-PROGRAM SAMPLE ARTEFACT-FOLDER"""
import csv
import os
import shutil
import sys
import tempfile
import urllib.parse

from person import Failure, Person, check, wait

PROGRAM, SAMPLE, ARTEFACTS = (os.path.abspath(argument) for argument in sys.argv[1:4])
WORK = tempfile.mkdtemp(prefix="meanshift-lab-window-")
COLUMNS = (("Parts of the run", "chart"), ("Histogram", "chart"), ("Statistics of both pictures", "table"))


def new_person(arguments, width):
    """With a window of this width, from a key file as the program keeps it."""
    folder = tempfile.mkdtemp(dir=WORK)
    os.makedirs(os.path.join(folder, "meanshift-lab"))
    with open(os.path.join(folder, "meanshift-lab", "settings.ini"), "w", encoding="utf-8") as file:
        file.write(f"[Settings]\nwindow-width={width}\nwindow-height=800\n")
    return Person(PROGRAM, arguments, {"XDG_CONFIG_HOME": folder, "XDG_DATA_HOME": WORK,
                                       "GSETTINGS_BACKEND": "keyfile"}, reader=True)


def narrow():
    """A window below about 1100 pixels has the columns as tabs."""
    person = new_person([SAMPLE], 1000)
    try:
        person.find(part="Run 1 on ", role="label")
        wait("the first of the columns alone", lambda: [bool(person.has(*column)) for column in COLUMNS] ==
             [True, False, False] and not person.has("Overview", "radio button"))
        for page, column in zip(("Timings", "Histogram", "Statistics"), COLUMNS):
            person.click(person.find(page, "radio button"))
            person.find(*column)
        check(person.quit() == 0, "the narrow window did not end well")
    finally:
        person.kill()


def columns_open(person):
    """All columns are visible at the same time, and each opens its page."""
    person.find(part="Run 1 on ", role="label")
    for column in COLUMNS:
        person.find(*column)
    for page in ("Timings", "Histogram", "Statistics"):
        person.click(person.find("Open " + page, "push button"))
        wait(page, lambda: not person.has("Open " + page, "push button"))
        person.find(*COLUMNS[("Timings", "Histogram", "Statistics").index(page)])
        person.click(person.find("Overview", "radio button"))


def export_tables(person):
    for page, title in (("Runs", "Settings"), ("Timings", "Stage")):
        path = os.path.join(WORK, page + ".csv")
        person.click(person.find(page, "radio button"))
        person.click(person.find("Export Table…", "push button"))
        person.choose_file("Export the Table", path)
        wait(path, lambda: os.path.exists(path) and os.path.getsize(path) > 0)
        with open(path, newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file))
        check(title in rows[0] and len(rows) > 1, f"{path} holds {rows}")


def print_picture():
    """The desktop's dialog prints into a file. It warns where no printer service answers, and so must not be fatal."""
    person = Person(PROGRAM, [SAMPLE], {"XDG_DATA_HOME": WORK, "G_DEBUG": ""})
    try:
        person.find(part="Run 1 on ", role="label")
        person.press("ctrl+p")
        dialog = person.find("Print", "dialog")
        person.click(person.find("Print to File", "table cell", dialog))
        person.screenshot(os.path.join(ARTEFACTS, "e2e-print.png"))
        person.click(person.find("Print", "push button", dialog))
        path = os.path.join(WORK, "output.pdf")
        wait("the printed file", lambda: os.path.exists(path) and os.path.getsize(path) > 10000)
    finally:
        person.kill()


def second_window(person):
    """Another window has pictures of its own."""
    person.press("ctrl+n")
    frames = lambda: [child for child in person.app if child.getRoleName() == "frame"]  # noqa: E731
    wait("a second window", lambda: len(frames()) == 2)
    second = next(frame for frame in frames() if frame != person.window)
    person.click(person.find("Try the Sample", root=second))
    person.find("Picture", "image", second)
    person.find(part="Run 1 on ", role="label", root=second)
    check(person.has("Picture", "image", person.window), "the first window has lost its picture")


def main():
    os.makedirs(ARTEFACTS, exist_ok=True)
    # Where the dialog prints files unless told otherwise.
    os.chdir(WORK)
    path = os.path.join(WORK, "Hafen & Möwe 100 %.png")
    shutil.copy(SAMPLE, path)
    person = None
    try:
        narrow()
        print_picture()
        # As a file manager names it, by the %U of the desktop file.
        person = new_person(["file://" + urllib.parse.quote(path)], 1350)
        person.find(part="Hafen & Möwe 100 %.png, 640 × 480", role="label")
        for step in (columns_open, export_tables, second_window):
            step(person)
        person.check_reader()
    except Failure as failure:
        if person:
            person.screenshot(os.path.join(ARTEFACTS, "e2e-window-failure.png"))
        print(failure, file=sys.stderr)
        return 1
    finally:
        if person:
            person.kill()
        shutil.rmtree(WORK, ignore_errors=True)
    return 0


sys.exit(main())
