# SPDX-License-Identifier: MIT
"""A small window of another program that files are dropped on. Usage: drop-target.py X Y

Prints "over" when something that it accepts is dragged over it, and each URI that is dropped.
"""
import sys

import gi

gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, Gtk  # noqa: E402


def say(text):
    print(text, flush=True)


# Without a window manager, only a popup is placed where it asks to be.
window = Gtk.Window(type=Gtk.WindowType.POPUP)
window.set_default_size(60, 60)
window.move(int(sys.argv[1]), int(sys.argv[2]))
window.drag_dest_set(Gtk.DestDefaults.ALL, [], Gdk.DragAction.COPY)
window.drag_dest_add_uri_targets()
window.connect("drag-motion", lambda *unused: say("over"))
window.connect("drag-data-received", lambda _, context, x, y, data, *unused: [say(uri) for uri in data.get_uris()])
window.show_all()
say("ready")
Gtk.main()
