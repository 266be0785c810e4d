/* SPDX-License-Identifier: MIT */
/*
 * MsChart: bars and lines for measurements, drawn with Cairo for a file and for the window alike. Its style also serves
 * widgets beside charts.
 */
#pragma once

#include <cairo.h>
#include <glib.h>

#include "core/language.h"

typedef enum {
  MS_CHART_BARS,
  MS_CHART_LINES,
  MS_CHART_STACKED,
} MsChartType;

typedef enum {
  MS_CHART_LIGHT,
  MS_CHART_DARK,
} MsChartTheme;

/**
 * MsChartPoint:
 * @x: the category's index for bars, the value for lines
 * @y: the height
 * @low: lower end of the whisker, or of the range of a published value; NAN for none
 * @high: upper end, likewise
 * @row: which row of a report it shows, from 1; 0 for none
 */
typedef struct {
  double x;
  double y;
  double low;
  double high;
  guint row;
} MsChartPoint;

/** MsChartPage: the target of a drawing; @width and @height are in user units, and 720 by 440 is a legible size. */
typedef struct {
  double width;
  double height;
  MsChartTheme theme;
} MsChartPage;

typedef struct _MsChart MsChart;

MsChart *ms_chart_new(MsChartType type, const char *title);
MsChart *ms_chart_ref(MsChart *self);
void ms_chart_unref(MsChart *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsChart, ms_chart_unref)

void ms_chart_set_language(MsChart *self, MsLanguage language);
void ms_chart_set_title(MsChart *self, const char *title);
void ms_chart_set_subtitle(MsChart *self, const char *subtitle);
void ms_chart_set_note(MsChart *self, const char *note);
void ms_chart_set_empty_text(MsChart *self, const char *text);
void ms_chart_set_x_axis(MsChart *self, const char *title, gboolean logarithmic);
void ms_chart_set_y_axis(MsChart *self, const char *title, gboolean logarithmic);

/** ms_chart_add_category: adds a place on the x axis of bars; returns its index. */
guint ms_chart_add_category(MsChart *self, const char *label);

/** ms_chart_add_series: a colour with its own marker and hatch; @published ones are drawn hollow. Returns its index. */
guint ms_chart_add_series(MsChart *self, const char *label, gboolean published);

/** ms_chart_add_point: leaves out a point that is not finite. */
void ms_chart_add_point(MsChart *self, guint series, MsChartPoint point);

void ms_chart_set_y_values(MsChart *self, double least, double most);

void ms_chart_set_panel(MsChart *self, MsChart *panel);
guint ms_chart_n_panels(const MsChart *self);

guint ms_chart_n_points(const MsChart *self);
char *ms_chart_describe(const MsChart *self);
char *ms_chart_point_at(const MsChart *self, double width, double height, double x, double y);
guint ms_chart_row_at(const MsChart *self, double width, double height, double x, double y);
GByteArray *ms_chart_to_svg(const MsChart *self, const MsChartPage *page, GError **error);
GByteArray *ms_chart_to_pdf(const MsChart *self, const MsChartPage *page, GError **error);
GByteArray *ms_chart_to_png(const MsChart *self, const MsChartPage *page, GError **error);
void ms_chart_draw(const MsChart *self, cairo_t *cr, const MsChartPage *page);

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
void ms_chart_fill_hatched(cairo_t *cr, const MsChartPaint *paint, MsChartStyle style);
