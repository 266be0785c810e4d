/* SPDX-License-Identifier: MIT */
/* MsDrawnAccessible: the accessible object of a widget that draws itself: name, role, description and value. */
#pragma once

#include <gtk/gtk-a11y.h>
#include <gtk/gtk.h>

#define MS_TYPE_DRAWN_ACCESSIBLE (ms_drawn_accessible_get_type())
G_DECLARE_FINAL_TYPE(MsDrawnAccessible, ms_drawn_accessible, MS, DRAWN_ACCESSIBLE, GtkWidgetAccessible)

void ms_drawn_class_init(GtkWidgetClass *klass);
void ms_drawn_describe(GtkWidget *widget, AtkRole role, const char *name, const char *description);
void ms_drawn_set_value(GtkWidget *widget, double value, const char *text);
