/* SPDX-License-Identifier: MIT */
/* The style of charts, also for widgets beside them: colours, each with its own hatch, dash and marker. */
#pragma once

#include "core/chart/chart.h"

/** MsChartPaint: the colours of a theme, as 0xRRGGBB; @series has MS_CHART_N_STYLES of them. */
typedef struct {
  guint32 background;
  guint32 text;
  guint32 faint_text;
  guint32 grid;
  const guint32 *series;
} MsChartPaint;

#define MS_CHART_N_STYLES 8

/** MsChartStyle: how a series is drawn; @number: of its hatch, dash and marker; @published: whether it is hollow */
typedef struct {
  guint number;
  gboolean published;
} MsChartStyle;

const MsChartPaint *ms_chart_paint(MsChartTheme theme);
void ms_chart_set_colour(cairo_t *cr, guint32 rgb);
guint32 ms_chart_style_colour(const MsChartPaint *paint, MsChartStyle style);
void ms_chart_fill_hatched(cairo_t *cr, const MsChartPaint *paint, MsChartStyle style);
void ms_chart_draw_marker(cairo_t *cr, const MsChartPaint *paint, MsChartStyle style, double x, double y);
void ms_chart_set_dash(cairo_t *cr, MsChartStyle style);
