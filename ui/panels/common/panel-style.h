/* SPDX-License-Identifier: MIT */
/* How panels draw: the palette of the theme in use, the scale of its text, and text through Pango. */
#pragma once

#include <gtk/gtk.h>

#include "core/chart/chart-style.h"

G_BEGIN_DECLS

MsChartTheme ms_panel_theme(GtkWidget *widget);
double ms_panel_text_scale(GtkWidget *widget);
void ms_panel_show_text(GtkWidget *widget, cairo_t *cr, double x, double y, double width, const char *text);
void ms_panel_text_size(GtkWidget *widget, const char *text, int *width, int *height);
void ms_panel_draw_focus(GtkWidget *widget, cairo_t *cr);
void ms_panel_tree_tooltip(GtkTreeView *tree, int column);

G_END_DECLS
