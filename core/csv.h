/* SPDX-License-Identifier: MIT */
/* Lines of comma-separated values (RFC 4180). */
#pragma once

#include <glib.h>

void ms_csv_append(GString *line, const char *text);
void ms_csv_append_path_text(GString *line, const char *text);
void ms_csv_append_path(GString *line, const char *path);
void ms_csv_append_number(GString *line, double value, const char *format);
void ms_csv_append_integer(GString *line, gint64 value);
