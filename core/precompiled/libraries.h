/* SPDX-License-Identifier: MIT */
/* The headers of libraries that most files include: compiled once where -Dprecompiled-headers=true asks for it. */
#include <CL/cl.h>
#include <gio/gio.h>
#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>
