# SPDX-License-Identifier: MIT
"""The workspace Batch as a person uses it.
Usage: e2e-batch.py WINDOW-PROGRAM HEADLESS-PROGRAM SAMPLE ARTEFACT-FOLDER"""
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

import cv2
import gi
import pyatspi

gi.require_version("Gtk", "3.0")
from gi.repository import Gio, Gtk  # noqa: E402
from person import Person, check, run, wait

PROGRAM, HEADLESS, SAMPLE, ARTEFACTS = sys.argv[1:5]
WORK = tempfile.mkdtemp(prefix="meanshift-lab-e2e-")
DESKTOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "notifications.py")


def batch():
    """A folder filtered in the workspace Batch gives the same files as the command line that it copies."""
    folder = os.path.join(WORK, "folder")
    os.makedirs(folder)
    for name in ("a.png", "b.png"):
        shutil.copy(SAMPLE, os.path.join(folder, name))
    with open(os.path.join(folder, "c.png"), "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\nnot a picture")
    person = Person(PROGRAM, [folder], {"XDG_DATA_HOME": WORK})
    person.mouse(*person.middle(person.find("Pictures of the batch", "table")), "abs")
    for picture in ("a.png", "b.png", "c.png"):
        person.find(picture, "table cell")
    name = person.find("Name of the results", "text")
    person.enter(name, "{stem}-{sp}.{ext}")
    person.find("Example: picture-10.png", "label")
    person.enter(name, "{stem}.{nonsense}")
    person.find(part="{nonsense}", role="label")
    wait("an invalid template to be refused",
         lambda: not person.find("Dry Run", "push button").getState().contains(pyatspi.STATE_SENSITIVE))
    person.enter(name, "{stem}.{ext}")
    person.click(person.find("Write a manifest", "check box"))
    person.click(person.find("Dry Run", "push button"))
    person.find(part="0 of 3 done", role="label")
    wait("the end of the dry run",
         lambda: person.find("Dry Run", "push button").getState().contains(pyatspi.STATE_SENSITIVE))
    check(not os.path.exists(os.path.join(folder, "meanshift")), "a dry run wrote something")
    person.click(person.find("Start", "push button"))
    wait("the end of the batch", lambda: person.has(part="2 of 3 done", role="label") or
         person.has(part="3 of 3 done", role="label"))
    wait("the failed picture", lambda: person.has("1 failed", "toggle button"))
    check(not person.has(role="link"), "a label has a link: GTK warns when a screen reader asks for one that is gone")
    person.screenshot(os.path.join(ARTEFACTS, "e2e-batch.png"))
    copy = person.find("Copy Manifest", "push button")
    lines = person.copied(lambda: person.click(copy)).splitlines()
    ended = [json.loads(line) for line in lines if '"saving"' not in line]
    check(sorted(os.path.basename(line["input"]) for line in ended) == ["a.png", "b.png", "c.png"],
          f"the manifest is {lines}")
    person.click(person.find("a.png", "table cell"))
    for side in ("Before", "After"):
        wait(f"the picture {side}", lambda: person.find(side, "icon").queryImage().getImageSize()[0] > 100)
    copy = person.find("Copy as Command Line", "push button")
    words = shlex.split(person.copied(lambda: person.click(copy)))
    words[0] = HEADLESS
    words[-1] = os.path.join(WORK, "headless") + "/"
    os.makedirs(words[-1])
    words[words.index("--manifest") + 1] = os.path.join(WORK, "manifest.jsonl")
    subprocess.run(words, capture_output=True, text=True, timeout=120)
    for name in ("a.png", "b.png"):
        with open(os.path.join(folder, "meanshift", name), "rb") as one, open(words[-1] + name, "rb") as other:
            check(one.read() == other.read(), f"{name} differs from what the command line makes")
    shutil.copy(SAMPLE, os.path.join(folder, "c.png"))
    person.click(person.find("Retry Failed", "push button"))
    wait("the picture that was mended", lambda: person.has(part="3 of 3 done, 0 failed", role="label"))
    check(person.quit() == 0, "the program did not end well after a batch")


def announced(looks_away):
    """What the desktop is told of the end of a batch while the window is in front, or another one."""
    folder, heard = tempfile.mkdtemp(dir=WORK), os.path.join(WORK, "notifications")
    shutil.copy(SAMPLE, os.path.join(folder, "a.png"))
    with open(heard, "w", encoding="utf-8") as file:
        desktop = subprocess.Popen([sys.executable, DESKTOP], stdout=file)
    said = lambda: open(heard, encoding="utf-8").read()  # noqa: E731
    try:
        wait("the desktop", said)
        person = Person(PROGRAM, [folder], {"XDG_DATA_HOME": WORK})
        other = Gtk.Window()
        start = person.find("Start", "push button")
        if looks_away:  # before the batch begins, since it may end within a moment
            other.show_all()
            other.present()
            turn(lambda: not person.window.getState().contains(pyatspi.STATE_ACTIVE))
        start.queryAction().doAction(0)  # a click would bring its window to the front
        person.find(part="1 of 1 done", role="label")
        wait("the end of the batch",
             lambda: person.find("Dry Run", "push button").getState().contains(pyatspi.STATE_SENSITIVE))
        other.destroy()
        turn(lambda: True)
        person.mouse(*person.middle(person.find("Pictures of the batch", "table")), "abs")
        check(person.quit() == 0, "the program did not end well after a batch that was announced")
        hear()
    finally:
        desktop.kill()
        desktop.wait()
    return said()


def hear():
    """Returns when the desktop has got what was sent before: the bus passes on a call that comes behind it."""
    bus = Gio.bus_get_sync(Gio.BusType.SESSION)
    for _ in range(2):
        bus.call_sync("org.freedesktop.Notifications", "/org/freedesktop/Notifications",
                      "org.freedesktop.Notifications", "GetCapabilities", None, None, Gio.DBusCallFlags.NONE, -1)


def turn(condition):
    """Handles the events of the windows of this process until the condition holds."""
    def holds():
        while Gtk.events_pending():
            Gtk.main_iteration()
        return condition()
    wait("another window in front", holds)


def notification():
    """The end of a batch is announced to a person who looks at another window, and to nobody else."""
    check("The batch has ended" not in announced(False), "a notification although the window is in front")
    text = announced(True)
    check("The batch has ended" in text and "1 done, 0 failed" in text, f"the notification is {text!r}")


def is_stopped(person):
    """Whether a program that the window has started is stopped, as that of a paused batch."""
    with open(f"/proc/{person.process.pid}/task/{person.process.pid}/children", encoding="ascii") as file:
        children = file.read().split()
    states = (pathlib.Path("/proc", child, "stat").read_text().rpartition(") ")[2][0] for child in children)
    return "T" in states


def batch_of_many():
    """A batch can be paused, continued and cancelled; what was finished stays."""
    folder = os.path.join(WORK, "many")
    os.makedirs(folder)
    # Large enough for the batch to be far from its end when it is cancelled, however fast the machine.
    cv2.imwrite(os.path.join(folder, "0000.png"), cv2.resize(cv2.imread(SAMPLE), (480, 360)))
    for number in range(1, 1500):
        os.link(os.path.join(folder, "0000.png"), os.path.join(folder, f"{number:04}.png"))
    person = Person(PROGRAM, [folder], {"XDG_DATA_HOME": WORK})
    note = lambda: person.find(part=" of 1500 done", role="label").name  # noqa: E731
    done = lambda: int(note().split()[0])  # noqa: E731
    person.mouse(*person.middle(person.find("Pictures of the batch", "table")), "abs")
    person.click(person.find("Start", "push button"))
    wait("the first pictures", lambda: done() > 0)
    wait("the progress to tell the speed and the time left", lambda: "images/s" in note() and " left" in note())
    person.click(person.find("Pause", "push button"))
    person.find("Continue", "push button")
    wait("the batch to pause", lambda: is_stopped(person))
    paused = done()
    check(paused < 1500, "the batch had ended before it was paused")
    person.click(person.find("Continue", "push button"))
    wait("the batch to continue", lambda: done() > paused)
    person.click(person.find("Cancel", "push button"))
    person.find("Start", "push button")
    wait("a file for each picture that is done",
         lambda: len(os.listdir(os.path.join(folder, "meanshift"))) == done() < 1500)
    check(person.quit() == 0, "the program did not end well after a cancelled batch")


def session():
    batch()
    notification()
    batch_of_many()


sys.exit(run(session, WORK, ARTEFACTS))
