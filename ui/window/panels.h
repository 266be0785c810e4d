/* SPDX-License-Identifier: MIT */
/* The pages of the bottom panel in order; each is a widget with a property "document". */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

void ms_panels_add(GtkStack *stack, GObject *window);

G_END_DECLS
