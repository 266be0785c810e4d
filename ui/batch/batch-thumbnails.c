/* SPDX-License-Identifier: MIT */
#include "ui/batch/batch-thumbnails.h"

#include "ui/batch/batch-rows.h"
#include "ui/common/thumbnails.h"

#define WIDTH 48
#define HEIGHT 36

/* GTK asks only for rows in view, so only their files are decoded. */
static void
show_thumbnail(GtkTreeViewColumn *column, GtkCellRenderer *cell, GtkTreeModel *model, GtkTreeIter *iter, gpointer data)
{
  g_autofree char *input = NULL;

  gtk_tree_model_get(model, iter, MS_BATCH_INPUT, &input, -1);
  g_object_set(cell, "pixbuf", input ? ms_thumbnails_get(data, input) : NULL, NULL);
}

/** ms_batch_add_thumbnails: puts a column of thumbnails before the others of @tree, whose model is a batch's rows. */
void
ms_batch_add_thumbnails(GtkTreeView *tree)
{
  GtkCellRenderer *cell = gtk_cell_renderer_pixbuf_new();
  GtkTreeViewColumn *column = gtk_tree_view_column_new();
  MsThumbnails *thumbnails = ms_thumbnails_new(WIDTH, HEIGHT);

  g_signal_connect_object(thumbnails, "loaded", G_CALLBACK(gtk_widget_queue_draw), tree, G_CONNECT_SWAPPED);
  gtk_cell_renderer_set_fixed_size(cell, WIDTH + 4, HEIGHT + 4);
  gtk_tree_view_column_pack_start(column, cell, TRUE);
  gtk_tree_view_column_set_sizing(column, GTK_TREE_VIEW_COLUMN_FIXED);
  gtk_tree_view_column_set_fixed_width(column, WIDTH + 8);
  gtk_tree_view_column_set_cell_data_func(column, cell, show_thumbnail, thumbnails, g_object_unref);
  gtk_tree_view_insert_column(tree, column, 0);
}
