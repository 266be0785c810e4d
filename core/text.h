/* SPDX-License-Identifier: MIT */
/*
 * Names and numbers as texts: without characters that mislead a terminal or its reader, as UTF-8 that can be turned
 * back into the same bytes, and the same in every locale.
 */
#pragma once

#include <glib.h>

char *ms_printable(const char *text, const char *keep);

char *ms_file_name(const char *name);

char *ms_path_to_text(const char *path);
char *ms_path_from_text(const char *text);

char *ms_number_text(double value);
char *ms_number_format(double value, const char *format);
