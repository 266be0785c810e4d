# SPDX-License-Identifier: MIT
"""A person at the real program: finds things by name through the accessibility bus, clicks, drags, types and looks."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

import cv2
import gi
import numpy
import pyatspi

gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, GLib, Gtk  # noqa: E402
from widgets import IN_TABLES, Widgets, role_named  # noqa: E402

# Seconds: much more than anything takes on a busy machine, and how long to let the program work between two looks.
PATIENCE = 120
POLL = 0.05
# The accessibility library gives up after 0.8 s, and so would a test on a busy machine.
pyatspi.setTimeout(1000 * PATIENCE, 1000 * PATIENCE)
# The accessibility bridge tells of a widget for 30 s after its last event, and GTK 3 has no states for an entry that
# has gone meanwhile: what the bridge then says each time when it is asked for all widgets.
CRITICAL = r"\(\S+:\d+\): {}-CRITICAL \*\*: \S+ {}: assertion '{}' failed\n\n?"
GONE_ENTRY = re.compile(
    f"(?:{CRITICAL.format('Atk', 'atk_state_set_contains_state', r'ATK_IS_STATE_SET .set.')})+" +
    CRITICAL.format("GLib-GObject", "g_object_unref", "G_IS_OBJECT .object."))


class Failure(Exception):
    pass


def check(true, message):
    if not true:
        raise Failure(message)


def wait(what, condition, seconds=PATIENCE):
    """Waits until condition() is true and returns what it returned."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            result = condition()
        except Exception as error:  # a widget that goes away while it is looked at
            if "org.freedesktop" not in str(error) and "accessible" not in str(error).lower() and \
                    not isinstance(error, (GLib.Error, NotImplementedError)):
                raise
            result = None
        if result:
            return result
        time.sleep(POLL)
    raise Failure(f"{what} did not come true within {seconds} s")


def write_settings(folder, **settings):
    """Settings of the window, in a key file below the folder. A slow machine must not count as a hung device."""
    os.makedirs(os.path.join(folder, "meanshift-lab"))
    with open(os.path.join(folder, "meanshift-lab", "settings.ini"), "w", encoding="utf-8") as file:
        file.write("[Settings]\nwatchdog=0\n" + "".join(f"{key}={value}\n" for key, value in settings.items()))


READER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "reader.py")


class Person:
    started = []

    def __init__(self, program, arguments=(), environment=None, reader=False):
        """With a reader, another program reads the whole window again and again, as a screen reader may."""
        self.config = tempfile.TemporaryDirectory(prefix="meanshift-lab-config-")
        write_settings(self.config.name)
        env = dict(os.environ, GSETTINGS_BACKEND="keyfile", XDG_CONFIG_HOME=self.config.name)
        env.pop("NO_AT_BRIDGE", None)
        env.update(environment or {})
        self.scale = int(env.get("GDK_SCALE", "1"))
        self.reader = None
        self.messages = tempfile.TemporaryFile("w+", encoding="utf-8")
        self.process = subprocess.Popen([program, *arguments], env=env, stderr=self.messages)
        self.started.append(self)
        self.app = wait("the program on the accessibility bus", self._find_application)
        self.widgets = Widgets(self.app)
        if reader:
            self.reader = subprocess.Popen([sys.executable, READER, str(self.process.pid)])
        self.window = self.find(role="frame")

    def _find_application(self):
        if self.process.poll() is not None:
            raise Failure(f"the program ended with status {self.process.returncode}")
        for app in pyatspi.Registry.getDesktop(0):
            if app is not None and app.get_process_id() == self.process.pid:
                return app
        return None

    def all(self, name=None, role=None, root=None, part=None):
        """The nodes of that name, with that part in their name, of that role, which show below the root."""
        def fits(found_name, found_role):
            return name in (None, found_name) and (part or "") in (found_name or "") and role in (None, found_role)

        widgets = self.widgets.showing(root)
        for widget in widgets:
            if fits(widget.name, widget.role) and (node := self.widgets.node(widget)):
                yield node
        if role in (None, *IN_TABLES):
            for cell in self.widgets.cells(widgets):
                if fits(cell.name, role_named(cell.getRoleName())):
                    yield cell

    def has(self, name=None, role=None, root=None, part=None):
        return next(self.all(name, role, root, part), None)

    def find(self, name=None, role=None, root=None, part=None):
        return wait(f"“{name or part}” ({role or 'any role'})", lambda: self.has(name, role, root, part))

    def run_number(self, root=None):
        """Which run the heading of the timings is about, by its tooltip; 0 before the first one.

        A narrow window has no timings; its newest run is the last one in the strip.
        """
        widgets = self.widgets.showing(root)
        texts = [widget.description for widget in widgets if widget.role == "label"]
        numbers = [int(found[1]) for text in texts if (found := re.match(r"(?:B: )?Run (\d+):", text))]
        has_timings = any(widget.name == "Open Timings" for widget in widgets)
        return numbers[0 if has_timings else -1] if numbers else 0

    def box(self, node):
        """Where the node is on the screen, in device pixels."""
        extents = node.queryComponent().getExtents(pyatspi.DESKTOP_COORDS)
        return tuple(self.scale * value for value in (extents.x, extents.y, extents.width, extents.height))

    def middle(self, node):
        x, y, width, height = self.box(node)
        return x + width // 2, y + height // 2

    def handled(self):
        """Returns when the program has handled the events that were sent to it.

        The server has passed on what came before it answers twice, and the program has taken what lay there when it
        answers twice. One that has ended handles nothing more.
        """
        for _ in range(2):
            Gdk.Display.get_default().sync()
        try:
            for _ in range(2):
                self.app.childCount
        except GLib.Error:
            pass

    def mouse(self, x, y, event):
        pyatspi.Registry.generateMouseEvent(int(x), int(y), event)
        self.handled()

    def is_covered(self, x, y):
        """Whether a tooltip would take a click there; that of another widget goes when the pointer has left it."""
        tips = [widget for widget in self.widgets.showing() if widget.role == "tool tip"]
        boxes = [self.box(node) for tip in tips if (node := self.widgets.node(tip))]
        return any(left <= x < left + width and top <= y < top + height for left, top, width, height in boxes)

    def stands_still(self, node):
        """Whether the program has shown two frames with the node in the same place."""
        before = self.middle(node)
        time.sleep(0.02)
        self.handled()
        return self.middle(node) == before

    def reach(self, x, y):
        """Moves the pointer there, where a press then arrives."""
        self.mouse(x, y, "abs")
        wait("the tooltip to go", lambda: not self.is_covered(x, y))

    def click(self, node, count=1, part=1 / 2):
        """Clicks the node, in that part of its width, when it has stopped moving and nothing covers it."""
        wait("the widget to stand still", lambda: self.stands_still(node))
        x, y, width, height = self.box(node)
        self.reach(x + width * part, y + height // 2)
        for _ in range(count):
            self.mouse(x + width * part, y + height // 2, "b1c")

    def checked(self, role="radio button"):
        """The names of the buttons that are checked."""
        return [widget.name for widget in self.widgets.showing()
                if widget.role == role and widget.states >> pyatspi.STATE_CHECKED & 1]

    def choose(self, name):
        """Clicks a radio button, as those of workspaces and pages, and waits until it is checked."""
        self.click(self.find(name, "radio button"))
        wait(f"“{name}” to be checked", lambda: name in self.checked())

    def open_details(self, page):
        """Opens the drawer below the picture with that page."""
        if "Details" not in self.checked("toggle button"):
            self.click(self.find("Details", "toggle button"))
        self.choose(page)

    def close_details(self):
        self.click(self.find("Details", "toggle button"))
        wait("the details to close", lambda: "Details" not in self.checked("toggle button"))

    def drag(self, start, end, steps=12):
        self.reach(*start)
        self.mouse(*start, "b1p")
        for step in range(1, steps + 1):
            x, y = (start[i] + (end[i] - start[i]) * step / steps for i in (0, 1))
            self.mouse(x, y, "abs")
        self.mouse(*end, "b1r")

    @staticmethod
    def _key(keyval, kind):
        display = Gdk.Display.get_default()
        _, entries = Gdk.Keymap.get_for_display(display).get_entries_for_keyval(keyval)
        pyatspi.Registry.generateKeyboardEvent(entries[0].keycode, None, kind)
        return entries[0].level

    def hold(self, name):
        self._key(Gdk.keyval_from_name(name), pyatspi.KEY_PRESS)
        self.handled()

    def release(self, name):
        self._key(Gdk.keyval_from_name(name), pyatspi.KEY_RELEASE)
        self.handled()

    def press(self, combination):
        """As in "ctrl+shift+z" or "Escape"; the pointer is over the window, so keys go there."""
        *modifiers, key = combination.split("+")
        names = [{"ctrl": "Control_L", "shift": "Shift_L", "alt": "Alt_L"}[m] for m in modifiers]
        for name in names:
            self.hold(name)
        self.hold(key)
        self.release(key)
        for name in reversed(names):
            self.release(name)

    def type(self, text):
        for character in text:
            keyval = Gdk.unicode_to_keyval(ord(character))
            display = Gdk.Display.get_default()
            _, entries = Gdk.Keymap.get_for_display(display).get_entries_for_keyval(keyval)
            shifted = entries[0].level == 1
            if shifted:
                self.hold("Shift_L")
            self._key(keyval, pyatspi.KEY_PRESS)
            self._key(keyval, pyatspi.KEY_RELEASE)
            if shifted:
                self.release("Shift_L")
        self.handled()

    def enter(self, node, text):
        """Replaces the text of a field, which is clicked at its left, since buttons may be at the right."""
        def has_focus():
            """Without a window manager a dialog may get keys although it does not count as active."""
            window = node
            while window.parent is not None and window.parent.getRoleName() != "application":
                window = window.parent
            return node.getState().contains(pyatspi.STATE_FOCUSED) or \
                not window.getState().contains(pyatspi.STATE_ACTIVE)

        self.click(node, part=1 / 5)
        wait("the focus in the field", has_focus)
        self.press("ctrl+a")
        self.type(text)
        self.press("Return")

    def choose_file(self, title, path):
        """Chooses a file in a dialog. What is typed letter by letter may be lost while the dialog lists a folder."""
        dialog = self.find(part=title, role="file chooser")

        def entry():
            """The field for the name; where a file is opened, a slash brings it once the dialog takes keys."""
            fields = (node for node in self.all(role="text", root=dialog)
                      if node.getState().contains(pyatspi.STATE_EDITABLE))
            return next(fields, None) or self.type("/")

        field = wait("the field for the name", entry)
        field.queryEditableText().setTextContents(path)
        wait("the name in its field", lambda: field.queryText().getText(0, -1) == path)
        self.press("Return")

    @staticmethod
    def value(node):
        return node.queryValue().currentValue

    @staticmethod
    def screen():
        """The pixels of the screen, as rows of RGB."""
        root = Gdk.get_default_root_window()
        pixbuf = Gdk.pixbuf_get_from_window(root, 0, 0, root.get_width(), root.get_height())
        rows = numpy.frombuffer(pixbuf.get_pixels(), numpy.uint8)
        stride, channels = pixbuf.get_rowstride(), pixbuf.get_n_channels()
        rows = numpy.pad(rows, (0, stride * pixbuf.get_height() - len(rows)))
        return rows.reshape(pixbuf.get_height(), stride)[:, :pixbuf.get_width() * channels] \
                   .reshape(pixbuf.get_height(), pixbuf.get_width(), channels)[:, :, :3].copy()

    @classmethod
    def screenshot(cls, path, box=None):
        """Writes the screen, or a box of it as box() gives it, into a file."""
        picture = cls.screen()
        if box is not None:
            x, y, width, height = box
            picture = picture[max(y, 0):y + height, max(x, 0):x + width]
        cv2.imwrite(path, picture[:, :, ::-1])

    @staticmethod
    def clipboard_text():
        return Gtk.Clipboard.get(Gdk.SELECTION_CLIPBOARD).wait_for_text()

    def copied(self, copy):
        """The text that copy() puts on the clipboard."""
        marker = "nothing was copied"
        Gtk.Clipboard.get(Gdk.SELECTION_CLIPBOARD).set_text(marker, -1)
        copy()
        return wait("a text on the clipboard", lambda: (text := self.clipboard_text()) != marker and text)

    def check_reader(self):
        """Checks that the reader still runs, so that nothing in the window has ended it."""
        check(self.reader.poll() is None, f"the reader ended with status {self.reader.returncode}")

    def quit(self, seconds=30):
        self.press("ctrl+q")
        try:
            status = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise Failure(f"the program did not end within {seconds} s")
        finally:
            self.kill()
        self.check_messages()
        return status

    def check_messages(self):
        """A warning is a failure, but for those about the states of an entry that has gone."""
        self.messages.seek(0)
        text = GONE_ENTRY.sub("", self.messages.read())
        sys.stderr.write(text)
        bad = [line for line in text.splitlines() if re.search(r"\b(WARNING|CRITICAL|ERROR) \*\*", line)]
        check(not bad, "\n".join(bad))

    def kill(self):
        for process in (self.process, self.reader):
            if process and process.poll() is None:
                process.kill()
                process.wait()


def labels_of(persons):
    """The texts of all labels that show, in one line; none of a program that does not answer."""
    try:
        return " | ".join(widget.name for person in persons if person.process.poll() is None
                          for widget in person.widgets.showing() if widget.role == "label" and widget.name)
    except GLib.Error as error:
        return f"nothing: {error}"


def run(session, work, artefacts):
    """Calls session() and returns the exit status: 1 when it fails, with a picture of the screen in @artefacts.

    What the labels say then is printed with the reason, because a log may outlive the picture.

    Ends every program that a Person has started and removes the folder @work.
    """
    os.makedirs(artefacts, exist_ok=True)
    try:
        session()
    except Failure as failure:
        script = os.path.splitext(os.path.basename(sys.argv[0]))[0]
        Person.screenshot(os.path.join(artefacts, script + "-failure.png"))
        print(f"Failure: {failure}; the labels say {labels_of(Person.started)}", file=sys.stderr)
        return 1
    finally:
        for person in Person.started:
            person.kill()
        shutil.rmtree(work, ignore_errors=True)
    return 0
