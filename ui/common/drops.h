/* SPDX-License-Identifier: MIT */
/* Files that are dropped on a widget. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/** MsDropFunc: @uris: (nullable): of the files dropped on @widget, %NULL-terminated */
typedef void (*MsDropFunc)(GtkWidget *widget, char **uris);

void ms_drops_accept(GtkWidget *widget, MsDropFunc dropped);

G_END_DECLS
