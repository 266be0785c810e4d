/* SPDX-License-Identifier: MIT */
/* What the tables of panels share: the tooltip of a row, and its contents as text, on the clipboard or in a file. */
#pragma once

#include <gtk/gtk.h>

void ms_table_tooltip(GtkTreeView *tree, int column);
char *ms_table_text(GtkTreeView *tree, gboolean csv);
void ms_table_copy(GtkTreeView *tree);
void ms_table_export(GtkTreeView *tree);
