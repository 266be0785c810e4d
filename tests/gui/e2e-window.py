# SPDX-License-Identifier: MIT
"""The window around the workspaces: its width, printing, tables as files, URIs, and a second window.
Usage: e2e-window.py WINDOW-PROGRAM SAMPLE ARTEFACT-FOLDER FAULT-LAYER"""
import csv
import mmap
import os
import shutil
import subprocess
import struct
import sys
import tempfile
import urllib.parse

import gi

from person import Person, check, run, wait, write_settings

gi.require_version("Gtk", "3.0")
from gi.repository import Gtk  # noqa: E402

PROGRAM, SAMPLE, ARTEFACTS, LAYER = (os.path.abspath(argument) for argument in sys.argv[1:5])
WORK = tempfile.mkdtemp(prefix="meanshift-lab-window-")
COLUMNS = (("Parts of the run", "chart"), ("Histogram", "chart"), ("Statistics of both pictures", "table"))


def new_person(arguments, width, environment=None):
    """With a window of this width, from a key file as the program keeps it."""
    folder = tempfile.mkdtemp(dir=WORK)
    write_settings(folder, **{"window-width": width, "window-height": 800})
    return Person(PROGRAM, arguments, {"XDG_CONFIG_HOME": folder, "XDG_DATA_HOME": WORK, **(environment or {})},
                  reader=True)


def narrow():
    """A window below 1100 pixels shows the figures in place of the settings, when asked."""
    person = new_person([SAMPLE], 1000)
    wait("the first run", lambda: person.run_number() == 1)
    person.find("Spatial radius", "slider")
    wait("the figures to fold", lambda: not any(person.has(*column) for column in COLUMNS))
    person.click(person.find("Figures", "toggle button"))
    for column in COLUMNS:
        person.find(*column)
    wait("the settings to fold", lambda: not person.has("Spatial radius", "slider"))
    person.press("F9")
    person.find("Spatial radius", "slider")
    for page, column in zip(("Timings", "Histogram", "Statistics"), COLUMNS):
        person.open_details(page)
        person.find(*column)
    check(person.quit() == 0, "the narrow window did not end well")


def without_font():
    """The window speaks Chinese where a font has its letters, and English where none has."""
    folder = os.path.join(WORK, "fonts")
    os.makedirs(folder)
    font = subprocess.run(["fc-match", "--format=%{file}", "DejaVu Sans"], capture_output=True, text=True, check=True)
    shutil.copy(font.stdout, folder)
    settings = os.path.join(folder, "fonts.conf")
    with open(settings, "w", encoding="utf-8") as file:
        file.write(f"<fontconfig><dir>{folder}</dir><cachedir>{folder}/cache</cachedir></fontconfig>")
    chinese = {"LC_ALL": "zh_CN.UTF-8", "LANGUAGE": "zh_CN",
               "MS_LOCALE_FOLDER": os.path.join(os.path.dirname(PROGRAM), "..", "data", "po")}
    listed = subprocess.run(["fc-list", ":charset=56fe", "family"], capture_output=True, text=True, check=True).stdout
    own_label = "\u56fe\u7247" if listed else "Picture"
    for fonts, label in (({}, own_label), ({"FONTCONFIG_FILE": settings}, "Picture")):
        person = new_person([], 1280, {**chinese, **fonts})
        person.find(label, "radio button")
        check(person.quit() == 0, "the program did not end well in Chinese")


def loading():
    """A file that takes long has a row with its name and a button that stops it without a message."""
    path = os.path.join(WORK, "slow.png")
    os.mkfifo(path)
    writer = os.open(path, os.O_RDWR)
    person = new_person([path], 900)
    try:
        person.find(part="Loading slow.png…", role="progress bar")
        person.click(person.find("Cancel", "push button"))
        wait("the row to go", lambda: not person.has(part="Loading slow.png…"))
        check(not person.has(part="slow.png"), "a message about a picture that was cancelled")
        check(person.quit() == 0, "the program did not end well after loading was cancelled")
    finally:
        person.kill()
        os.close(writer)


class LostDevice:
    """An OpenCL device that can be lost: all calls fail then; see tests/faults/shared-count.h."""
    LAST = 1 << 40

    def __init__(self):
        path = os.path.join(WORK, "calls")
        with open(path, "wb") as file:
            file.write(bytes(16))
        with open(path, "r+b") as file:
            self.calls = mmap.mmap(file.fileno(), 16)
        # Without binaries in the cache a kernel is built by two calls: one creates the program, one compiles it.
        self.environment = {"OPENCL_LAYERS": LAYER, "MS_FAULT_COUNT": path, "MS_FAULT_NTH": str(self.LAST),
                            "MS_FAULT_ALWAYS": "1", "XDG_CACHE_HOME": os.path.join(WORK, "cache"),
                            # The calls of the process that compiles ahead are not to count.
                            "POCL_KERNEL_CACHE": "0"}

    def lose_after(self, calls):
        struct.pack_into("q", self.calls, 0, self.LAST - 1 - calls)


def notices():
    """The buttons of a notice are as wide as their texts, and lie within the window."""
    device = LostDevice()
    person = new_person([SAMPLE], 900, device.environment)
    wait("the first run", lambda: person.run_number() == 1)
    left, _, width, _ = person.box(person.window)
    for calls, radius, names in ((1, "6", ("Show Log", "Choose Device")), (0, "7", ("Use the Processor",))):
        device.lose_after(calls)
        person.enter(person.find("Spatial radius", "spin button"), radius)
        for name in names:
            button = person.find(name, "push button")
            person.screenshot(os.path.join(ARTEFACTS, f"e2e-notice-{radius}.png"))
            x, _, given, _ = person.box(button)
            text, _ = Gtk.Label(label=name).get_layout().get_pixel_size()
            check(text <= given <= text + 50, f"“{name}” needs {text} pixels and has {given}")
            check(left <= x and x + given <= left + width, f"“{name}” lies outside the window")
    person.kill()


def click_title(person, page):
    """Clicks the title that a panel folds under; the button of that name takes the room of the panel, too."""
    title = person.find(page, "toggle button")
    wait("the title to stand still", lambda: person.stands_still(title))
    left, top, _, _ = person.box(title)
    person.reach(left + 40, top + 10)
    person.mouse(left + 40, top + 10, "b1c")


def columns_open(person):
    """All columns are visible at the same time, and each opens its page."""
    wait("the first run", lambda: person.run_number() == 1)
    for column in COLUMNS:
        person.find(*column)
    for page in ("Timings", "Histogram", "Statistics"):
        person.click(person.find("Open " + page, "push button"))
        wait(page, lambda: page in person.checked())
        column = COLUMNS[("Timings", "Histogram", "Statistics").index(page)]
        wait("both forms", lambda: len([*person.all(*column)]) == 2)
        person.close_details()
        click_title(person, page)
        wait(f"{page} to fold", lambda: not person.has(*column))
        click_title(person, page)  # which may have moved
        person.find(*column)


def invalid_text(person):
    """An invalid work-group is red with the reason below it, until the field is left or the settings change."""
    person.reach(*person.middle(person.find("buffer", "radio button")))
    for _ in range(12):
        person.mouse(*person.middle(person.find("buffer", "radio button")), "b5c")
    field = person.find("Work-group", "text")
    text = lambda: field.queryText().getText(0, -1)  # noqa: E731
    refused = lambda: person.has(part="999x999", role="label")  # noqa: E731

    def is_red():
        x, y, width, height = person.box(field)
        pixels = person.screen()[y:y + height, x:x + width].astype(int)
        return bool(((pixels[..., 0] > 150) & (pixels[..., 1] < 80) & (pixels[..., 2] < 80)).any())

    valid = text()
    check(not is_red(), "a valid shape is red")
    for leave in (lambda: person.press("Tab"), lambda: person.click(person.find("2", "radio button"))):
        person.enter(field, "999x999")
        wait("the reason and the colour of an invalid shape", lambda: text() == "999x999" and refused() and is_red())
        person.screenshot(os.path.join(ARTEFACTS, "e2e-invalid.png"))
        leave()
        wait("the valid shape to come back", lambda: text() == valid and not refused() and not is_red())
    person.press("ctrl+z")


def readout_of_modes(person):
    """The readout is about the pixel under the pointer in the view that is shown."""
    view = person.find("Picture", "image")
    x, y, width, height = person.box(view)
    reading = lambda: next((label.name for label in person.all(part="window: ", role="label")), None)  # noqa: E731
    person.mouse(x + width * 0.4, y + height * 0.5, "abs")
    person.press("2")
    whole = wait("a reading", reading)
    person.press("4")
    wait("the reading of the narrower pane", lambda: reading() not in (None, whole))
    for key in ("1", "4", "3", "4", "2"):
        before = reading()
        person.press(key)
        wait(f"the reading after {key}", lambda: reading() not in (None, before))
    check(reading() == whole, f"the same view reads {reading()} after {whole}")


def export_tables(person):
    for page, title in (("Runs", "Settings"), ("Timings", "Stage")):
        path = os.path.join(WORK, page + ".csv")
        person.open_details(page)
        person.click(person.find("Export Table…", "push button"))
        person.choose_file("Export the Table", path)
        wait(path, lambda: os.path.exists(path) and os.path.getsize(path) > 0)
        with open(path, newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file))
        check(title in rows[0] and len(rows) > 1, f"{path} holds {rows}")


def print_picture():
    """The desktop's dialog prints into a file. It warns where no printer service answers, and so must not be fatal."""
    person = Person(PROGRAM, [SAMPLE], {"XDG_DATA_HOME": WORK, "G_DEBUG": ""})
    wait("the first run", lambda: person.run_number() == 1)
    person.press("ctrl+p")
    dialog = person.find("Print", "dialog")
    person.click(person.find("Print to File", "table cell", dialog))
    person.screenshot(os.path.join(ARTEFACTS, "e2e-print.png"))
    person.click(person.find("Print", "push button", dialog))
    path = os.path.join(WORK, "output.pdf")
    wait("the printed file", lambda: os.path.exists(path) and os.path.getsize(path) > 10000)
    person.kill()


def second_window(person):
    """Another window has pictures of its own."""
    person.press("ctrl+n")
    frames = lambda: [child for child in person.app if child.getRoleName() == "frame"]  # noqa: E731
    wait("a second window", lambda: len(frames()) == 2)
    second = next(frame for frame in frames() if frame != person.window)
    person.click(person.find("Try the Sample", root=second))
    person.find("Picture", "image", second)
    wait("the first run", lambda: person.run_number(second) == 1)
    check(person.has("Picture", "image", person.window), "the first window has lost its picture")


def session():
    # Where the dialog prints files unless told otherwise.
    os.chdir(WORK)
    path = os.path.join(WORK, "Hafen & Möwe 100 %.png")
    shutil.copy(SAMPLE, path)
    narrow()
    without_font()
    loading()
    notices()
    print_picture()
    # As a file manager names it, by the %U of the desktop file.
    person = new_person(["file://" + urllib.parse.quote(path)], 1350)
    person.find(part="Hafen & Möwe 100 %.png, 640 × 480", role="label")
    for step in (columns_open, readout_of_modes, invalid_text, export_tables, second_window):
        step(person)
    person.check_reader()


sys.exit(run(session, WORK, ARTEFACTS))
