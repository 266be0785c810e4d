/* SPDX-License-Identifier: MIT */
/* Drawing helpers for panels: theme, text scale, text and focus frame. */
#pragma once

#include <gtk/gtk.h>

#include "core/chart/chart.h"

MsChartTheme ms_panel_theme(GtkWidget *widget);
double ms_panel_text_scale(GtkWidget *widget);
void ms_panel_show_text(GtkWidget *widget, cairo_t *cr, double width, const char *text);
void ms_panel_text_size(GtkWidget *widget, const char *text, int *width, int *height);
void ms_panel_draw_focus(GtkWidget *widget, cairo_t *cr);
void ms_panel_tree_tooltip(GtkTreeView *tree, int column);
