# SPDX-License-Identifier: MIT
"""The widgets of a program, as the accessibility bus tells them: all at once, in one answer of a few milliseconds.

Asking each widget takes the program and its reader ten times as long. The cells of a table are not in the answer, and
are asked one by one.
"""
import ast
import collections
import functools
import re

import gi
import pyatspi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, Gio  # noqa: E402

TEXT = r"""('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
OBJECT = r"\('[^']*', '([^']*)'\)"
# The type of an entry of the answer is ((so)(so)(so)iiassusau): the object, its program, its parent, its place among
# the children of that, how many it has, interfaces, name, role, description and states.
ROW = re.compile(
    rf"\({OBJECT}, {OBJECT}, {OBJECT}, (-?\d+), (-?\d+), (\[[^]]*\]), {TEXT}, (\d+), {TEXT}, \[(\d+), \d+\]\)")

# Those with this interface may have thousands of cells, which have these roles.
TABLE = "Table"
IN_TABLES = ("table cell", "table column header", "check box", "list item")
MOST_CELLS = 400

Widget = collections.namedtuple("Widget", "path parent place children is_table name role description states")


def role_named(name):
    """AT-SPI calls a push button a button since version 2.55."""
    return "push button" if name == "button" else name


@functools.lru_cache(maxsize=None)
def role_name(number):
    return Atspi.role_get_name(Atspi.Role(number))


def text_of(literal):
    return ast.literal_eval(literal) if "\\" in literal else literal[1:-1]


def widget_of(found):
    path, _, parent, place, children, interfaces, name, role, description, states = found
    return Widget(path, parent, int(place), int(children), f".{TABLE}'" in interfaces, text_of(name),
                  role_named(role_name(int(role))), text_of(description), int(states))


def connect():
    session = Gio.bus_get_sync(Gio.BusType.SESSION)
    answer = session.call_sync("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress", None, None, 0, -1)
    flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
    return Gio.DBusConnection.new_for_address_sync(answer.unpack()[0], flags, None, None)


def ask(node, parent):
    states = sum(1 << state for state in node.getState().getStates())
    return Widget(node.path, parent, 0, node.childCount, TABLE in node.get_interfaces(), node.name,
                  role_named(node.getRoleName()), node.description, states)


class Widgets:
    connection = None

    def __init__(self, app):
        Widgets.connection = Widgets.connection or connect()
        self.app = app
        self.answer = None
        self.told = {}
        self.below = {}
        self.nodes = {app.path: app}

    def read(self):
        """Asks the program; what it tells is the same at most times."""
        answer = self.connection.call_sync(self.app.app.bus_name, "/org/a11y/atspi/cache", "org.a11y.atspi.Cache",
                                           "GetItems", None, None, 0, -1).print_(False)
        if answer == self.answer:
            return
        self.answer = answer
        # The parent of the program, in the registry, has the same path.
        self.told = {found[0]: widget_of(found) for found in ROW.findall(answer) if found[0] != self.app.path}
        self.below = collections.defaultdict(list)
        for widget in sorted(self.told.values(), key=lambda widget: widget.place):
            self.below[widget.parent].append(widget)

    def children(self, widget):
        """Those that the answer leaves out, as in popovers and lists, are asked one by one."""
        told = self.below.get(widget.path, [])
        if widget.is_table or 0 <= widget.children <= len(told):
            return told
        nodes = list(children_of(self.node(widget)))
        self.nodes.update((node.path, node) for node in nodes)
        return [self.told.get(node.path) or ask(node, widget.path) for node in nodes]

    def _add_showing(self, widgets, found):
        for widget in widgets:
            if widget.states >> pyatspi.STATE_SHOWING & 1:
                found.append(widget)
                self._add_showing(self.children(widget), found)

    def showing(self, root=None):
        """The widgets that show now, below a node or anywhere, in the order of the window."""
        self.read()
        found = []
        self._add_showing(self.children(self.told[root.path]) if root else self.below[self.app.path], found)
        return found

    def node(self, widget):
        """The object of a widget, by which it can be used; None if it has gone."""
        if widget.path not in self.nodes:
            parent = self.nodes.get(widget.parent) or self.node(self.told[widget.parent])
            found = parent and next((child for child in children_of(parent, widget.place)
                                     if child.path == widget.path), None)
            if not found:
                return None
            self.nodes[widget.path] = found
        return self.nodes[widget.path]

    def cells(self, widgets):
        """The nodes of the cells that show in those of the widgets that are tables."""
        tables = [self.node(widget) for widget in widgets if widget.is_table]
        return (cell for table in tables if table for cell in below(table) if is_showing(cell))


def is_showing(node):
    return node.getState().contains(pyatspi.STATE_SHOWING)


def children_of(node, likely=0):
    """The children; the likely one first."""
    count = min(node.childCount, MOST_CELLS)
    for index in [likely, *range(count)] if 0 < likely < count else range(count):
        child = node.getChildAtIndex(index)
        if child is not None:
            yield child


def below(node):
    for child in children_of(node):
        yield child
        yield from below(child)
