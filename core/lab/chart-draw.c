/* SPDX-License-Identifier: MIT */
/* Lays a chart out and draws it; every size is in the units of the drawing, so a scaled context scales all of it. */
#include <math.h>

#include "core/lab/chart-private.h"

#define MARGIN 16.0
#define TITLE_FONT 17.0
#define SMALL_FONT 10.5
#define GROUP_FILL 0.8
#define LABELLED_BARS 28

static void
use_font(cairo_t *cr, double size, gboolean bold)
{
  cairo_select_font_face(cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                         bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(cr, size);
}

double
ms_chart_text_width(cairo_t *cr, const char *text)
{
  cairo_text_extents_t extents;

  cairo_text_extents(cr, text, &extents);
  return extents.x_advance;
}

double
ms_chart_legend_item_width(cairo_t *cr, const MsChartSeries *series)
{
  return 28.0 + ms_chart_text_width(cr, series->label) + 18.0;
}

static void
show_text(cairo_t *cr, double x, double y, const char *text)
{
  cairo_move_to(cr, x, y);
  cairo_show_text(cr, text);
}

/* How high the bars below @series reach at @x; 0 unless stacked. */
double
ms_chart_stack_base(const MsChart *self, guint series, double x)
{
  double base = 0;

  if (self->type != MS_CHART_STACKED)
    return 0;
  for (guint i = 0; i < series; i++) {
    const MsChartSeries *below = self->series->pdata[i];
    for (guint k = 0; k < below->points->len; k++)
      if (g_array_index(below->points, MsChartPoint, k).x == x)
        base += g_array_index(below->points, MsChartPoint, k).y;
  }
  return base;
}

static void
extend(double *minimum, double *maximum, double value)
{
  if (!isfinite(value))
    return;
  *minimum = MIN(*minimum, value);
  *maximum = MAX(*maximum, value);
}

static void
find_scales(const MsChart *self, MsChartLayout *layout)
{
  double x0 = INFINITY, x1 = -INFINITY, y0 = INFINITY, y1 = -INFINITY;

  for (guint i = 0; i < self->series->len; i++) {
    const MsChartSeries *series = self->series->pdata[i];
    for (guint k = 0; k < series->points->len; k++) {
      const MsChartPoint *p = &g_array_index(series->points, MsChartPoint, k);
      double base = ms_chart_stack_base(self, i, p->x);
      extend(&x0, &x1, p->x);
      extend(&y0, &y1, p->y + base);
      extend(&y0, &y1, p->low);
      extend(&y0, &y1, p->high);
    }
  }
  gboolean logarithmic = self->y.logarithmic && self->type != MS_CHART_STACKED;
  if (logarithmic && self->type == MS_CHART_BARS && y0 > 0)
    y0 /= 2; /* so that the smallest bar still has a height */
  layout->y = ms_scale_for_range(y0, y1, logarithmic, TRUE);
  layout->x = self->x.logarithmic && x0 > 0 ? (MsScale){x0, x1 > x0 ? x1 : x0 * 2, TRUE}
                                            : ms_scale_for_range(x0, x1, FALSE, FALSE);
}

static guint
count_legend_rows(const MsChart *self, cairo_t *cr, double width)
{
  double x = 0;
  guint rows = self->series->len > 0 ? 1 : 0;

  for (guint i = 0; i < self->series->len; i++) {
    double item = ms_chart_legend_item_width(cr, self->series->pdata[i]);
    if (x > 0 && x + item > width) {
      x = 0;
      rows++;
    }
    x += item;
  }
  return rows;
}

static double
widest_category(const MsChart *self, cairo_t *cr)
{
  double widest = 0;

  for (guint i = 0; i < self->categories->len; i++)
    widest = MAX(widest, ms_chart_text_width(cr, self->categories->pdata[i]));
  return widest;
}

/* Breaks @text at blanks into lines of at most @width; a word that is wider stays whole. */
static GPtrArray *
wrap_text(cairo_t *cr, const char *text, double width)
{
  GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
  g_auto(GStrv) words = g_strsplit(text, " ", -1);
  g_autofree char *line = NULL;

  for (char **word = words; *word; word++) {
    g_autofree char *longer = line ? g_strconcat(line, " ", *word, NULL) : g_strdup(*word);
    if (line && ms_chart_text_width(cr, longer) > width) {
      g_ptr_array_add(lines, g_steal_pointer(&line));
      line = g_strdup(*word);
      continue;
    }
    g_free(line);
    line = g_steal_pointer(&longer);
  }
  if (line)
    g_ptr_array_add(lines, g_steal_pointer(&line));
  return lines;
}

/* How many lines the categories need when wrapped to @width, or 0 when a single word is already too wide. */
static guint
wrapped_lines(const MsChart *self, cairo_t *cr, double width)
{
  guint most = 1;

  for (guint i = 0; i < self->categories->len; i++) {
    g_autoptr(GPtrArray) lines = wrap_text(cr, self->categories->pdata[i], width);
    for (guint k = 0; k < lines->len; k++)
      if (ms_chart_text_width(cr, lines->pdata[k]) > width)
        return 0;
    most = MAX(most, lines->len);
  }
  return most;
}

static double
widest_y_label(const MsChartLayout *layout, cairo_t *cr)
{
  g_autoptr(GArray) ticks = ms_scale_ticks(&layout->y, 6);
  double widest = 0;

  for (guint i = 0; i < ticks->len; i++) {
    g_autofree char *text = ms_scale_format(g_array_index(ticks, double, i));
    widest = MAX(widest, ms_chart_text_width(cr, text));
  }
  return widest;
}

/* Decides whether the categories fit side by side or must be slanted, and what room they need below the plot. */
static double
bottom_room(const MsChart *self, cairo_t *cr, MsChartLayout *layout)
{
  double title = self->x.title && *self->x.title ? 20.0 : 0.0;

  if (self->type == MS_CHART_LINES || self->categories->len == 0)
    return 26.0 + title;
  double widest = widest_category(self, cr);
  double slot = layout->plot_width / self->categories->len;
  layout->label_lines = wrapped_lines(self, cr, slot - 8);
  if (layout->label_lines >= 1 && layout->label_lines <= 4)
    return 12.0 + 14.0 * layout->label_lines + title;
  layout->label_lines = 0;
  layout->label_angle = slot < 22.0 || widest > 160.0 ? G_PI / 2.6 : G_PI / 6;
  return MIN(widest * sin(layout->label_angle) + 26.0, layout->height * 0.45) + title;
}

MsChartLayout
ms_chart_layout(const MsChart *self, cairo_t *cr, double width, double height)
{
  MsChartLayout l = {.width = width, .height = height};

  use_font(cr, MS_CHART_FONT, FALSE);
  find_scales(self, &l);
  l.legend_rows = count_legend_rows(self, cr, width - 2 * MARGIN);
  l.legend_top = MARGIN + TITLE_FONT + 8 + (self->subtitle ? 18 : 0);
  l.left = MARGIN + widest_y_label(&l, cr) + 10;
  l.top = l.legend_top + l.legend_rows * MS_CHART_LEGEND_ROW + 34;
  l.plot_width = MAX(width - l.left - MARGIN, 10.0);
  l.plot_height = MAX(height - l.top - bottom_room(self, cr, &l) - 8, 10.0);
  return l;
}

static gboolean
has_point_at(const MsChartSeries *series, double x)
{
  for (guint i = 0; i < series->points->len; i++)
    if (g_array_index(series->points, MsChartPoint, i).x == x)
      return TRUE;
  return FALSE;
}

/* How many series have a bar at the category @x, and how many of these stand before @series. */
static guint
bars_at(const MsChart *self, double x, guint series, guint *before)
{
  guint count = 0;

  *before = 0;
  for (guint i = 0; i < self->series->len; i++) {
    if (!has_point_at(self->series->pdata[i], x))
      continue;
    count++;
    *before += i < series;
  }
  return count;
}

double
ms_chart_bar_width(const MsChart *self, const MsChartLayout *layout)
{
  double slot = layout->plot_width / MAX(self->categories->len, 1);
  guint most = 1, before;

  for (guint i = 0; self->type == MS_CHART_BARS && i < self->categories->len; i++)
    most = MAX(most, bars_at(self, i, 0, &before));
  return MIN(slot * GROUP_FILL / most, 90.0);
}

/* Centre of the point's bar, or the place of its marker. Bars of a category stand together, whatever is missing there. */
double
ms_chart_point_x(const MsChart *self, const MsChartLayout *layout, guint series, const MsChartPoint *point)
{
  guint before;

  if (self->type == MS_CHART_LINES)
    return layout->left + 12 + ms_scale_map(&layout->x, point->x) * (layout->plot_width - 24);
  double slot = layout->plot_width / MAX(self->categories->len, 1);
  double centre = layout->left + (point->x + 0.5) * slot;
  if (self->type == MS_CHART_STACKED)
    return centre;
  guint count = bars_at(self, point->x, series, &before);
  return centre + (before - (count - 1) / 2.0) * ms_chart_bar_width(self, layout);
}

double
ms_chart_point_y(const MsChartLayout *layout, double value)
{
  double share = CLAMP(ms_scale_map(&layout->y, value), 0.0, 1.0);

  return layout->top + (1.0 - share) * layout->plot_height;
}

/* Text that is wider than @width ends in dots, so that nothing is cut in the middle of a letter. */
static void
show_fitted(cairo_t *cr, double x, double y, double width, const char *text)
{
  g_autofree char *shown = g_strdup(text);

  for (glong keep = g_utf8_strlen(text, -1); keep > 1 && ms_chart_text_width(cr, shown) > width; keep--) {
    g_autofree char *start = g_utf8_substring(text, 0, keep - 1);
    g_free(shown);
    shown = g_strconcat(start, "…", NULL);
  }
  show_text(cr, x, y, shown);
}

static void
draw_titles(const MsChart *self, cairo_t *cr, const MsChartPaint *paint, const MsChartLayout *l)
{
  use_font(cr, TITLE_FONT, TRUE);
  ms_chart_set_colour(cr, paint->text);
  show_fitted(cr, MARGIN, MARGIN + TITLE_FONT - 3, l->width - 2 * MARGIN, self->title);
  use_font(cr, MS_CHART_FONT, FALSE);
  ms_chart_set_colour(cr, paint->faint_text);
  if (self->subtitle)
    show_fitted(cr, MARGIN, MARGIN + TITLE_FONT + 17, l->width - 2 * MARGIN, self->subtitle);
  if (self->y.title)
    show_text(cr, MARGIN, l->top - 12, self->y.title);
  if (self->x.title)
    show_text(cr, l->left + (l->plot_width - ms_chart_text_width(cr, self->x.title)) / 2, l->height - MARGIN + 4,
              self->x.title);
}

static void
draw_legend_key(const MsChart *self, cairo_t *cr, const MsChartPaint *paint, const MsChartSeries *series, double x,
                double y)
{
  if (self->type != MS_CHART_LINES) {
    cairo_rectangle(cr, x + 1, y - 10, 20, 12);
    ms_chart_fill_hatched(cr, paint, series->style, series->published);
    return;
  }
  ms_chart_set_colour(cr, series->published ? paint->text : paint->series[series->style % MS_CHART_N_STYLES]);
  ms_chart_set_dash(cr, series->style, series->published);
  cairo_set_line_width(cr, 2);
  cairo_move_to(cr, x, y - 4);
  cairo_line_to(cr, x + 22, y - 4);
  cairo_stroke(cr);
  ms_chart_draw_marker(cr, paint, series->style, series->published, x + 11, y - 4);
}

static void
draw_legend(const MsChart *self, cairo_t *cr, const MsChartPaint *paint, const MsChartLayout *l)
{
  double x = MARGIN, y = l->legend_top + 13;

  for (guint i = 0; i < self->series->len; i++) {
    const MsChartSeries *series = self->series->pdata[i];
    use_font(cr, MS_CHART_FONT, FALSE);
    double item = ms_chart_legend_item_width(cr, series);
    if (x > MARGIN && x + item > l->width - MARGIN) {
      x = MARGIN;
      y += MS_CHART_LEGEND_ROW;
    }
    draw_legend_key(self, cr, paint, series, x, y);
    ms_chart_set_colour(cr, paint->text);
    show_text(cr, x + 28, y, series->label);
    x += item;
  }
}

static void
draw_y_axis(cairo_t *cr, const MsChartPaint *paint, const MsChartLayout *l)
{
  g_autoptr(GArray) ticks = ms_scale_ticks(&l->y, (guint)CLAMP(l->plot_height / 45, 3, 8));

  cairo_set_dash(cr, NULL, 0, 0);
  for (guint i = 0; i < ticks->len; i++) {
    double value = g_array_index(ticks, double, i);
    double y = floor(ms_chart_point_y(l, value)) + 0.5;
    g_autofree char *text = ms_scale_format(value);
    ms_chart_set_colour(cr, value == l->y.minimum ? paint->faint_text : paint->grid);
    cairo_set_line_width(cr, 1);
    cairo_move_to(cr, l->left, y);
    cairo_line_to(cr, l->left + l->plot_width, y);
    cairo_stroke(cr);
    ms_chart_set_colour(cr, paint->faint_text);
    show_text(cr, l->left - 8 - ms_chart_text_width(cr, text), y + 4, text);
  }
}

/* Ticks of lines stand where points are, as long as they have room. */
static void
draw_numeric_x_axis(const MsChart *self, cairo_t *cr, const MsChartPaint *paint, const MsChartLayout *l)
{
  g_autoptr(GArray) ticks = ms_scale_ticks(&l->x, (guint)MAX(l->plot_width / 90, 2));
  double free_from = -INFINITY;

  if (l->x.logarithmic && self->series->len > 0) {
    const MsChartSeries *first = self->series->pdata[0];
    g_array_set_size(ticks, 0);
    for (guint i = 0; i < first->points->len; i++)
      g_array_append_val(ticks, g_array_index(first->points, MsChartPoint, i).x);
  }
  ms_chart_set_colour(cr, paint->faint_text);
  for (guint i = 0; i < ticks->len; i++) {
    MsChartPoint place = {g_array_index(ticks, double, i), 0, 0, 0};
    g_autofree char *text = ms_scale_format_count(place.x);
    double width = ms_chart_text_width(cr, text);
    double x = ms_chart_point_x(self, l, 0, &place);
    if (x - width / 2 < free_from)
      continue;
    show_text(cr, x - width / 2, l->top + l->plot_height + 18, text);
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
    show_text(cr, -ms_chart_text_width(cr, label), 4, label);
    cairo_restore(cr);
    return;
  }
  g_autoptr(GPtrArray) lines = wrap_text(cr, label, slot - 8);
  for (guint i = 0; i < lines->len; i++)
    show_text(cr, x - ms_chart_text_width(cr, lines->pdata[i]) / 2, y + 14.0 * i, lines->pdata[i]);
}

static void
draw_x_axis(const MsChart *self, cairo_t *cr, const MsChartPaint *paint, const MsChartLayout *l)
{
  if (self->type == MS_CHART_LINES) {
    draw_numeric_x_axis(self, cr, paint, l);
    return;
  }
  double slot = l->plot_width / MAX(self->categories->len, 1);
  ms_chart_set_colour(cr, paint->text);
  for (guint i = 0; i < self->categories->len; i++)
    draw_category(cr, l, self->categories->pdata[i], l->left + (i + 0.5) * slot, slot);
}

static void
draw_whisker(cairo_t *cr, const MsChartPaint *paint, const MsChartLayout *l, double x, const MsChartPoint *p)
{
  if (!isfinite(p->low) || !isfinite(p->high))
    return;
  double top = ms_chart_point_y(l, p->high), bottom = ms_chart_point_y(l, p->low);
  if (bottom - top < 1.0)
    return;
  cairo_save(cr);
  cairo_set_dash(cr, NULL, 0, 0);
  ms_chart_set_colour(cr, paint->text);
  cairo_set_line_width(cr, 1.3);
  cairo_move_to(cr, x, top);
  cairo_line_to(cr, x, bottom);
  cairo_move_to(cr, x - 4, top);
  cairo_line_to(cr, x + 4, top);
  cairo_move_to(cr, x - 4, bottom);
  cairo_line_to(cr, x + 4, bottom);
  cairo_stroke(cr);
  cairo_restore(cr);
}

static void
draw_bar_value(cairo_t *cr, const MsChartPaint *paint, double x, double y, double value, double room)
{
  double unit = value != 0 ? pow(10.0, floor(log10(fabs(value))) - 2) : 1.0;
  g_autofree char *text = ms_scale_format(round(value / unit) * unit); /* three digits are enough to read off a bar */

  use_font(cr, SMALL_FONT, FALSE);
  double width = ms_chart_text_width(cr, text);
  ms_chart_set_colour(cr, paint->text);
  if (width <= room + 2)
    show_text(cr, x - width / 2, y - 5, text);
  use_font(cr, MS_CHART_FONT, FALSE);
}

static void
draw_bars(const MsChart *self, cairo_t *cr, const MsChartPaint *paint, const MsChartLayout *l, guint index)
{
  const MsChartSeries *series = self->series->pdata[index];
  double width = ms_chart_bar_width(self, l);
  gboolean label = self->type == MS_CHART_BARS && ms_chart_n_points(self) <= LABELLED_BARS;
  guint before;

  for (guint i = 0; i < series->points->len; i++) {
    const MsChartPoint *p = &g_array_index(series->points, MsChartPoint, i);
    double base = ms_chart_stack_base(self, index, p->x);
    double x = ms_chart_point_x(self, l, index, p);
    double top = ms_chart_point_y(l, base + p->y);
    double bottom = base > 0 ? ms_chart_point_y(l, base) : l->top + l->plot_height;
    cairo_rectangle(cr, x - width / 2 + 1, top, MAX(width - 2, 1.0), MAX(bottom - top, 0.5));
    ms_chart_fill_hatched(cr, paint, series->style, series->published);
    draw_whisker(cr, paint, l, x, p);
    if (label)
      draw_bar_value(cr, paint, x, isfinite(p->high) ? MIN(ms_chart_point_y(l, p->high), top) : top, p->y,
                     bars_at(self, p->x, 0, &before) > 1 ? width : 2 * width);
  }
}

static void
draw_line(const MsChart *self, cairo_t *cr, const MsChartPaint *paint, const MsChartLayout *l, guint index)
{
  const MsChartSeries *series = self->series->pdata[index];

  cairo_save(cr);
  ms_chart_set_colour(cr, series->published ? paint->text : paint->series[series->style % MS_CHART_N_STYLES]);
  ms_chart_set_dash(cr, series->style, series->published);
  cairo_set_line_width(cr, 2.0);
  cairo_new_path(cr);
  for (guint i = 0; i < series->points->len; i++) {
    const MsChartPoint *p = &g_array_index(series->points, MsChartPoint, i);
    cairo_line_to(cr, ms_chart_point_x(self, l, index, p), ms_chart_point_y(l, p->y));
  }
  cairo_stroke(cr);
  for (guint i = 0; i < series->points->len; i++) {
    const MsChartPoint *p = &g_array_index(series->points, MsChartPoint, i);
    double x = ms_chart_point_x(self, l, index, p);
    draw_whisker(cr, paint, l, x, p);
    ms_chart_draw_marker(cr, paint, series->style, series->published, x, ms_chart_point_y(l, p->y));
  }
  cairo_restore(cr);
}

/**
 * ms_chart_draw:
 * @cr: where to draw; its clip and transformation are respected
 * @width: of the drawing, in user units; 720 by 440 reads well
 * @height: of the drawing
 *
 * Draws background, titles, legend, axes and data. Series differ by colour and by hatch or marker and dash.
 */
void
ms_chart_draw(const MsChart *self, cairo_t *cr, double width, double height, MsChartTheme theme)
{
  const MsChartPaint *paint = ms_chart_paint(theme);

  cairo_save(cr);
  cairo_rectangle(cr, 0, 0, width, height);
  ms_chart_set_colour(cr, paint->background);
  cairo_fill(cr);
  MsChartLayout layout = ms_chart_layout(self, cr, width, height);
  draw_titles(self, cr, paint, &layout);
  draw_legend(self, cr, paint, &layout);
  if (ms_chart_n_points(self) == 0) {
    show_text(cr, layout.left, layout.top + layout.plot_height / 2,
              self->empty_text ? self->empty_text : "Nothing could be measured.");
  } else {
    draw_y_axis(cr, paint, &layout);
    draw_x_axis(self, cr, paint, &layout);
  }
  for (guint i = 0; i < self->series->len; i++)
    (self->type == MS_CHART_LINES ? draw_line : draw_bars)(self, cr, paint, &layout, i);
  cairo_restore(cr);
}
