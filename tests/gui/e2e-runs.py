# SPDX-License-Identifier: MIT
"""The table of runs as a person uses it. Usage: e2e-runs.py WINDOW-PROGRAM PICTURE ARTEFACT-FOLDER"""
import os
import re
import subprocess
import sys
import tempfile
import threading
import urllib.parse

import cv2

from person import Person, check, run, wait

PROGRAM, PICTURE, ARTEFACTS = sys.argv[1:4]
WORK = tempfile.mkdtemp(prefix="meanshift-lab-runs-")


def copied_rows(person):
    """The table of the visible panel as the button copies it: a dictionary for each row."""
    copy = person.find("Copy Table", "push button")
    lines = person.copied(lambda: person.click(copy)).splitlines()
    titles = lines[0].split("\t")
    return [dict(zip(titles, line.split("\t"))) for line in lines[1:]]


def wait_idle(person):
    wait("the end of filtering", lambda: not person.has("Cancel", "push button") and
         "Measuring" not in (view := person.find("Picture", "image").description) and "Filtering" not in view)


def runs(person):
    return copied_rows(person)[1:]


def wait_for_runs(person, number):
    wait(f"{number} runs", lambda: len(runs(person)) == number)
    wait_idle(person)


def drag_is_one_run(person):
    """All moves of one drag of a slider are one row of the table, and one step of undo."""
    slider = person.find("Colour radius", "slider")
    x, y, width, height = person.box(slider)
    person.drag((x + width * 0.3, y + height // 2), (x + width * 0.8, y + height // 2))
    wait("the run of the drag", lambda: len(runs(person)) >= 2 and
         f"--sr {person.value(person.find('Colour radius', 'spin button')):g} " in runs(person)[-1]["Settings"] + " ")
    wait_idle(person)
    check(len(runs(person)) == 2, f"one drag made {len(runs(person)) - 1} rows")
    check(runs(person)[-1]["Order"] == "2, newest", f"the newest run is not marked: {runs(person)}")
    person.press("ctrl+z")
    wait_for_runs(person, 3)
    check("--sr 20 " in runs(person)[-1]["Settings"] + " ", f"undo took back a part of the drag: {runs(person)}")


def repeats(person):
    """A speed-up of single runs is marked; after repeats of both runs it has a spread."""
    check(re.fullmatch(r"[\d.]+×( slower)?, one run", runs(person)[-1]["Speed-up"]), f"{runs(person)[-1]}")
    person.click(person.find("Filter Again ×", "push button"))
    wait("the repeats of the last run", lambda: runs(person)[-1]["Kernel time"].endswith("%, 6×"))
    check("one run" in runs(person)[-1]["Speed-up"], "one repeated run of two is enough for a speed-up")
    person.click(person.find("defaults", "table cell"))
    person.enter(person.find("Times to filter again", "spin button"), "3")
    wait_idle(person)
    person.click(person.find("Filter Again ×", "push button"))
    wait("the repeats of the first run", lambda: runs(person)[0]["Kernel time"].endswith("%, 4×"))
    check(re.fullmatch(r"[\d.]+×( slower)? ± [\d.]+ %", runs(person)[-1]["Speed-up"]), f"{runs(person)[-1]}")
    check(len(runs(person)) == 3, "repeats were added as runs")


def changes_wait(person):
    """Esc ends the repeats; a change that was made meanwhile is filtered then."""
    person.enter(person.find("Times to filter again", "spin button"), "999")
    wait_idle(person)
    person.click(person.find("Filter Again ×", "push button"))
    view = person.find("Picture", "image")
    wait("the measuring", lambda: "Measuring" in view.description)
    person.click(person.find("2", "radio button"))
    wait("the change to wait", lambda: "changes wait" in view.description)
    person.click(view)
    person.press("Escape")
    wait_for_runs(person, 4)
    check("--unroll 2" in runs(person)[-1]["Settings"], f"{runs(person)[-1]}")


def undo_of_deletion(person):
    """A run that was deleted comes back to its place, with its picture and its uses."""
    before = runs(person)
    person.click(person.find("defaults", "table cell"))
    person.click(person.find("Delete", "push button"))
    wait("the run to go", lambda: len(runs(person)) == len(before) - 1)
    check(runs(person)[0]["Picture"] == "★ baseline", f"{runs(person)[0]}")
    person.click(person.find("Undo Delete", "push button"))
    wait("the run to come back", lambda: runs(person) == before)
    wait("the deletion to be undone only once", lambda: not person.has("Undo Delete", "push button"))


class DropTarget:
    """Another program that files can be dropped on, beside the window."""

    def __init__(self, x, y):
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "drop-target.py")
        self.middle = x + 30, y + 30
        self.process = subprocess.Popen([sys.executable, script, str(x), str(y)], stdout=subprocess.PIPE, text=True)
        self.lines = []
        threading.Thread(target=lambda: self.lines.extend(iter(self.process.stdout.readline, "")), daemon=True).start()

    def said(self, start):
        return next((line.strip() for line in list(self.lines) if line.startswith(start)), None)


def drag_to_another_program(person):
    """The thumbnail of a run can be dropped on another program, which gets a file with the filtered picture."""
    target = DropTarget(1320, 400)
    try:
        wait("the other program", lambda: target.said("ready"))
        start = person.middle(person.find("Thumbnail of defaults"))
        person.reach(*start)
        person.mouse(*start, "b1p")

        def is_over():
            """The target hears of a drag only while the pointer moves."""
            for step in (0.3, 0.6, 0.9, 1):
                person.mouse(*(start[i] + (target.middle[i] - start[i]) * step for i in (0, 1)), "abs")
            return target.said("over")

        wait("the drag to reach the other program", is_over)
        person.mouse(*target.middle, "b1r")
        path = urllib.parse.unquote(urllib.parse.urlparse(wait("the file", lambda: target.said("file://"))).path)
        dropped, picture = cv2.imread(path), cv2.imread(os.path.join(WORK, "picture.png"))
        check(dropped.shape == picture.shape and (dropped != picture).any(), f"{path} is not the filtered picture")
    finally:
        target.process.kill()
        target.process.wait()


def newest_is_visible(person):
    """With more runs than fit, the newest is scrolled to."""
    for value in ("4", "1", "2"):
        number = len(runs(person))
        person.click(person.find(value, "radio button"))
        wait_for_runs(person, number + 1)
    newest = runs(person)[-1]["Run"]
    cell = person.find(newest, "table cell")

    def is_in_view():
        _, top, _, height = person.box(person.find("Runs", "table"))
        _, y, _, _ = person.box(cell)
        return top <= y < top + height

    wait(f"{newest} to be in view", is_in_view)


def copy_timings(person):
    person.open_details("Timings")
    stages = [row["Stage"] for row in copied_rows(person)]
    check(any("kernel" in stage.lower() for stage in stages), f"the table of timings copies {stages}")


def session():
    picture = os.path.join(WORK, "picture.png")
    cv2.imwrite(picture, cv2.resize(cv2.imread(PICTURE), (240, 160), interpolation=cv2.INTER_AREA))
    person = Person(PROGRAM, [picture], {"XDG_DATA_HOME": WORK})
    wait("the first run", lambda: person.run_number() == 1)
    person.open_details("Runs")
    wait_for_runs(person, 1)
    # The thumbnail is dragged while it is the only one, since the strip scrolls to the newest.
    for step in (drag_to_another_program, drag_is_one_run, repeats, changes_wait, undo_of_deletion,
                 newest_is_visible, copy_timings):
        step(person)
        person.screenshot(os.path.join(ARTEFACTS, f"e2e-runs-{step.__name__}.png"))


sys.exit(run(session, WORK, ARTEFACTS))
