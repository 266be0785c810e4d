# SPDX-License-Identifier: MIT
"""Stands in for the desktop that shows notifications: prints the title and the body of each, until it is ended."""
from gi.repository import Gio, GLib

INTERFACE = """<node><interface name="org.freedesktop.Notifications">
<method name="GetCapabilities"><arg type="as" direction="out"/></method>
<method name="Notify"><arg type="s" direction="in"/><arg type="u" direction="in"/><arg type="s" direction="in"/>
<arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="as" direction="in"/>
<arg type="a{sv}" direction="in"/><arg type="i" direction="in"/><arg type="u" direction="out"/></method>
<method name="CloseNotification"><arg type="u" direction="in"/></method>
</interface></node>"""


def on_call(connection, sender, path, interface, method, arguments, invocation):
    if method == "Notify":
        print(*arguments.unpack()[3:5], sep="\n", flush=True)
        invocation.return_value(GLib.Variant("(u)", (1,)))
    else:
        invocation.return_value(GLib.Variant("(as)", (["body"],)) if method == "GetCapabilities" else None)


def on_bus(connection, name):
    interface = Gio.DBusNodeInfo.new_for_xml(INTERFACE).interfaces[0]
    connection.register_object("/org/freedesktop/Notifications", interface, on_call, None, None)


Gio.bus_own_name(Gio.BusType.SESSION, "org.freedesktop.Notifications", Gio.BusNameOwnerFlags.NONE, on_bus,
                 lambda *_: print("ready", flush=True), None)
GLib.MainLoop().run()
