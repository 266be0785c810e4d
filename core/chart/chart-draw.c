/* SPDX-License-Identifier: MIT */
/*
 * Draws a chart; all sizes are in user units, so a scaled Cairo context scales everything. First the style: colours
 * that colour-blind people can distinguish, each with its own hatch, dash and marker.
 */
#include <math.h>

#include "core/chart/chart-private.h"
#include "core/text.h"

#define SMALL_FONT 10.5
#define THINNEST_LABELLED_BAR 9.0
#define HATCH_TILE 8
#define BAND_ALPHA 0.12

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
    cairo_new_sub_path(cr);
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

/* The colour of lines and areas; published series have the colour of text. */
static guint32
style_colour(const MsChartPaint *paint, MsChartStyle style)
{
  return style.published ? paint->text : paint->series[style.number % MS_CHART_N_STYLES];
}

/* Published series are dashed, and so are those that have the colour of an earlier one. */
static void
set_dash(cairo_t *cr, MsChartStyle style)
{
  static const double dashes[4][4] = {{6, 3, 6, 3}, {2, 2, 2, 2}, {8, 3, 2, 3}, {12, 4, 12, 4}};

  if (style.published || style.number >= MS_CHART_N_STYLES)
    cairo_set_dash(cr, dashes[style.number % 4], 4, 0);
  else
    cairo_set_dash(cr, NULL, 0, 0);
}

/** ms_chart_fill_hatched: fills the current path in @style; a published series is only an outline. Clears the path. */
void
ms_chart_fill_hatched(cairo_t *cr, const MsChartPaint *paint, MsChartStyle style)
{
  guint32 colour = style_colour(paint, style);

  if (style.published) {
    cairo_save(cr);
    ms_chart_set_colour(cr, colour);
    cairo_set_line_width(cr, 1.4);
    set_dash(cr, style);
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

/* Draws the shape of @style around a point; a published series has hollow markers. */
static void
draw_marker(cairo_t *cr, const MsChartPaint *paint, MsChartStyle style, double x, double y)
{
  guint32 colour = style_colour(paint, style);

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

/* Drawing: a chart, the cairo context and style that it is drawn with, and the layout of its parts. */
typedef struct {
  const MsChart *chart;
  cairo_t *cr;
  const MsChartPaint *paint;
  MsChartLayout layout;
} Drawing;

/* Text wider than @width is shortened and ends in dots. */
static void
show_fitted(cairo_t *cr, double x, double y, double width, const char *text)
{
  g_autofree char *shown = g_strdup(text);

  for (glong keep = g_utf8_strlen(text, -1); keep > 1 && ms_chart_text_width(cr, shown) > width; keep--) {
    g_autofree char *start = g_utf8_substring(text, 0, keep - 1);
    g_free(shown);
    shown = g_strconcat(start, "…", NULL);
  }
  ms_chart_show_text(cr, x, y, shown);
}

static char *
axis_title(const MsChart *self, const MsChartAxis *axis, const MsScale *scale)
{
  return g_strconcat(axis->title, scale->logarithmic ? ms_text(self->language, ", logarithmic axis") : "", NULL);
}

/* What does not fit into the lines of the layout ends in dots. */
static void
draw_note(const Drawing *d)
{
  const MsChartLayout *l = &d->layout;
  const double width = l->width - 2 * MS_CHART_MARGIN;
  g_autoptr(GPtrArray) lines = d->chart->note ? ms_chart_wrap_text(d->cr, d->chart->note, width) : NULL;

  ms_chart_set_colour(d->cr, d->paint->text);
  for (guint i = 0; i < l->note_lines; i++) {
    const gboolean cut = i + 1 == l->note_lines && lines->len > l->note_lines;
    g_autofree char *text = g_strconcat(lines->pdata[i], cut ? "…" : "", NULL);
    show_fitted(d->cr, MS_CHART_MARGIN, l->note_top + MS_CHART_NOTE_ROW * (i + 1) - 4, width, text);
  }
  ms_chart_set_colour(d->cr, d->paint->faint_text);
}

static void
draw_titles(const Drawing *d)
{
  const MsChart *self = d->chart;
  const MsChartLayout *l = &d->layout;
  cairo_t *cr = d->cr;

  ms_chart_use_font(cr, MS_CHART_TITLE_FONT, TRUE);
  ms_chart_set_colour(cr, d->paint->text);
  if (self->title)
    show_fitted(cr, MS_CHART_MARGIN, MS_CHART_MARGIN + MS_CHART_TITLE_FONT - 3, l->width - 2 * MS_CHART_MARGIN,
                self->title);
  ms_chart_use_font(cr, MS_CHART_FONT, FALSE);
  ms_chart_set_colour(cr, d->paint->faint_text);
  if (self->subtitle)
    show_fitted(cr, MS_CHART_MARGIN, MS_CHART_MARGIN + MS_CHART_TITLE_FONT + 17, l->width - 2 * MS_CHART_MARGIN,
                self->subtitle);
  draw_note(d);
  if (self->y.title) {
    g_autofree char *title = axis_title(self, &self->y, &l->y);
    show_fitted(cr, MS_CHART_MARGIN, l->top - 12, l->width - 2 * MS_CHART_MARGIN, title);
  }
  if (self->x.title) {
    g_autofree char *title = axis_title(self, &self->x, &l->x);
    ms_chart_show_text(cr, l->left + (l->plot_width - ms_chart_text_width(cr, title)) / 2,
                       l->height - MS_CHART_MARGIN + 4, title);
  }
}

static void
draw_legend_key(const Drawing *d, MsChartStyle style, double x, double y)
{
  if (d->chart->type != MS_CHART_LINES) {
    cairo_rectangle(d->cr, x + 1, y - 10, 20, 12);
    ms_chart_fill_hatched(d->cr, d->paint, style);
    return;
  }
  ms_chart_set_colour(d->cr, style_colour(d->paint, style));
  set_dash(d->cr, style);
  cairo_set_line_width(d->cr, 2);
  line(d->cr, x, y - 4, x + 22, y - 4);
  cairo_stroke(d->cr);
  draw_marker(d->cr, d->paint, style, x + 11, y - 4);
}

static void
draw_legend(const Drawing *d)
{
  const MsChart *self = d->chart;
  const MsChartLayout *l = &d->layout;
  cairo_t *cr = d->cr;
  double x = MS_CHART_MARGIN, y = l->legend_top + 13;
  guint row = 1;

  for (guint i = 0; i < self->series->len; i++) {
    const MsChartSeries *series = self->series->pdata[i];
    g_autofree char *others = g_strdup_printf("… and %u more", self->series->len - i);
    ms_chart_use_font(cr, MS_CHART_FONT, FALSE);
    double item = ms_chart_legend_item_width(cr, series);
    double space = l->width - MS_CHART_MARGIN - x;
    if (l->legend_is_cut && row == l->legend_rows)
      space -= ms_chart_text_width(cr, others);
    if (x > MS_CHART_MARGIN && item > space && row == l->legend_rows) {
      ms_chart_set_colour(cr, d->paint->faint_text);
      ms_chart_show_text(cr, x, y, others);
      return;
    }
    if (x > MS_CHART_MARGIN && item > space) {
      x = MS_CHART_MARGIN;
      y += MS_CHART_LEGEND_ROW;
      row++;
    }
    draw_legend_key(d, series->style, x, y);
    ms_chart_set_colour(cr, d->paint->text);
    ms_chart_show_text(cr, x + 28, y, series->label);
    x += item;
  }
}

static void
draw_y_axis(const Drawing *d)
{
  const MsChartLayout *l = &d->layout;
  cairo_t *cr = d->cr;
  g_autoptr(GArray) ticks = ms_scale_ticks(&l->y, (guint)CLAMP(l->plot_height / 45, 3, 8));

  cairo_set_dash(cr, NULL, 0, 0);
  for (guint i = 0; i < ticks->len; i++) {
    double value = g_array_index(ticks, double, i);
    double y = floor(ms_chart_point_y(l, value)) + 0.5;
    g_autofree char *text = ms_number_text(value);
    ms_chart_set_colour(cr, value == ms_chart_foot(l) ? d->paint->faint_text : d->paint->grid);
    cairo_set_line_width(cr, 1);
    line(cr, l->left, y, l->left + l->plot_width, y);
    cairo_stroke(cr);
    ms_chart_set_colour(cr, d->paint->faint_text);
    ms_chart_show_text(cr, l->left - 8 - ms_chart_text_width(cr, text), y + 4, text);
  }
}

static int
compare_numbers(gconstpointer a, gconstpointer b)
{
  const double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

/* The x values of the points of all series, ascending; one that several series share occurs several times. */
static GArray *
all_x_values(const MsChart *self)
{
  GArray *values = g_array_new(FALSE, FALSE, sizeof(double));

  for (guint i = 0; i < self->series->len; i++) {
    const GArray *points = ((const MsChartSeries *)self->series->pdata[i])->points;
    for (guint k = 0; k < points->len; k++)
      g_array_append_val(values, g_array_index(points, MsChartPoint, k).x);
  }
  g_array_sort(values, compare_numbers);
  return values;
}

/* On a logarithmic axis the ticks are the points' x values, as many as fit without overlap. */
static void
draw_numeric_x_axis(const Drawing *d)
{
  const MsChart *self = d->chart;
  const MsChartLayout *l = &d->layout;
  cairo_t *cr = d->cr;
  g_autoptr(GArray) ticks =
    l->x.logarithmic ? all_x_values(self) : ms_scale_ticks(&l->x, (guint)MAX(l->plot_width / 90, 2));
  double free_from = -INFINITY;

  ms_chart_set_colour(cr, d->paint->faint_text);
  for (guint i = 0; i < ticks->len; i++) {
    MsChartPoint place = {g_array_index(ticks, double, i), 0, 0, 0};
    g_autofree char *text = ms_scale_format_count(place.x);
    double width = ms_chart_text_width(cr, text);
    double x = ms_chart_point_x(self, l, 0, &place);
    if (x - width / 2 < free_from)
      continue;
    ms_chart_show_text(cr, x - width / 2, l->top + l->plot_height + 18, text);
    free_from = x + width / 2 + 10;
  }
}

static void
draw_category(cairo_t *cr, const MsChartLayout *l, const char *label, double x, double slot)
{
  double y = l->top + l->plot_height + 18;

  if (l->label_angle > 0) {
    cairo_save(cr);
    cairo_translate(cr, x + 4, y - 4);
    cairo_rotate(cr, -l->label_angle);
    ms_chart_show_text(cr, -ms_chart_text_width(cr, label), 4, label);
    cairo_restore(cr);
    return;
  }
  g_autoptr(GPtrArray) lines = ms_chart_wrap_text(cr, label, slot - 8);
  for (guint i = 0; i < lines->len; i++)
    ms_chart_show_text(cr, x - ms_chart_text_width(cr, lines->pdata[i]) / 2, y + 14.0 * i, lines->pdata[i]);
}

static void
draw_x_axis(const Drawing *d)
{
  const MsChart *self = d->chart;
  const MsChartLayout *l = &d->layout;
  cairo_t *cr = d->cr;

  if (self->type == MS_CHART_LINES) {
    draw_numeric_x_axis(d);
    return;
  }
  double slot = l->plot_width / MAX(self->categories->len, 1);
  ms_chart_set_colour(cr, d->paint->text);
  for (guint i = 0; i < self->categories->len; i++) {
    g_autofree char *label = ms_chart_short_category(self, i);
    draw_category(cr, l, label, l->left + (i + 0.5) * slot, slot);
  }
}

/* The line has an edge of the background's colour, so that it is legible on a bar of any colour. */
static void
draw_whisker(const Drawing *d, double x, const MsChartPoint *p)
{
  cairo_t *cr = d->cr;

  if (!isfinite(p->low) || !isfinite(p->high))
    return;
  double top = ms_chart_point_y(&d->layout, p->high), bottom = ms_chart_point_y(&d->layout, p->low);
  if (bottom - top < 1.0)
    return;
  cairo_save(cr);
  cairo_set_dash(cr, NULL, 0, 0);
  cairo_set_line_cap(cr, CAIRO_LINE_CAP_SQUARE);
  line(cr, x, top, x, bottom);
  line(cr, x - 4, top, x + 4, top);
  line(cr, x - 4, bottom, x + 4, bottom);
  ms_chart_set_colour(cr, d->paint->background);
  cairo_set_line_width(cr, 4.3);
  cairo_stroke_preserve(cr);
  ms_chart_set_colour(cr, d->paint->text);
  cairo_set_line_width(cr, 1.3);
  cairo_stroke(cr);
  cairo_restore(cr);
}

/* Draws a vertical text upwards from the top of a bar, or inside the bar where there is no space above it. */
static void
draw_upright_value(const Drawing *d, MsChartStyle style, double x, double y, const char *text)
{
  cairo_t *cr = d->cr;
  double length = ms_chart_text_width(cr, text);
  gboolean inside = y - 4 - length < d->layout.top - 8;

  if (inside && !style.published)
    ms_chart_set_colour(cr, d->paint->background);
  cairo_save(cr);
  cairo_translate(cr, x + 4, inside ? y + 4 + length : y - 4);
  cairo_rotate(cr, -G_PI / 2);
  ms_chart_show_text(cr, 0, 0, text);
  cairo_restore(cr);
}

/* (transfer full): three digits, or four for ratios close to 1, so that their difference from 1 is legible. */
static char *
bar_value_text(double value)
{
  int digits = fabs(value - 1) < 0.1 ? 4 : 3;
  double unit = value != 0 ? pow(10.0, floor(log10(fabs(value))) - (digits - 1)) : 1.0;

  return ms_number_text(round(value / unit) * unit);
}

/* (transfer full): the value of a bar; both ends of a published range. */
static char *
bar_text(MsChartStyle style, const MsChartPoint *p)
{
  if (!ms_chart_is_range(style, p))
    return bar_value_text(p->y);
  g_autofree char *low = bar_value_text(p->low), *high = bar_value_text(p->high);
  return g_strdup_printf("%s–%s", low, high);
}

/*
 * Draws the value above a bar or its whisker, below one of a negative value: horizontally if the bar is wide enough,
 * else vertically; not on bars narrower than a letter.
 */
static void
draw_bar_value(const Drawing *d, MsChartStyle style, const MsChartPoint *p, double x, double top)
{
  cairo_t *cr = d->cr;
  g_autofree char *text = bar_text(style, p);
  const gboolean below = p->y < 0;
  guint before;

  ms_chart_use_font(cr, SMALL_FONT, FALSE);
  double bar = ms_chart_bar_width(d->chart, &d->layout), width = ms_chart_text_width(cr, text);
  double space = ms_chart_bars_at(d->chart, p->x, 0, &before) > 1 ? bar : 2 * bar;
  double y = isfinite(p->high) && !below ? fmin(ms_chart_point_y(&d->layout, p->high), top) : top;
  ms_chart_set_colour(cr, d->paint->text);
  if (width <= space + 2)
    ms_chart_show_text(cr, x - width / 2, below ? y + 12 : y - 5, text);
  else if (space >= THINNEST_LABELLED_BAR)
    draw_upright_value(d, style, x, below ? y + 8 + width : y, text);
  ms_chart_use_font(cr, MS_CHART_FONT, FALSE);
}

/* A bar stands on 0, or on the bar below it in a stack; a published range is a box from its low end to its high one. */
static void
draw_bars(const Drawing *d, guint index)
{
  const MsChart *self = d->chart;
  const MsChartLayout *l = &d->layout;
  cairo_t *cr = d->cr;
  const MsChartSeries *series = self->series->pdata[index];
  double width = ms_chart_bar_width(self, l);
  gboolean label = self->type == MS_CHART_BARS;

  for (guint i = 0; i < series->points->len; i++) {
    const MsChartPoint *p = &g_array_index(series->points, MsChartPoint, i);
    const gboolean range = ms_chart_is_range(series->style, p);
    double base = ms_chart_stack_base(self, index, p->x);
    double x = ms_chart_point_x(self, l, index, p);
    double end = ms_chart_point_y(l, base + (range ? p->high : p->y));
    double foot = ms_chart_point_y(l, range ? p->low : base > 0 ? base : ms_chart_foot(l));
    cairo_rectangle(cr, x - width / 2 + 1, fmin(end, foot), MAX(width - 2, 1.0), MAX(fabs(foot - end), 0.5));
    ms_chart_fill_hatched(cr, d->paint, series->style);
    if (!range)
      draw_whisker(d, x, p);
    if (label)
      draw_bar_value(d, series->style, p, x, end);
  }
}

/* Adds the points that have a range to the current path, along their high ends and back along the low ones. */
static guint
band_path(const Drawing *d, guint index)
{
  const MsChartSeries *series = d->chart->series->pdata[index];
  const guint n = series->points->len;
  guint used = 0;

  cairo_new_path(d->cr);
  for (guint i = 0; i < 2 * n; i++) {
    const MsChartPoint *p = &g_array_index(series->points, MsChartPoint, i < n ? i : 2 * n - 1 - i);
    if (!ms_chart_is_range(series->style, p))
      continue;
    cairo_line_to(d->cr, ms_chart_point_x(d->chart, &d->layout, index, p),
                  ms_chart_point_y(&d->layout, i < n ? p->high : p->low));
    used += i < n;
  }
  cairo_close_path(d->cr);
  return used;
}

/* Draws the published ranges of a series as an area, since the study does not say where within it a size lies. */
static void
draw_band(const Drawing *d, guint index)
{
  const MsChartSeries *series = d->chart->series->pdata[index];
  const guint32 rgb = style_colour(d->paint, series->style);
  cairo_t *cr = d->cr;

  cairo_save(cr);
  if (band_path(d, index) > 1) {
    cairo_set_source_rgba(cr, (rgb >> 16 & 255) / 255.0, (rgb >> 8 & 255) / 255.0, (rgb & 255) / 255.0, BAND_ALPHA);
    cairo_fill_preserve(cr);
    ms_chart_set_colour(cr, rgb);
    set_dash(cr, series->style);
    cairo_set_line_width(cr, 1.2);
    cairo_stroke(cr);
  }
  cairo_new_path(cr);
  cairo_restore(cr);
}

static void
draw_line(const Drawing *d, guint index)
{
  const MsChart *self = d->chart;
  const MsChartLayout *l = &d->layout;
  cairo_t *cr = d->cr;
  const MsChartSeries *series = self->series->pdata[index];

  draw_band(d, index);
  cairo_save(cr);
  ms_chart_set_colour(cr, style_colour(d->paint, series->style));
  set_dash(cr, series->style);
  cairo_set_line_width(cr, 2.0);
  cairo_new_path(cr);
  for (guint i = 0; i < series->points->len; i++) {
    const MsChartPoint *p = &g_array_index(series->points, MsChartPoint, i);
    if (!ms_chart_is_range(series->style, p))
      cairo_line_to(cr, ms_chart_point_x(self, l, index, p), ms_chart_point_y(l, p->y));
  }
  cairo_stroke(cr);
  for (guint i = 0; i < series->points->len; i++) {
    const MsChartPoint *p = &g_array_index(series->points, MsChartPoint, i);
    double x = ms_chart_point_x(self, l, index, p);
    draw_whisker(d, x, p);
    if (!ms_chart_is_range(series->style, p))
      draw_marker(cr, d->paint, series->style, x, ms_chart_point_y(l, p->y));
  }
  cairo_restore(cr);
}

static void
draw_one(const Drawing *d)
{
  const MsChart *self = d->chart;
  const MsChartLayout *l = &d->layout;

  draw_titles(d);
  draw_legend(d);
  if (ms_chart_n_points(self) == 0) {
    ms_chart_show_text(d->cr, l->left, l->top + l->plot_height / 2,
                       self->empty_text ? self->empty_text : ms_text(self->language, "Nothing could be measured."));
  } else {
    draw_y_axis(d);
    draw_x_axis(d);
  }
  for (guint i = 0; i < self->series->len; i++)
    (self->type == MS_CHART_LINES ? draw_line : draw_bars)(d, i);
}

/**
 * ms_chart_draw:
 * @cr: where to draw; its clip and transformation are respected
 *
 * Draws background, titles, legend, axes and data, and below or beside them the other panels. Series differ by colour
 * and by hatch or marker and dash.
 */
void
ms_chart_draw(const MsChart *self, cairo_t *cr, const MsChartPage *page)
{
  const MsChartPaint *paint = ms_chart_paint(page->theme);
  double left_width = page->width, left_height = page->height;

  cairo_save(cr);
  cairo_rectangle(cr, 0, 0, page->width, page->height);
  ms_chart_set_colour(cr, paint->background);
  cairo_fill(cr);
  for (const MsChart *panel = self; panel; panel = panel->panel) {
    double width = left_width, height = left_height, x, y;
    ms_chart_next_panel(panel, &width, &height, &x, &y);
    draw_one(&(Drawing){panel, cr, paint, ms_chart_layout(panel, cr, width, height)});
    cairo_translate(cr, x, y);
    left_width -= x;
    left_height -= y;
  }
  cairo_restore(cr);
}
