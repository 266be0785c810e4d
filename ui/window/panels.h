/* SPDX-License-Identifier: MIT */
/* The panels of the workspaces Picture and Lab in order; each is a widget with a property "document". */
#pragma once

#include <gtk/gtk.h>

void ms_panels_add(GtkStack *picture, GtkStack *lab, GObject *window);
