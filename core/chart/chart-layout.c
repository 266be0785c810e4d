/* SPDX-License-Identifier: MIT */
/* Layout of a chart: scales with rounded ends and ticks, space for labels, positions of bars and points. */
#include <math.h>
#include <string.h>

#include "core/chart/chart-private.h"
#include "core/text.h"

#define GROUP_FILL 0.8
#define TITLED_PANEL 1.22 /* height of the panel with the titles over that of one without */
#define SHORTENED_FROM 12
#define VALUE_HEADROOM 0.06 /* of the axis above the highest bar, whose value stands below the title */

/* The largest of 1, 2, 5 times a power of ten that is not above @value. */
static double
round_down_125(double value)
{
  double power = pow(10.0, floor(log10(value)));
  double digit = value / power;

  return power * (digit >= 5.0 - 1e-9 ? 5.0 : digit >= 2.0 - 1e-9 ? 2.0 : 1.0);
}

static double
nice_step(double range, guint wanted)
{
  double raw = range / MAX(wanted, 1);
  double step = round_down_125(raw);

  while (range / step > wanted * 1.5)
    step = round_down_125(step * 2.5);
  return step;
}

static MsScale
logarithmic_scale(double minimum, double maximum)
{
  double low = pow(10.0, floor(log10(minimum * 0.999))); /* a power of ten below the least value */
  double high = round_down_125(maximum);

  while (high < maximum)
    high = round_down_125(high * 2.5);
  if (high <= low)
    high = low * 10.0;
  return (MsScale){low, high, TRUE};
}

/**
 * ms_scale_for_range:
 * @minimum: smallest value to show
 * @maximum: largest value to show
 * @logarithmic: ignored where a value is not positive
 * @from_zero: whether a linear scale must contain 0, as bars need
 */
MsScale
ms_scale_for_range(double minimum, double maximum, gboolean logarithmic, gboolean from_zero)
{
  if (!isfinite(minimum) || !isfinite(maximum))
    return (MsScale){0.0, 1.0, FALSE};
  if (logarithmic && minimum > 0)
    return logarithmic_scale(minimum, maximum);
  if (from_zero) {
    minimum = MIN(minimum, 0.0);
    maximum = MAX(maximum, 0.0);
  }
  if (maximum <= minimum)
    maximum = minimum + MAX(fabs(minimum), 1.0);
  double step = nice_step(maximum - minimum, 5);
  return (MsScale){floor(minimum / step + 1e-9) * step, ceil(maximum / step - 1e-9) * step, FALSE};
}

double
ms_scale_map(const MsScale *self, double value)
{
  if (!self->logarithmic)
    return (value - self->minimum) / (self->maximum - self->minimum);
  value = MAX(value, self->minimum);
  return log(value / self->minimum) / log(self->maximum / self->minimum);
}

static void
add_tick(GArray *ticks, double value)
{
  g_array_append_val(ticks, value);
}

static GArray *
logarithmic_ticks(const MsScale *self, guint wanted)
{
  GArray *ticks = g_array_new(FALSE, FALSE, sizeof(double));
  double decades = log10(self->maximum / self->minimum);
  int every = decades > 1.5 * wanted ? (int)ceil(decades / wanted) : 1;
  gboolean fine = decades * 3 <= wanted * 1.6;
  int index = 0;

  for (double power = pow(10.0, floor(log10(self->minimum))); power <= self->maximum * 1.0001; power *= 10.0, index++)
    for (int i = 0; i < (fine ? 3 : 1); i++) {
      double value = power * (i == 0 ? 1.0 : i == 1 ? 2.0 : 5.0);
      if (value >= self->minimum * 0.999 && value <= self->maximum * 1.001 && index % every == 0)
        add_tick(ticks, value);
    }
  return ticks;
}

/** ms_scale_ticks: (transfer full) (element-type double): round values, about @wanted of them. */
GArray *
ms_scale_ticks(const MsScale *self, guint wanted)
{
  if (self->logarithmic)
    return logarithmic_ticks(self, wanted);
  GArray *ticks = g_array_new(FALSE, FALSE, sizeof(double));
  double step = nice_step(self->maximum - self->minimum, wanted);
  for (double k = ceil(self->minimum / step - 1e-9); k * step <= self->maximum + step * 1e-6; k += 1.0)
    add_tick(ticks, k * step + 0.0); /* + 0.0: no "-0" */
  return ticks;
}

/** ms_scale_format_count: (transfer full): like ms_number_text(), with powers of two from 1024 as 2¹⁰ and so on. */
char *
ms_scale_format_count(double value)
{
  static const char *const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  int exponent;

  if (value < 1024 || frexp(value, &exponent) != 0.5)
    return ms_number_text(value);
  exponent--;
  return g_strconcat("2", exponent >= 10 ? digits[exponent / 10 % 10] : "", digits[exponent % 10], NULL);
}

double
ms_chart_legend_item_width(cairo_t *cr, const MsChartSeries *series)
{
  return 28.0 + ms_chart_text_width(cr, series->label) + 18.0;
}

/* The top of the bars that are stacked below @series at @x; 0 unless bars are stacked. */
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
  extend(&y0, &y1, self->least);
  extend(&y0, &y1, self->most);
  gboolean logarithmic = self->y.logarithmic && self->type != MS_CHART_STACKED;
  if (self->type == MS_CHART_BARS && y1 > 0)
    y1 *= logarithmic && y0 > 0 ? pow(10 * y1 / y0, VALUE_HEADROOM) : 1 + VALUE_HEADROOM;
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

/* The legend takes at most 40 % of the height. */
static guint
most_legend_rows(double height)
{
  return (guint)MAX(height * 0.4 / MS_CHART_LEGEND_ROW, 1);
}

/* The length in bytes of the start that all categories share, up to its last blank; 0 if it is short. */
static gsize
common_start(const MsChart *self)
{
  const char *first = self->categories->len > 1 ? self->categories->pdata[0] : "";
  gsize common = strlen(first);

  for (guint i = 1; i < self->categories->len; i++) {
    const char *other = self->categories->pdata[i];
    gsize n = 0;
    while (n < common && first[n] == other[n])
      n++;
    common = n;
  }
  while (common > 0 && first[common - 1] != ' ')
    common--;
  return common >= SHORTENED_FROM ? common : 0;
}

/** ms_chart_short_category: (transfer full): a category's label with a long start that all share replaced by dots. */
char *
ms_chart_short_category(const MsChart *self, guint index)
{
  const char *label = self->categories->pdata[index];
  gsize common = common_start(self);

  return common > 0 ? g_strconcat("… ", label + common, NULL) : g_strdup(label);
}

static double
widest_category(const MsChart *self, cairo_t *cr)
{
  double widest = 0;

  for (guint i = 0; i < self->categories->len; i++) {
    g_autofree char *label = ms_chart_short_category(self, i);
    widest = fmax(widest, ms_chart_text_width(cr, label));
  }
  return widest;
}

/* Breaks @text at blanks into lines of at most @width; a word that is wider stays whole. */
GPtrArray *
ms_chart_wrap_text(cairo_t *cr, const char *text, double width)
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
    g_autofree char *label = ms_chart_short_category(self, i);
    g_autoptr(GPtrArray) lines = ms_chart_wrap_text(cr, label, width);
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
    g_autofree char *text = ms_number_text(g_array_index(ticks, double, i));
    widest = MAX(widest, ms_chart_text_width(cr, text));
  }
  return widest;
}

/* More lines of a label take more height than slanted labels. */
#define MOST_LINES 5

/* Decides whether the category labels fit side by side or must be slanted, and returns the height that they need. */
static double
label_height(const MsChart *self, cairo_t *cr, MsChartLayout *layout)
{
  double title = self->x.title && *self->x.title ? 20.0 : 0.0;

  if (self->type == MS_CHART_LINES || self->categories->len == 0)
    return 26.0 + title;
  double widest = widest_category(self, cr);
  double slot = layout->plot_width / self->categories->len;
  guint lines = wrapped_lines(self, cr, slot - 8);
  if (lines >= 1 && lines <= MOST_LINES)
    return 12.0 + 14.0 * lines + title;
  layout->label_angle = slot < 22.0 || widest > 160.0 ? G_PI / 2.6 : G_PI / 6;
  return MIN(widest * sin(layout->label_angle) + 26.0, layout->height * 0.45) + title;
}

/** ms_chart_upper_height: the height of the chart itself: @height less that of the panels below. */
double
ms_chart_upper_height(const MsChart *self, double height)
{
  guint below = ms_chart_n_panels(self);

  return below > 0 ? floor(height * TITLED_PANEL / (TITLED_PANEL + below)) : height;
}

/* The least height of one of two charts that are drawn one below the other, if they can be drawn side by side. */
#define LEAST_STACKED 170.0

/**
 * ms_chart_next_panel: shortens @width and @height to those of the chart itself.
 * @x: (out): where the panels after it begin: at its right if they are a chart with a title of its own for which there
 *   is not enough height, else below
 */
void
ms_chart_next_panel(const MsChart *self, double *width, double *height, double *x, double *y)
{
  const gboolean beside =
    ms_chart_n_panels(self) == 1 && self->panel->title && *height<2 * LEAST_STACKED && * width> * height;

  if (beside)
    *width = floor(*width / 2);
  else
    *height = ms_chart_upper_height(self, *height);
  *x = beside ? *width : 0;
  *y = beside ? 0 : *height;
}

static guint
count_note_lines(const MsChart *self, cairo_t *cr, double width)
{
  g_autoptr(GPtrArray) lines = self->note ? ms_chart_wrap_text(cr, self->note, width) : NULL;

  return lines ? MIN(lines->len, MS_CHART_NOTE_MOST) : 0;
}

MsChartLayout
ms_chart_layout(const MsChart *self, cairo_t *cr, double width, double height)
{
  MsChartLayout l = {.width = width, .height = height};

  ms_chart_use_font(cr, MS_CHART_FONT, FALSE);
  find_scales(self, &l);
  l.legend_rows = count_legend_rows(self, cr, width - 2 * MS_CHART_MARGIN);
  l.legend_is_cut = l.legend_rows > most_legend_rows(height);
  l.legend_rows = MIN(l.legend_rows, most_legend_rows(height));
  l.note_top = MS_CHART_MARGIN + (self->title ? MS_CHART_TITLE_FONT + 8 : 0) + (self->subtitle ? 18 : 0);
  l.note_lines = count_note_lines(self, cr, width - 2 * MS_CHART_MARGIN);
  l.legend_top = l.note_top + l.note_lines * MS_CHART_NOTE_ROW + (l.note_lines ? 4 : 0);
  l.left = MS_CHART_MARGIN + widest_y_label(&l, cr) + 10;
  l.top = l.legend_top + l.legend_rows * MS_CHART_LEGEND_ROW + 34;
  l.plot_width = MAX(width - l.left - MS_CHART_MARGIN, 10.0);
  l.plot_height = MAX(height - l.top - label_height(self, cr, &l) - 8, 10.0);
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
guint
ms_chart_bars_at(const MsChart *self, double x, guint series, guint *before)
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
    most = MAX(most, ms_chart_bars_at(self, i, 0, &before));
  return MIN(slot * GROUP_FILL / most, 90.0);
}

/*
 * Centre of the point's bar, or position of its marker. Bars of a category are adjacent, without gaps for missing ones.
 */
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
  guint count = ms_chart_bars_at(self, point->x, series, &before);
  return centre + (before - (count - 1) / 2.0) * ms_chart_bar_width(self, layout);
}

double
ms_chart_point_y(const MsChartLayout *layout, double value)
{
  double share = CLAMP(ms_scale_map(&layout->y, value), 0.0, 1.0);

  return layout->top + (1.0 - share) * layout->plot_height;
}

/** ms_chart_foot: the value on which bars stand: 0, or the lower end of an axis that has no 0. */
double
ms_chart_foot(const MsChartLayout *layout)
{
  return layout->y.minimum < 0 && layout->y.maximum >= 0 ? 0 : layout->y.minimum;
}

/** ms_chart_is_range: whether a point is a published range, whose ends are its @low and @high. */
gboolean
ms_chart_is_range(MsChartStyle style, const MsChartPoint *point)
{
  return style.published && isfinite(point->low) && isfinite(point->high) && point->low < point->high;
}
