/* SPDX-License-Identifier: MIT */
/*
 * MsStageBar: one bar cut into the parts of a run, each with its own colour, hatch and label, and the legend below it.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define MS_TYPE_STAGE_BAR (ms_stage_bar_get_type())
G_DECLARE_FINAL_TYPE(MsStageBar, ms_stage_bar, MS, STAGE_BAR, GtkDrawingArea)

GtkWidget *ms_stage_bar_new(void);
void ms_stage_bar_clear(MsStageBar *self);
void ms_stage_bar_add(MsStageBar *self, const char *label, double ms);
guint ms_stage_bar_get_n_parts(MsStageBar *self);
double ms_stage_bar_get_total_ms(MsStageBar *self);

G_END_DECLS
