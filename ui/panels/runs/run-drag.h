/* SPDX-License-Identifier: MIT */
/* Drags the filtered picture of a run out of the window: as a PNG file for a file manager, as pixels for an editor. */
#pragma once

#include <gtk/gtk.h>

#include "ui/document/document.h"

void ms_run_drag_add(GtkWidget *widget, MsRun *run, MsDocument *document, GdkPixbuf *icon);
