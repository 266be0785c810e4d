/* SPDX-License-Identifier: MIT */
#include "ui/common/drops.h"

/* NOLINTBEGIN(readability-function-size): a signature of GTK */
/* GTK finishes the drag itself because of GTK_DEST_DEFAULT_ALL. */
static void
received_cb(GtkWidget *widget, GdkDragContext *context, int x, int y, GtkSelectionData *data, guint info, guint time,
            gpointer dropped)
{
  g_auto(GStrv) uris = gtk_selection_data_get_uris(data);

  ((MsDropFunc)dropped)(widget, uris);
}
/* NOLINTEND(readability-function-size) */

/** ms_drops_accept: calls @dropped whenever files are dropped on @widget. */
void
ms_drops_accept(GtkWidget *widget, MsDropFunc dropped)
{
  gtk_drag_dest_set(widget, GTK_DEST_DEFAULT_ALL, NULL, 0, GDK_ACTION_COPY);
  gtk_drag_dest_add_uri_targets(widget);
  g_signal_connect(widget, "drag-data-received", G_CALLBACK(received_cb), (gpointer)dropped);
}
