/* SPDX-License-Identifier: MIT */
/* Shared by the model, the layout and the drawing of a chart. */
#pragma once

#include "core/chart/chart.h"

typedef struct {
  char *label;
  MsChartStyle style;
  GArray *points; /* MsChartPoint */
} MsChartSeries;

typedef struct {
  char *title;
  gboolean logarithmic;
} MsChartAxis;

struct _MsChart {
  MsChartType type;
  MsLanguage language; /* of the chart's own texts */
  char *title;
  char *subtitle;
  char *note;
  char *empty_text;
  MsChartAxis x;
  MsChartAxis y;
  GPtrArray *categories; /* char * */
  GPtrArray *series;     /* MsChartSeries */
  MsChart *panel;        /* (nullable): the panel below */
  double least;          /* values that the y axis shows in any case; NAN for none */
  double most;
  guint n_measured;
  guint n_published;
};

/** MsScale: maps values to 0..1, linearly or by their logarithm. */
typedef struct {
  double minimum;
  double maximum;
  gboolean logarithmic;
} MsScale;

MsScale ms_scale_for_range(double minimum, double maximum, gboolean logarithmic, gboolean from_zero);
double ms_scale_map(const MsScale *self, double value);
GArray *ms_scale_ticks(const MsScale *self, guint wanted);
char *ms_scale_format_count(double value);

/** MsChartLayout: positions in a drawing of a given size, in user units. */
typedef struct {
  double width;
  double height;
  double left;
  double top;
  double plot_width;
  double plot_height;
  double legend_top;
  double note_top;
  guint note_lines;
  guint legend_rows;
  gboolean legend_is_cut; /* some series are left out of it */
  double label_angle;
  MsScale x;
  MsScale y;
} MsChartLayout;

#define MS_CHART_LEGEND_ROW 20.0
#define MS_CHART_FONT 12.0
#define MS_CHART_NOTE_ROW 16.0
#define MS_CHART_NOTE_MOST 3

#define MS_CHART_MARGIN 16.0
#define MS_CHART_TITLE_FONT 17.0

double ms_chart_upper_height(const MsChart *self, double height);
void ms_chart_next_panel(const MsChart *self, double *width, double *height, double *x, double *y);
MsChartLayout ms_chart_layout(const MsChart *self, cairo_t *cr, double width, double height);
double ms_chart_point_x(const MsChart *self, const MsChartLayout *layout, guint series, const MsChartPoint *point);
double ms_chart_point_y(const MsChartLayout *layout, double value);
double ms_chart_foot(const MsChartLayout *layout);
gboolean ms_chart_is_range(MsChartStyle style, const MsChartPoint *point);
double ms_chart_bar_width(const MsChart *self, const MsChartLayout *layout);
double ms_chart_stack_base(const MsChart *self, guint series, double x);
void ms_chart_use_font(cairo_t *cr, double size, gboolean bold);
GPtrArray *ms_chart_wrap_text(cairo_t *cr, const char *text, double width);
char *ms_chart_short_category(const MsChart *self, guint index);
guint ms_chart_bars_at(const MsChart *self, double x, guint series, guint *before);
double ms_chart_text_width(cairo_t *cr, const char *text);
void ms_chart_show_text(cairo_t *cr, double x, double y, const char *text);
double ms_chart_legend_item_width(cairo_t *cr, const MsChartSeries *series);
