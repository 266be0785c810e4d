/* SPDX-License-Identifier: MIT */
/* Opens the folder of an output without following links below the folder of all outputs. */
#pragma once

#include <glib.h>

int ms_folder_below_flush(int folder);
int ms_folder_below_open(const char *folder, const char *path, GError **error);
