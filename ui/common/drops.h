/* SPDX-License-Identifier: MIT */
/* Files that are dropped on a widget. */
#pragma once

#include <gtk/gtk.h>

/** MsDropFunc: @uris: (nullable): of the files dropped on @widget, %NULL-terminated */
typedef void (*MsDropFunc)(GtkWidget *widget, char **uris);

void ms_drops_accept(GtkWidget *widget, MsDropFunc dropped);
