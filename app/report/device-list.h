/* SPDX-License-Identifier: MIT */
/* --list-devices: every device with its limits, as a table and as JSON. */
#pragma once

#include <glib.h>

char *ms_device_list_to_text(GPtrArray *devices);
char *ms_device_list_to_json(GPtrArray *devices);
