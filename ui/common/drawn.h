/* SPDX-License-Identifier: MIT */
/*
 * What widgets that draw themselves share: theme, text scale, text and focus frame, and an accessible object with name,
 * role, description and value.
 */
#pragma once

#include <gtk/gtk.h>

#include "core/chart/chart.h"

MsChartTheme ms_drawn_theme(GtkWidget *widget);
double ms_drawn_text_scale(GtkWidget *widget);
void ms_drawn_show_text(GtkWidget *widget, cairo_t *cr, double width, const char *text);
void ms_drawn_text_size(GtkWidget *widget, const char *text, int *width, int *height);
void ms_drawn_focus(GtkWidget *widget, cairo_t *cr);

void ms_drawn_class_init(GtkWidgetClass *klass);
void ms_drawn_describe(GtkWidget *widget, AtkRole role, const char *name, const char *description);
void ms_drawn_set_value(GtkWidget *widget, double value, const char *text);
