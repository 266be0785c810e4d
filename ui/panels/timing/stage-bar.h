/* SPDX-License-Identifier: MIT */
/* MsStageBar: a stacked bar of the stages of a run, each with colour, hatch and label, and a legend. */
#pragma once

#include <gtk/gtk.h>

#define MS_TYPE_STAGE_BAR (ms_stage_bar_get_type())
G_DECLARE_FINAL_TYPE(MsStageBar, ms_stage_bar, MS, STAGE_BAR, GtkDrawingArea)

void ms_stage_bar_clear(MsStageBar *self);
void ms_stage_bar_add(MsStageBar *self, const char *label, double ms);
double ms_stage_bar_get_total_ms(MsStageBar *self);
