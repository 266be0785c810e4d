/* SPDX-License-Identifier: MIT */
/* Panels: the pages of the bottom panel, in their order; each is a widget with a "document" property. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

void ms_panels_add(GtkStack *stack, GObject *window);

G_END_DECLS
