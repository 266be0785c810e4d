# SPDX-License-Identifier: MIT
"""The real program as a person uses it: a short session with a picture, in CI also its panels, its regions and Lab,
and much more of Picture in the long form; e2e-batch.py has the workspace Batch.
Usage: e2e.py WINDOW-PROGRAM HEADLESS-PROGRAM SAMPLE ARTEFACT-FOLDER"""
import math
import os
import re
import shlex
import subprocess
import sys
import tempfile

import cv2
import numpy
import pyatspi

from person import Person, check, run, wait

PROGRAM, HEADLESS, SAMPLE, ARTEFACTS = sys.argv[1:5]
FORM = os.environ.get("MS_TEST_FORM", "suite")
FULL = FORM == "long"
WORK = tempfile.mkdtemp(prefix="meanshift-lab-e2e-")


def wait_for_run(person, number):
    wait(f"run {number}", lambda: person.run_number() >= number)
    wait("the end of filtering", lambda: not person.has("Cancel", "push button"))


def shoot(person, name):
    """A picture to look at, in the long form alone; a failure leaves one in every form."""
    if FULL:
        person.screenshot(os.path.join(ARTEFACTS, name))


def rgb(path):
    return cv2.imread(path, cv2.IMREAD_COLOR)[:, :, ::-1].astype(int)


def levels_off(person, picture):
    """The mean difference between the picture and the screen at 1:1; None while too little of it is visible."""
    x, y, w, h = person.box(person.find("Picture", "image"))
    height, width = picture.shape[:2]
    left, top = math.floor(w / 2 - width / 2 + 0.5), math.floor(h / 2 - height / 2 + 0.5)
    # The caption lies in the first 40 rows of the view.
    first_row, last_row = max(4, 40 - top), min(height, h - top) - 4
    first_column, last_column = max(0, -left) + 4, min(width, w - left) - 4
    if last_row - first_row < 200 or last_column - first_column < 300:
        return None
    shown = person.screen()[y + top + first_row:y + top + last_row, x + left + first_column:x + left + last_column]
    return numpy.abs(shown.astype(int) - picture[first_row:last_row, first_column:last_column]).mean()


def change_settings(person):
    person.enter(person.find("Spatial radius", "spin button"), "6")
    wait_for_run(person, 2)
    person.click(person.find("image", "radio button"))
    wait_for_run(person, 3)
    check(person.value(person.find("Spatial radius", "spin button")) == 6, "the radius typed is not there")
    person.click(person.find("Undo"))
    wait_for_run(person, 4)
    person.press("ctrl+shift+z")
    wait_for_run(person, 5)
    person.press("ctrl+z")
    wait_for_run(person, 6)


def look_around(person):
    view = person.find("Picture", "image")
    person.click(person.find("Split", "toggle button"))
    x, y = person.middle(view)
    before = person.value(view)
    person.drag((x, y), (x + 150, y))
    wait("the divider to follow the pointer", lambda: person.value(view) > before + 5)
    shoot(person, "e2e-split.png")
    for mode in ("Side by side", "Difference", "Original", "Filtered"):
        person.click(person.find(mode, "toggle button"))
        shoot(person, f"e2e-{mode.lower().replace(' ', '-')}.png")


def zoom(person):
    x, y = person.middle(person.find("Picture", "image"))
    person.reach(x, y)
    person.press("ctrl+1")
    for _ in range(3):
        person.mouse(x, y, "b4c")
    wait("the wheel to zoom", lambda: person.has(part="Zoom, 195 %"))
    wait("a reading under the pointer", lambda: person.has(part="window: ", role="label"))
    person.press("ctrl+1")
    wait("Ctrl+1 to show 1:1", lambda: person.has(part="Zoom, 100 %"))


def shows(person, picture):
    off = levels_off(person, picture)
    return off is not None and off < 0.5


def compare_with_files(person, picture, output):
    """The screen shows the original, or the filtered picture that the copied command line produces."""
    original, filtered = rgb(picture), rgb(output)
    person.click(person.find("Filtered", "toggle button"))
    # Without the lower panel the whole picture fits, and lies in the middle.
    person.press("shift+F9")
    person.press("ctrl+1")
    wait("the filtered picture on the screen", lambda: shows(person, filtered))
    person.hold("space")
    try:
        wait("the original while Space is held", lambda: shows(person, original))
    finally:
        person.release("space")
    wait("the filtered picture to come back", lambda: shows(person, filtered))
    person.press("shift+F9")


def repeat_on_command_line(person):
    line = person.copied(lambda: person.press("ctrl+shift+c"))
    words = shlex.split(line)
    check(words[:2] == ["meanshift-lab", "--headless"], line)
    output = os.path.join(WORK, "headless.png")
    words[0] = HEADLESS
    words[words.index("-o") + 1] = output
    done = subprocess.run(words, capture_output=True, text=True, timeout=120)
    check(done.returncode == 0, f"{line}\n{done.stderr}")
    return output


def save(person, expected):
    path = os.path.join(WORK, "saved.png")
    person.press("ctrl+shift+s")
    person.choose_file("Save the Filtered Picture", path)
    wait("the saved file", lambda: os.path.exists(path))
    wait("the end of saving", lambda: person.has(part="Saved as"))
    check((rgb(path) == rgb(expected)).all(), "the window saved another picture than the command line made")
    # It lies over the pages that are clicked next.
    wait("the word to go", lambda: not person.has(part="Saved as"))


def open_bad_file(person):
    path = os.path.join(WORK, "bad.png")
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\nnot much of a picture")
    person.press("ctrl+o")
    person.choose_file("Open Pictures", path)
    wait("a word about the bad file", lambda: person.has(part="bad.png", role="label"))
    shoot(person, "e2e-bad-file.png")
    person.click(person.find("Close this message"))


def panels(person):
    person.press("F9")
    wait("the side panel to go", lambda: not person.has("Spatial radius", "spin button"))
    person.press("F9")
    person.find("Spatial radius", "spin button")
    person.press("shift+F9")
    wait("the figures to go", lambda: not person.has("Statistics of both pictures", "table"))
    person.press("shift+F9")
    person.find("Statistics of both pictures", "table")
    person.choose("Lab")
    for page in ("Experiments", "Compare", "Tune", "Kernel"):
        person.choose(page)
        shoot(person, f"e2e-page-{page.lower()}.png")
    person.choose("Picture")
    for page in ("Histogram", "Statistics", "Runs", "Timings"):
        person.open_details(page)
        shoot(person, f"e2e-page-{page.lower()}.png")
    person.press("ctrl+d")
    wait("the details to go", lambda: not person.has("Stages and kernels of the last run", "tree table"))


def drag_until(person, slider, condition):
    """Moves a slider with the button held until condition() is true: what it changes is shown during the drag."""
    x, y, width, height = person.box(slider)
    person.reach(x + width * 0.4, y + height // 2)
    person.mouse(x + width * 0.4, y + height // 2, "b1p")
    person.mouse(x + width * 0.7, y + height // 2, "abs")
    try:
        wait("the slider to be live", condition)
    finally:
        person.mouse(x + width * 0.7, y + height // 2, "b1r")


def regions(person):
    """The picture shows the regions; a click selects a row and a row selects a region, and the sliders are live."""
    view = person.find("Picture", "image")
    caption = lambda: view.description.split(". ")[-1]  # noqa: E731
    person.click(person.find("Show regions", "toggle button"))
    wait("the regions", lambda: caption().endswith(" regions"))
    person.click(view)
    wait("the region that was clicked", lambda: caption().startswith("Region "))
    table = person.find("Regions of the picture", "table")
    label = caption().split()[1]
    wait("its row", lambda: list(table.queryTable().getSelectedRows()) == [int(label) - 1])
    shoot(person, "e2e-regions.png")
    x, y, width, height = person.box(table)
    person.reach(x + width // 2, y + height * 0.3)
    person.mouse(x + width // 2, y + height * 0.3, "b1c")
    wait("the region of the row that was clicked", lambda: caption().split()[1] != label)
    chosen = caption()
    drag_until(person, person.find("Least pixels of a region", "slider"), lambda: caption() != chosen)
    wait("the regions of the largest least size", lambda: int(caption().split()[-1]) < int(chosen.split()[-1]))
    merged = caption().split()[-1]
    drag_until(person, person.find("Colour radius", "slider"), lambda: caption().split()[-1] != merged)
    person.press("ctrl+z")
    person.click(person.find("Split", "toggle button"))
    person.close_details()
    wait("the end of filtering", lambda: not person.has("Cancel", "push button"))


def lab(person):
    """The settings can be changed here, and two are compared; e2e-panels.py does more in the workspace Lab."""
    person.click(person.find("Lab", "radio button"))
    bar = person.find("Change Settings", "toggle button")
    check("Spatial radius " in bar.description and "Unroll 1" in bar.description, f"the bar says {bar.description}")
    person.click(bar)
    person.click(person.find("4", "radio button"))
    wait("the bar to say the change", lambda: "Unroll 4" in bar.description)
    shoot(person, "e2e-lab-settings.png")
    person.press("Escape")
    wait("the controls to go", lambda: not person.has("4", "radio button"))
    person.press("ctrl+z")
    wait("the change to be taken back", lambda: "Unroll 1" in bar.description)
    person.click(person.find("Compare", "radio button"))
    person.click(person.find("Unroll 2", "check box"))
    person.find(part="2 configurations on ")
    person.enter(person.find("Repeats", "spin button"), "3")
    person.click(person.find("Compare", "push button"))
    wait("the comparison to end", lambda: person.has(part="Fastest"), 180)
    person.choose("Picture")


def workspaces(person):
    """Alt and a digit change the workspace."""
    for key, name in (("2", "Lab"), ("3", "Batch"), ("1", "Picture")):
        person.press("alt+" + key)
        wait(f"the workspace {name}", lambda: name in person.checked(), 10)


def figures(person):
    """Timings, histogram and statistics of the last run are visible at the same time and follow the next run."""
    number = person.run_number()
    wait("the three panels at the left", lambda: person.has("Parts of the run", "chart") and
         person.has("Histogram", "chart") and person.has("Statistics of both pictures", "table"))
    person.enter(person.find("Spatial radius", "spin button"), "7")
    wait_for_run(person, number + 1)
    wait("the panels to follow the run", lambda: person.run_number() == number + 1)


def strip_of_runs(person):
    """The strip shows every run with its time, and picks two of them as A and B."""
    run = "sp 7"
    person.click(person.find(run + " as A", "toggle button"))
    wait("the original to leave side A",
         lambda: not person.find("Original as A", "toggle button").getState().contains(pyatspi.STATE_CHECKED))
    view = person.find("Picture", "image")
    wait("the run on side A", lambda: "Side A: " + run in view.description)
    person.click(person.find("Original as A", "toggle button"))
    wait("the original on side A", lambda: "Side A: original" in view.description)


def cost(person):
    """The side panel shows the estimated time of settings before they are run."""
    number = person.run_number()
    x, y, width, height = person.box(person.find("Price of image", "level bar"))
    price, below = (lambda: person.screen()[y:y + height, x:x + width]), (lambda: person.screen()[y + height + 20, x])
    before, page = price(), below()
    person.mouse(*person.middle(person.find("image", "radio button")), "abs")
    wait("a tooltip", lambda: (below() != page).any())
    check((price() == before).all(), "the tooltip of a toggle's value covers its price")
    person.find(part=" and takes about ", role="label")
    spin = person.find("Spatial radius", "spin button")
    person.mouse(*person.middle(person.find("Picture", "image")), "abs")
    before = person.find(part="These settings take about ", role="label").name
    person.click(spin, part=1 / 5)
    person.press("ctrl+a")
    person.type("14")
    person.find(part="Spatial radius 14 takes about ", role="label")
    person.press("Return")
    wait("the cost of a larger window",
         lambda: person.find(part="These settings take about ", role="label").name != before)
    wait_for_run(person, number + 1)
    person.press("ctrl+z")
    wait_for_run(person, number + 2)


def scroll_up(person):
    """The panel of settings is longer than the window; the rows at its top are needed next."""
    x, y = person.middle(person.find("buffer", "radio button"))
    person.reach(x, y)
    for _ in range(12):
        person.mouse(x, y, "b4c")


def wheel_and_reset(person):
    """The wheel does not change a slider without focus; the reset button restores the default."""
    spin = person.find("Colour radius", "spin button")
    scale = person.find("Colour radius", "slider")
    person.click(person.find("Picture", "image"))
    before = person.value(spin)
    x, y = person.middle(scale)
    person.reach(x, y)
    for _ in range(3):
        person.mouse(x, y, "b5c")
    check(person.value(spin) == before, "the wheel changed a slider without the focus")
    scroll_up(person)
    person.enter(spin, "33")
    wait("the radius", lambda: person.value(spin) == 33)
    person.click(person.find("Reset Colour radius", "push button"))
    wait("the default radius", lambda: person.value(spin) == 20)
    person.enter(spin, "33")
    wait("the radius", lambda: person.value(spin) == 33)
    x, y = person.middle(scale)
    person.mouse(x, y, "b1d")
    wait("a double click to reset the radius", lambda: person.value(spin) == 20)


def stale_picture(person):
    """A picture of other settings is marked as such, and is saved only after a confirmation.

    An image object excludes the fast kernels, so that a large window takes minutes on any processor.
    """
    number = person.run_number()
    person.click(person.find("image", "radio button"))
    person.enter(person.find("Max iterations", "spin button"), "60")
    person.enter(person.find("Spatial radius", "spin button"), "60")
    cancel = person.find("Cancel", "push button")
    wait("the time left", lambda: re.fullmatch(r"\d+ %, about [\d.]+ m?s left", cancel.parent.getChildAtIndex(0).name))
    person.click(cancel)
    view = person.find("Picture", "image")
    wait("the badge of a stale picture", lambda: "Filtered with other settings" in view.description)
    person.press("ctrl+shift+s")
    person.find(part="The picture shown was filtered with other settings.")
    person.press("Escape")
    line = person.copied(lambda: person.press("ctrl+shift+c"))
    check("--sp 60" not in line, f"the command line does not belong to the picture shown: {line}")
    for _ in ("radius", "iterations", "image"):
        person.press("ctrl+z")
    wait_for_run(person, number)


def keyboard(person):
    """F11 shows only the picture, Tab stops once at a group of buttons, and the undo button names the option."""
    person.click(person.find("Picture", "image"))
    person.press("F11")
    wait("the panels to go", lambda: not person.has("Spatial radius", "spin button") and
         not person.has(part="These settings take", role="label") and not person.has("Details", "toggle button"))
    person.press("F11")
    person.find("Spatial radius", "spin button")
    person.click(person.find("2", "radio button"))
    wait("the name of the step", lambda: person.find("Undo").description.startswith("Undo Unroll"))
    person.press("Right")
    wait("the arrow key to choose", lambda: "4" in person.checked())
    person.press("Tab")
    person.press("Right")
    wait("Tab to leave the group", lambda: "vload" in person.checked())
    for _ in ("vload", "4", "2"):
        person.press("ctrl+z")
    wait("the steps to be taken back", lambda: "pointer" in person.checked() and "1" in person.checked())
    wait("the end of filtering", lambda: not person.has("Cancel", "push button"))
    scroll_up(person)


def neighbours(person, picture):
    """The strip, Page Up and Page Down show the pictures of the folder in the place of the one shown."""
    folder = os.path.join(WORK, "neighbours")
    os.makedirs(folder)
    for name, width in (("one.png", 320), ("two.png", 240), ("three.png", 160)):
        cv2.imwrite(os.path.join(folder, name), cv2.resize(cv2.imread(picture), (width, width * 3 // 4)))
    person.press("ctrl+o")
    person.choose_file("Open Pictures", os.path.join(folder, "one.png"))
    person.find(part="one.png, 320 × 240 — ", role="label")
    person.enter(person.find("Spatial radius", "spin button"), "8")
    person.press("ctrl+F9")
    strip = person.find("Pictures of the folder")
    wait("the open picture to be marked",
         lambda: person.find("one.png", "push button", strip).description == "The open picture")
    person.click(person.find("two.png", "push button", strip))
    person.find(part="two.png, 240 × 180 — ", role="label")
    wait("the picture before to be closed", lambda: not person.has("Close one.png", "push button"))
    check(person.value(person.find("Spatial radius", "spin button")) == 8, "the settings did not stay")
    person.press("ctrl+F9")
    wait("the strip to go", lambda: not person.has("Pictures of the folder"))
    person.click(person.find("Picture", "image"))
    person.press("Page_Up")
    person.find(part="three.png, 160 × 120 — ", role="label")
    person.press("Page_Up")
    person.find(part="one.png, 320 × 240 — ", role="label")
    person.press("Page_Down")
    person.find(part="three.png, 160 × 120 — ", role="label")
    person.press("ctrl+w")
    person.find(part="harbour.png, 640 × 480 — ", role="label")


def presets(person):
    """A preset shows its settings before it is chosen."""
    person.click(person.find("Presets", "toggle button"))
    poster = person.find("Poster", "push button")
    check("Spatial radius 16 · Colour radius 40" in poster.description, f"the preset sets {poster.description}")
    shoot(person, "e2e-presets.png")
    person.click(poster)
    wait("the radii of the preset", lambda: [person.value(person.find(name, "spin button"))
                                             for name in ("Spatial radius", "Colour radius")] == [16, 40])


def recent(person):
    """The pictures opened last are listed with thumbnails."""
    person.click(person.find("Recent pictures", "toggle button"))
    person.find("three.png", "push button")
    shoot(person, "e2e-recent.png")
    person.press("Escape")
    wait("the list to go", lambda: not person.has("three.png", "push button"))


def windows(person):
    person.press("F10")
    person.find("About Meanshift Lab")
    person.press("F10")
    wait("the menu to go", lambda: not person.has("About Meanshift Lab"))
    person.press("ctrl+comma")
    person.find("Filter while settings change")
    person.press("Escape")
    wait("the preferences to go", lambda: not person.has("Filter while settings change"))


def quit_while_filtering(person):
    person.enter(person.find("Spatial radius", "spin button"), "50")
    person.enter(person.find("Max iterations", "spin button"), "60")
    person.find("Cancel", "push button")
    person.mouse(*person.middle(person.find("Picture", "image")), "abs")
    status = person.quit()
    check(status == 0, f"the program ended with status {status}")


def more_of_a_picture(person, picture):
    open_bad_file(person)
    too_large(person)
    workspaces(person)
    figures(person)
    strip_of_runs(person)
    cost(person)
    wheel_and_reset(person)
    stale_picture(person)
    keyboard(person)
    neighbours(person, picture)
    windows(person)
    recent(person)
    presets(person)


def too_large(person):
    """A picture above the limit is refused; the sentence names the preference that has the limit."""
    person.press("ctrl+comma")
    person.enter(person.find("Largest picture (megapixels)", "spin button"), "1")
    person.press("Escape")
    wait("the preferences to go", lambda: not person.has("Largest picture (megapixels)"))
    path = os.path.join(WORK, "large.png")
    cv2.imwrite(path, numpy.zeros((1001, 1000, 3), numpy.uint8))
    person.press("ctrl+o")
    person.choose_file("Open Pictures", path)
    person.find(part="The limit is 'Largest picture' in the preferences.", role="label")
    person.click(person.find("Close this message"))


def remembered(picture):
    """Without an installed schema the state of the window is kept in a file. A picture that is opened behind
    another workspace leaves the focus alone."""
    folder = os.path.join(WORK, "config")
    os.makedirs(folder)
    environment = {"XDG_CONFIG_HOME": folder, "GSETTINGS_BACKEND": ""}
    person = Person(PROGRAM, [picture], environment)
    wait_for_run(person, 1)
    person.press("F9")
    wait("the side panel to go", lambda: not person.has("Spatial radius", "spin button"))
    person.press("alt+2")
    wait("the workspace Lab", lambda: "Lab" in person.checked())
    check(person.quit() == 0, "the program did not end well")
    person = Person(PROGRAM, [picture], environment)
    wait("the workspace of the last time", lambda: "Lab" in person.checked())
    wait("the picture behind it", lambda: person.window.name == os.path.basename(picture))
    person.press("alt+1")
    wait_for_run(person, 1)
    check(not person.has("Spatial radius", "spin button"), "the side panel was not remembered")
    check(person.quit() == 0, "the program did not end well the second time")


def shortcuts(person):
    """F1 shows the shortcuts; the reader reads them until the program ends."""
    person.click(person.find("Picture", "image"))
    person.press("F1")
    person.find("Paste a picture")
    shoot(person, "e2e-shortcuts.png")
    person.press("Escape")
    wait("the shortcuts to go", lambda: not person.has("Paste a picture"))
    person.find("Spatial radius", "spin button")


def first_session():
    """The window without a picture, and the sample that it offers."""
    person = Person(PROGRAM, reader=True)
    shoot(person, "e2e-placeholder.png")
    person.click(person.find("Try the Sample"))
    wait_for_run(person, 1)
    person.press("ctrl+shift+question")
    person.find("Paste a picture")
    person.press("Escape")
    wait("the shortcuts to go", lambda: not person.has("Paste a picture"))
    person.click(person.find("Picture", "image"))
    person.press("shift+question")
    person.find("Paste a picture")
    person.check_reader()
    person.press("Escape")
    wait("the shortcuts to go", lambda: not person.has("Paste a picture"))
    person.click(person.find("Picture", "image"))
    check(person.quit() == 0, "the program did not end well after the first session")


def session():
    picture = os.path.join(WORK, "harbour.png")
    cv2.imwrite(picture, cv2.imread(SAMPLE) if FULL else cv2.resize(cv2.imread(SAMPLE), (400, 300)))
    if FULL:
        first_session()
        remembered(picture)
    person = Person(PROGRAM, [picture], reader=True)
    wait_for_run(person, 1)
    change_settings(person)
    look_around(person)
    zoom(person)
    output = repeat_on_command_line(person)
    compare_with_files(person, picture, output)
    save(person, output)
    if FORM != "suite":
        panels(person)
        regions(person)
    if FULL:
        more_of_a_picture(person, picture)
    elif FORM != "suite":
        lab(person)
    shortcuts(person)
    person.check_reader()
    quit_while_filtering(person)


sys.exit(run(session, WORK, ARTEFACTS))
