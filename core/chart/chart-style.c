/* SPDX-License-Identifier: MIT */
/* How a chart looks: colours that colour-blind people can distinguish, each with its own hatch, dash and marker. */
#include <math.h>

#include "core/chart/chart-private.h"

#define HATCH_TILE 8

/*
 * The hues of Okabe and Ito; darkened or lightened so that each has a contrast of 4.5:1 with the background of charts
 * and with that of a window, where the bar of stages stands.
 */
static const guint32 light_series[MS_CHART_N_STYLES] = {0x0072b2, 0xb84f00, 0x007f5a, 0xa84f82,
                                                        0x8a6d00, 0x2174a3, 0x4d4d4d, 0x7a3db8};
static const guint32 dark_series[MS_CHART_N_STYLES] = {0x56b4e9, 0xe69f00, 0x2fc79b, 0xe08fc0,
                                                       0xf0e442, 0x8ab4f8, 0xd0d0d0, 0xc79bff};

static const MsChartPaint light_paint = {0xffffff, 0x202020, 0x5e5e5e, 0xdedede, light_series};
static const MsChartPaint dark_paint = {0x1e1e1e, 0xf0f0f0, 0xb0b0b0, 0x3c3c3c, dark_series};

const MsChartPaint *
ms_chart_paint(MsChartTheme theme)
{
  return theme == MS_CHART_DARK ? &dark_paint : &light_paint;
}

void
ms_chart_set_colour(cairo_t *cr, guint32 rgb)
{
  cairo_set_source_rgb(cr, (rgb >> 16 & 255) / 255.0, (rgb >> 8 & 255) / 255.0, (rgb & 255) / 255.0);
}

static void
line(cairo_t *cr, double x0, double y0, double x1, double y1)
{
  cairo_move_to(cr, x0, y0);
  cairo_line_to(cr, x1, y1);
}

/* Draws one tile of the hatch in the background's colour over the solid one. Style 0 stays solid. */
static void
draw_hatch_tile(cairo_t *cr, guint style)
{
  const double t = HATCH_TILE;

  switch (style % MS_CHART_N_STYLES) {
  case 1:
    line(cr, -1, t + 1, t + 1, -1);
    line(cr, -1, 1, 1, -1);
    line(cr, t - 1, t + 1, t + 1, t - 1);
    break;
  case 2:
    line(cr, 0, t / 2, t, t / 2);
    break;
  case 3:
    line(cr, -1, -1, t + 1, t + 1);
    line(cr, -1, t - 1, 1, t + 1);
    line(cr, t - 1, -1, t + 1, 1);
    break;
  case 4:
    cairo_arc(cr, t / 2, t / 2, 0.6, 0, 2 * G_PI);
    break;
  case 5:
    line(cr, t / 2, 0, t / 2, t);
    break;
  case 6:
    line(cr, 0, t / 2, t, t / 2);
    line(cr, t / 2, 0, t / 2, t);
    break;
  case 7:
    line(cr, 0, 0, t, t);
    line(cr, 0, t, t, 0);
    break;
  default:
    break;
  }
}

/* Thin lines over the current path, kept inside it; vector lines stay vectors in SVG. */
static void
draw_hatch(cairo_t *cr, const MsChartPaint *paint, guint style)
{
  double x0, y0, x1, y1;

  cairo_path_extents(cr, &x0, &y0, &x1, &y1);
  cairo_save(cr);
  cairo_clip(cr);
  cairo_set_line_width(cr, style % MS_CHART_N_STYLES == 4 ? 2.0 : 1.1);
  ms_chart_set_colour(cr, paint->background);
  for (double y = floor(y0 / HATCH_TILE) * HATCH_TILE; y < y1; y += HATCH_TILE)
    for (double x = floor(x0 / HATCH_TILE) * HATCH_TILE; x < x1; x += HATCH_TILE) {
      cairo_save(cr);
      cairo_translate(cr, x, y);
      draw_hatch_tile(cr, style);
      cairo_restore(cr);
    }
  cairo_stroke(cr);
  cairo_restore(cr);
}

/** ms_chart_style_colour: the colour of lines and areas; published series have the colour of text. */
guint32
ms_chart_style_colour(const MsChartPaint *paint, MsChartStyle style)
{
  return style.published ? paint->text : paint->series[style.number % MS_CHART_N_STYLES];
}

/** ms_chart_fill_hatched: fills the current path in @style; a published series is only an outline. Clears the path. */
void
ms_chart_fill_hatched(cairo_t *cr, const MsChartPaint *paint, MsChartStyle style)
{
  guint32 colour = ms_chart_style_colour(paint, style);

  if (style.published) {
    cairo_save(cr);
    ms_chart_set_colour(cr, colour);
    cairo_set_line_width(cr, 1.4);
    ms_chart_set_dash(cr, style);
    cairo_stroke(cr);
    cairo_restore(cr);
    return;
  }
  ms_chart_set_colour(cr, colour);
  cairo_fill_preserve(cr);
  if (style.number % MS_CHART_N_STYLES != 0)
    draw_hatch(cr, paint, style.number);
  cairo_new_path(cr);
}

/** ms_chart_set_dash: published series are dashed, and so are those that have the colour of an earlier one. */
void
ms_chart_set_dash(cairo_t *cr, MsChartStyle style)
{
  static const double dashes[4][4] = {{6, 3, 6, 3}, {2, 2, 2, 2}, {8, 3, 2, 3}, {12, 4, 12, 4}};

  if (style.published || style.number >= MS_CHART_N_STYLES)
    cairo_set_dash(cr, dashes[style.number % 4], 4, 0);
  else
    cairo_set_dash(cr, NULL, 0, 0);
}

static void
polygon(cairo_t *cr, double radius, int corners, double turn)
{
  for (int i = 0; i < corners; i++) {
    double angle = turn + 2 * G_PI * i / corners;
    cairo_line_to(cr, radius * sin(angle), -radius * cos(angle));
  }
  cairo_close_path(cr);
}

static void
cross(cairo_t *cr, double r)
{
  line(cr, -r, -r, r, r);
  line(cr, -r, r, r, -r);
}

/* The shape lies around the origin. */
static void
marker_path(cairo_t *cr, guint number)
{
  cairo_new_path(cr);
  switch (number % MS_CHART_N_STYLES) {
  case 0:
    cairo_arc(cr, 0, 0, 4.0, 0, 2 * G_PI);
    break;
  case 1:
    polygon(cr, 5.4, 4, G_PI / 4);
    break;
  case 2:
    polygon(cr, 5.4, 3, 0);
    break;
  case 3:
    polygon(cr, 5.4, 4, 0);
    break;
  case 4:
    polygon(cr, 5.4, 3, G_PI);
    break;
  case 5:
    polygon(cr, 5.2, 5, 0);
    break;
  case 6:
    cross(cr, 4.0);
    break;
  default:
    polygon(cr, 5.2, 6, 0);
    break;
  }
}

/** ms_chart_draw_marker: draws the shape of @style around a point; a published series has hollow markers. */
void
ms_chart_draw_marker(cairo_t *cr, const MsChartPaint *paint, MsChartStyle style, double x, double y)
{
  guint32 colour = ms_chart_style_colour(paint, style);

  cairo_save(cr);
  cairo_set_dash(cr, NULL, 0, 0);
  cairo_set_line_width(cr, 1.6);
  cairo_translate(cr, x, y);
  marker_path(cr, style.number);
  ms_chart_set_colour(cr, style.published ? paint->background : colour);
  cairo_fill_preserve(cr);
  ms_chart_set_colour(cr, colour);
  cairo_stroke(cr);
  cairo_restore(cr);
}
