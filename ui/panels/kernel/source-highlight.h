/* SPDX-License-Identifier: MIT */
/* Syntax highlighting of OpenCL C in a text buffer: comments, directives, keywords and types. */
#pragma once

#include <gtk/gtk.h>

#include "core/chart/chart.h"

void ms_source_highlight_set_theme(GtkTextBuffer *buffer, MsChartTheme theme);
void ms_source_highlight_line(GtkTextBuffer *buffer, int line, int skip, gboolean *in_comment);
const char *ms_source_diff_tag(gboolean added);
