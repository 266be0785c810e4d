/* SPDX-License-Identifier: MIT */
/* File names, which are any bytes, as UTF-8 text that can be turned back into the same bytes. */
#pragma once

#include <glib.h>

char *ms_path_to_text(const char *path);
char *ms_path_from_text(const char *text);
