# SPDX-License-Identifier: MIT
"""Takes pictures of the three workspaces from the running program, on a display of 2800x1800 with a session bus.

Usage: screenshots.py WINDOW-PROGRAM PICTURE FOLDER [STYLE...]

A style is one of those in STYLES, or several joined by "+"; without one, the pictures of the README are taken, which is
the style "light" under the names of the workspaces. With styles, the contrast of what the program draws itself is
measured in the pictures: the least one of each is printed, and one below 4.5:1 is a failure. MS_LOCALE_FOLDER names the
folder of the translations.
"""
import gettext
import os
import re
import shutil
import sys
import tempfile
import time

import cv2

import contrast
from person import Failure, Person, check, wait, write_settings
from pyatspi import STATE_SENSITIVE

PROGRAM, PICTURE, FOLDER = sys.argv[1:4]
REPORTS = os.path.join(os.path.dirname(PICTURE), "..", "experiments", "reports")
STYLES = {
    "light": {},
    "dark": {"GTK_THEME": "Adwaita:dark"},
    "high-contrast": {"GTK_THEME": "HighContrast"},
    "900x600": {"GSETTINGS_BACKEND": "keyfile"},  # which the other styles leave alone
    "200-percent": {"GDK_SCALE": "2"},
    "chinese": {"LC_ALL": "zh_CN.UTF-8", "LANGUAGE": "zh_CN"},
}


class Words:
    """The names of things in the language of a style; a name may have several translations, by its mnemonics."""

    def __init__(self, language):
        self.catalogue = {}
        folder = os.environ.get("MS_LOCALE_FOLDER", "")
        for place, domain in (("", "meanshift-lab"), ("../experiments/po", "meanshift-lab-experiments")):
            path = os.path.join(folder, place, language or "", "LC_MESSAGES", domain + ".mo")
            if language and os.path.exists(path):
                with open(path, "rb") as file:
                    catalogue = gettext.GNUTranslations(file)._catalog
                for key, text in catalogue.items():
                    if isinstance(key, str):
                        self.catalogue.setdefault(key.replace("_", ""), []).append(text.replace("_", ""))

    def all(self, text):
        return self.catalogue.get(text, [text])

    def __call__(self, text):
        return min(self.all(text), key=len)


class Tour:
    """One style: takes the pictures, and measures in them what the program draws itself."""

    def __init__(self, style, prefix):
        self.prefix = prefix
        self.is_small = "900x600" in style
        self.environment = {"XDG_CONFIG_HOME": tempfile.mkdtemp(prefix="meanshift-lab-screenshots-"),
                            "GSETTINGS_BACKEND": "memory"}
        for part in style.split("+"):
            self.environment.update(STYLES[part])
        self.words = Words(self.environment.get("LANGUAGE"))
        self.person = None
        self.least = []
        write_settings(self.environment["XDG_CONFIG_HOME"], **{"window-width": 900, "window-height": 600})

    def has(self, name, role):
        return next((found for text in self.words.all(name) if (found := self.person.has(text, role))), None)

    def find(self, name, role):
        return wait(name, lambda: self.has(name, role))

    def click(self, name, role):
        self.person.click(self.find(name, role))

    def crop(self, node, left=0, top=0, width=None, height=None):
        """A part of a widget in its own units."""
        x, y, whole_width, whole_height = self.person.box(node)
        scale = self.person.scale
        right = x + (whole_width if width is None else scale * (left + width))
        bottom = y + (whole_height if height is None else scale * (top + height))
        return self.person.screen()[y + scale * top:bottom, x + scale * left:right]

    def note(self, name, what, measured):
        check(measured, f"nothing was measured in {what} of {name}")
        ratio, where = min(measured)
        self.least.append(ratio)
        print(f"{name}: {what}: {ratio:.2f}:1 ({where})", flush=True)

    def measure(self, name):
        """Charts, the mark of the newest run, captions on the picture and the coloured source of a kernel."""
        for widget in self.person.widgets.showing():
            node = self.person.widgets.node(widget)
            if node.getRoleName() == "chart" and node.name == self.words("Histogram"):
                # Its fills only help the eye; the outlines have the contrast.
                self.note(name, node.name, [*contrast.measure_words(self.crop(node), scale=self.person.scale)])
            elif node.getRoleName() == "chart":
                self.note(name, node.name, contrast.measure(self.crop(node), self.person.scale))
            elif node.getRoleName() == "text" and node.name == self.words("Kernel source"):
                self.note(name, node.name, [*contrast.measure_words(self.crop(node, 0, 0, 700, 300))])
            elif node.name == self.words("%s as %s") % (self.words("defaults"), "A"):
                self.note(name, "mark of the newest run", self.measure_newest(node))
            elif node.getRoleName() == "image" and node.name == self.words("Picture"):
                self.note(name, "caption", contrast.measure_caption(self.crop(node, 20, 12, 44, 20)))

    def measure_newest(self, toggle):
        """The line below the newest run, which ends below its toggles, with the colour below it."""
        line = self.crop(toggle, 2, 30, 8, 30)[:, 0]
        return [max((ratio, "line of #%02x%02x%02x" % tuple(line[row]))
                    for row, ratio in enumerate(contrast.ratios(line, line[-1])))]

    def is_still(self):
        """Whether nothing moves for longer than an animation pauses."""
        before = self.person.screen()
        time.sleep(0.5)
        return not self.person.has(role="tool tip") and (before == self.person.screen()).all()

    def shoot(self, name):
        self.person.mouse(2798, 1798, "abs")
        wait("the window to stand still", self.is_still)
        if self.is_small:
            width, height = self.person.box(self.person.window)[2:]
            check(width <= 912 and height <= 660, f"the window has grown to {width}x{height} with its shadow")
        self.person.screenshot(os.path.join(FOLDER, self.prefix + name + ".png"),
                               self.person.box(self.person.window))
        if self.prefix:
            self.measure(self.prefix + name)

    def wait_for_end(self):
        wait("the end of the work", lambda: not self.has("Cancel", "push button"), 200)

    def show_picture(self):
        self.find(self.words("%s as %s") % (self.words("defaults"), "A"), "toggle button")
        self.wait_for_end()
        self.shoot("picture")
        if self.prefix:
            self.show_regions()

    def show_regions(self):
        """A region that was clicked, with its row."""
        self.click("Show regions", "toggle button")
        view = self.find("Picture", "image")
        wait("the regions", lambda: re.search(r"(?:\. |。)(\d+) ", view.description))
        self.person.click(view)
        self.shoot("regions")

    def show_lab(self):
        self.click("Lab", "radio button")
        title = self.words("Access to global memory")
        search = self.person.find(self.words("Search experiments"))
        self.person.click(search)
        search.queryEditableText().setTextContents(title)
        self.person.click(self.person.find(title, "table cell"))
        self.click("Quick", "check box")
        self.click("Run", "push button")
        self.wait_for_end()
        self.shoot("lab")
        self.click("Learn", "radio button")
        self.click("Next Step", "push button")
        self.click("Quick", "check box")
        self.click("Run", "push button")
        self.wait_for_end()
        self.shoot("learn")
        if self.prefix:
            self.show_compare()
            self.show_tune()
            self.show_reports()
            self.click("Kernel", "radio button")
            self.find("Compile", "push button")
            self.shoot("kernel")

    def show_compare(self):
        self.click("Compare", "radio button")
        for value in ("2", "4"):
            # A translation has the mnemonic in parentheses, which the name of the button leaves out.
            self.click("%s %s" % (re.sub(r"\(\w\)$", "", self.words("Unroll")), value), "check box")
        self.click("Compare", "push button")
        self.wait_for_end()
        self.shoot("compare")

    def show_tune(self):
        self.click("Tune", "radio button")
        self.person.enter(self.find("Budget in seconds", "spin button"), "10")
        self.click("Tune", "push button")
        self.wait_for_end()
        self.shoot("tune")

    def show_reports(self):
        """The reports that come with the program, side by side."""
        self.click("Reports", "radio button")
        for name in ("nvidia-h100.json", "pocl-3.1-two-cores.json", "intel-2026-two-cores.json"):
            self.click("Open Reports…", "push button")
            self.person.choose_file(self.words("Open Reports"), os.path.join(REPORTS, name))
            title = self.words("Open Reports")
            wait("the reports to be listed", lambda: not self.person.has(part=title, role="file chooser"))
        self.shoot("reports")

    def show_empty_batch(self):
        self.click("Batch", "radio button")
        if self.prefix:
            self.shoot("batch-empty")

    def show_batch(self):
        """A batch that has ended, with one file that is no picture."""
        self.click("Start", "push button")
        retry = self.find("Retry Failed", "push button")
        wait("the end of the batch", lambda: retry.getState().contains(STATE_SENSITIVE), 200)
        self.person.click(self.person.find("harbour-03.png", "table cell"))
        self.shoot("batch")

    def visit(self, path, *steps):
        self.person = Person(PROGRAM, [path], self.environment)
        try:
            for step in steps:
                step()
        finally:
            self.person.kill()

    def run(self):
        folder = new_folder()
        try:
            self.visit(PICTURE, self.show_picture, self.show_lab, self.show_empty_batch)
            self.visit(folder, self.show_batch)
        finally:
            shutil.rmtree(folder)
            shutil.rmtree(self.environment["XDG_CONFIG_HOME"])
        return min(self.least, default=contrast.ENOUGH)


def new_folder():
    folder = tempfile.mkdtemp(prefix="meanshift-lab-screenshots-")
    picture = cv2.imread(PICTURE)
    for number in range(12):
        cv2.imwrite(os.path.join(folder, f"harbour-{number:02}.png"), picture[:, 20 * number:20 * number + 400])
    with open(os.path.join(folder, "notes.png"), "w", encoding="utf-8") as file:
        file.write("no picture")
    return folder


def main():
    os.makedirs(FOLDER, exist_ok=True)
    styles = sys.argv[4:]
    try:
        if not styles:
            Tour("light", "").run()
        least = [Tour(style, style + "-").run() for style in styles]
        check(min(least, default=contrast.ENOUGH) >= contrast.ENOUGH,
              f"the least contrast of a style is below {contrast.ENOUGH}:1")
    except Failure as failure:
        print(failure, file=sys.stderr)
        return 1
    return 0


sys.exit(main())
