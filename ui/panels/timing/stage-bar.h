/* SPDX-License-Identifier: MIT */
/*
 * MsStageBar: the stages of one run, or of two on one scale, as stacked bars: each stage has colour, hatch and label,
 * and stands in a legend.
 */
#pragma once

#include <gtk/gtk.h>

#define MS_TYPE_STAGE_BAR (ms_stage_bar_get_type())
G_DECLARE_FINAL_TYPE(MsStageBar, ms_stage_bar, MS, STAGE_BAR, GtkDrawingArea)

/** MsStageSide: which of the two runs; a single run is B. */
typedef enum {
  MS_STAGE_SIDE_A,
  MS_STAGE_SIDE_B,
} MsStageSide;

void ms_stage_bar_clear(MsStageBar *self, gboolean compares);
void ms_stage_bar_add(MsStageBar *self, MsStageSide side, const char *label, guint style, double ms);
double ms_stage_bar_get_total_ms(MsStageBar *self, MsStageSide side);
