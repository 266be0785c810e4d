/* SPDX-License-Identifier: MIT */
/* MsChartLayout: the positions of the parts of a chart in a drawing of a given size. */
#pragma once

#include "core/chart/chart-private.h"
#include "core/chart/chart-scale.h"

/** MsChartLayout: positions in a drawing of a given size, in user units. */
typedef struct {
  double width;
  double height;
  double left;
  double top;
  double plot_width;
  double plot_height;
  double legend_top;
  guint legend_rows;
  gboolean legend_is_cut; /* some series are left out of it */
  double label_angle;
  guint label_lines;
  MsScale x;
  MsScale y;
} MsChartLayout;

#define MS_CHART_LEGEND_ROW 20.0
#define MS_CHART_FONT 12.0

#define MS_CHART_MARGIN 16.0
#define MS_CHART_TITLE_FONT 17.0

double ms_chart_upper_height(const MsChart *self, double height);
MsChartLayout ms_chart_layout(const MsChart *self, cairo_t *cr, double width, double height);
double ms_chart_point_x(const MsChart *self, const MsChartLayout *layout, guint series, const MsChartPoint *point);
double ms_chart_point_y(const MsChartLayout *layout, double value);
double ms_chart_bar_width(const MsChart *self, const MsChartLayout *layout);
double ms_chart_stack_base(const MsChart *self, guint series, double x);
void ms_chart_use_font(cairo_t *cr, double size, gboolean bold);
GPtrArray *ms_chart_wrap_text(cairo_t *cr, const char *text, double width);
char *ms_chart_short_category(const MsChart *self, guint index);
guint ms_chart_bars_at(const MsChart *self, double x, guint series, guint *before);
double ms_chart_text_width(cairo_t *cr, const char *text);
double ms_chart_legend_item_width(cairo_t *cr, const MsChartSeries *series);
