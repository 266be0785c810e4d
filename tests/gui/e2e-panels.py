# SPDX-License-Identifier: MIT
"""The panels as a person uses them. Usage: e2e-panels.py WINDOW-PROGRAM PICTURE ARTEFACT-FOLDER"""
import csv
import json
import os
import sys
import tempfile
import time

import cv2
import pyatspi

from person import Person, check, run, wait

PROGRAM, PICTURE, ARTEFACTS = sys.argv[1:4]
WORK = tempfile.mkdtemp(prefix="meanshift-lab-panels-")


IN_LAB = ("Experiments", "Learn", "Compare", "Tune", "Kernel")


def go_to(person, page):
    person.choose("Lab" if page in IN_LAB else "Picture")
    if page in IN_LAB:
        person.choose(page)
    else:
        person.open_details(page)


def shoot(person, name):
    person.screenshot(os.path.join(ARTEFACTS, f"e2e-panel-{name}.png"))


def read_histogram(person):
    go_to(person, "Histogram")
    plot = [*person.all("Histogram", "chart")][-1]  # the short form at the left is the first
    person.find(part="defaults clipped at 0 / 255:")
    x, y, width, height = person.box(plot)
    person.mouse(x + width * 0.6, y + height * 0.5, "abs")
    wait("the bin under the pointer to be read",
         lambda: any("→" in label.name and "Red" in label.name for label in person.all(part="Level ", role="label")))
    person.click(plot)
    person.press("Home")
    person.press("Right")
    wait("the arrow keys to read level 1", lambda: person.has(part="Level 1:", role="label"))
    wait("the accessible value to be the level that is read", lambda: plot.queryValue().currentValue == 1)
    person.click(person.find("● Red", "check box"))
    wait("red to go from the reading", lambda: not person.has(part="● Red ", role="label"))
    shoot(person, "histogram")


def read_statistics(person):
    go_to(person, "Statistics")
    person.find(part="PSNR", role="label")
    copy = person.find("Copy Table", "push button")
    table = person.copied(lambda: person.click(copy))
    rows = [line.split("\t") for line in table.splitlines()]
    check(rows[0][:4] == ["Picture", "Channel", "Min", "Max"], table)
    check(len(rows) == 12 and all(len(row) == 16 for row in rows[:11]), table)


def export(person, kind, path):
    person.click(person.find("Export", "toggle button"))
    person.click(person.find(kind))
    person.choose_file("Export the Report", path)
    wait(f"{path}", lambda: os.path.exists(path) and os.path.getsize(path) > 0)
    wait("a word about the export", lambda: person.has(part=f"Exported to {path}"))


def compare(person):
    go_to(person, "Compare")
    for value in ("Unroll 2", "Unroll 4", "Access vload"):
        person.click(person.find(value, "check box"))
    person.find(part="4 configurations on ")
    person.enter(person.find("Repeats", "spin button"), "3")
    person.click(person.find("Compare", "push button"))
    person.find("Cancel", "push button")
    wait("the comparison to end", lambda: person.has(part="Fastest"), 180)
    shoot(person, "compare")
    path = os.path.join(WORK, "compare.csv")
    export(person, "Table as CSV…", path)
    with open(path, newline="", encoding="utf-8") as file:
        rows = [row for row in csv.reader(line for line in file if not line.startswith("#"))]
    check(len(rows) == 5, f"the CSV has {len(rows)} rows")
    path = os.path.join(WORK, "compare.json")
    export(person, "Everything as JSON…", path)
    with open(path, encoding="utf-8") as file:
        json.load(file)
    path = os.path.join(WORK, "compare.png")
    export(person, "Chart as PNG…", path)
    check(cv2.imread(path) is not None, "the chart is no picture")
    person.click(person.find(part="access vload", role="table cell"))
    go_to(person, "Runs")
    wait("a run with the configuration that was clicked",
         lambda: any("--access vload" in (cell.name or "") for cell in person.all(role="table cell")))
    shoot(person, "runs")


def enlarge(person):
    """The chart in a window of its own, which Escape closes, while a reader reads both."""
    go_to(person, "Compare")
    person.click(person.find("Enlarge Chart", "push button"))
    others = lambda: (w for w in person.app if w != person.window and person.has(role="chart", root=w))  # noqa: E731
    window = wait("the window of the chart", lambda: next(others(), None))
    chart = person.find(role="chart", root=window)
    wait("the chart to fill its window", lambda: person.box(chart)[2:] == (960, 600))
    person.mouse(*person.middle(chart), "abs")
    person.press("Escape")
    wait("the window of the chart to close", lambda: not next(others(), None))
    person.check_reader()


def measuring(person):
    """During a comparison a change of the settings waits, with a note, and Esc stops the comparison."""
    go_to(person, "Compare")
    person.enter(person.find("Repeats", "spin button"), "1000")
    person.click(person.find("Compare", "push button"))
    person.find("Cancel", "push button")
    person.click(person.find("Picture", "radio button"))
    person.enter(person.find("Max iterations", "spin button"), "6")
    view = person.find("Picture", "image")
    wait("the change to wait", lambda: "Waiting until measuring has ended" in view.description)
    person.click(view)
    person.press("Escape")
    wait("the change to be filtered", lambda: any("--max-iterations 6" in (cell.name or "")
                                                  for cell in person.all(role="table cell")))
    go_to(person, "Compare")
    person.find("Compare", "push button")
    person.enter(person.find("Repeats", "spin button"), "3")


def experiment(person):
    go_to(person, "Experiments")
    person.find("Sum reduction (PCL)", "table cell")
    person.enter(person.find("Search experiments"), "vload4")
    wait("the other studies to go", lambda: not person.has("Sum reduction (PCL)", "table cell"))
    person.click(person.find("Access to global memory", "table cell"))
    person.find(part="Varies:")
    quick = person.find("Quick", "check box")
    check(not quick.getState().contains(pyatspi.STATE_CHECKED), "“Quick” is ticked although nobody asked for it")
    person.click(person.find("Run", "push button"))
    person.click(person.find("Cancel", "push button"))
    wait("the experiment to stop", lambda: person.has(part="Cancelled; the results so far are shown."), 120)
    person.click(quick)
    person.click(person.find("Run", "push button"))
    wait("the experiment to end", lambda: person.has(part="Done: "), 400)
    shoot(person, "experiments")


def learn(person):
    """The page Learn leads from one published finding to the next, and runs its experiment."""
    go_to(person, "Learn")
    person.find(part="The filter in serial C on one ", role="label")
    person.click(person.find("Next Step", "push button"))
    person.find(part="128 was best on both", role="label")
    person.click(person.find("Run", "push button"))
    person.click(person.find("Cancel", "push button"))
    wait("the step to stop", lambda: person.has("Run", "push button"), 120)
    shoot(person, "learn")


def tune(person):
    """Cancelling keeps what was found, however fast the machine is; a search of a second ends by itself."""
    go_to(person, "Tune")
    person.enter(person.find("Budget in seconds", "spin button"), "3600")
    person.click(person.find("Tune", "push button"))
    wait("a configuration that was measured", lambda: person.has(part="★ Fastest so far:"), 240)
    person.click(person.find("Cancel", "push button"))
    person.find(part="Cancelled after ")
    person.click(person.find("Apply Winner", "push button"))
    shoot(person, "tune")
    person.enter(person.find("Budget in seconds", "spin button"), "1")
    person.click(person.find("Tune", "push button"))
    wait("the search to end", lambda: person.has(part="Done: "), 120)


def look_at_kernel(person):
    go_to(person, "Kernel")
    person.click(person.find("Compile", "push button"))
    source = person.find("Kernel source")
    text = source.queryText()
    wait("a kernel in the source", lambda: "kernel" in text.getText(0, text.characterCount))
    shoot(person, "kernel")


def quit_while_comparing(person):
    go_to(person, "Compare")
    person.enter(person.find("Repeats", "spin button"), "1000")
    person.click(person.find("Compare", "push button"))
    person.find("Cancel", "push button")
    person.mouse(*person.middle(person.find("Configurations", "table")), "abs")
    status = person.quit()
    check(status == 0, f"the program ended with status {status}")


def session():
    picture = os.path.join(WORK, "picture.png")
    cv2.imwrite(picture, cv2.resize(cv2.imread(PICTURE), (240, 160), interpolation=cv2.INTER_AREA))
    person = Person(PROGRAM, [picture], {"XDG_DATA_HOME": WORK}, reader=True)
    wait("the first run", lambda: person.run_number() == 1)
    steps = (read_histogram, read_statistics, compare, enlarge, measuring, experiment, learn, tune, look_at_kernel,
             quit_while_comparing)
    for step in steps:
        began = time.monotonic()
        step(person)
        print(f"{step.__name__}: {time.monotonic() - began:.1f} s", flush=True)


sys.exit(run(session, WORK, ARTEFACTS))
