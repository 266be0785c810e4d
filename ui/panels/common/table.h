/* SPDX-License-Identifier: MIT */
/*
 * What tables share: columns of text, the tooltip of a row, and the contents as text, on the clipboard or in a file.
 */
#pragma once

#include <gtk/gtk.h>

/**
 * MsTableColumn: a column of text.
 * @title: is translated
 * @text: the column of the model that it shows; -1 where the panel fills the cells
 * @sort: the column of the model by which a click on the title sorts; 0 for none
 * @is_number: stands at the right
 * @expands: takes the width that other columns leave
 * @width: in pixels, whatever the cells hold; 0 for that of the cells
 * @chars: for which the cells have room at least
 */
typedef struct {
  const char *title;
  int text;
  int sort;
  gboolean is_number;
  gboolean expands;
  PangoEllipsizeMode ellipsize;
  int width;
  int chars;
} MsTableColumn;

void ms_table_add_columns(GtkTreeView *tree, const MsTableColumn *columns, guint n);
GtkCellRenderer *ms_table_get_cell(GtkTreeViewColumn *column);
GtkListStore *ms_table_new_store(guint n);
void ms_table_tooltip(GtkTreeView *tree, int column);
char *ms_table_text(GtkTreeView *tree, gboolean csv);
void ms_table_copy(GtkTreeView *tree);
void ms_table_export(GtkTreeView *tree);
void ms_table_add_buttons(GtkTreeView *tree, GtkContainer *box);
