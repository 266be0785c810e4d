/* SPDX-License-Identifier: MIT */
#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <math.h>

#include "core/chart/chart-private.h"
#include "core/error.h"
#include "core/text.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC(cairo_t, cairo_destroy)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(cairo_surface_t, cairo_surface_destroy)

static void
free_series(gpointer data)
{
  MsChartSeries *series = data;

  g_free(series->label);
  g_array_unref(series->points);
  g_free(series);
}

MsChart *
ms_chart_new(MsChartType type, const char *title)
{
  MsChart *self = g_atomic_rc_box_new0(MsChart);

  self->type = type;
  self->title = g_strdup(title);
  self->least = self->most = NAN;
  self->categories = g_ptr_array_new_with_free_func(g_free);
  self->series = g_ptr_array_new_with_free_func(free_series);
  return self;
}

MsChart *
ms_chart_ref(MsChart *self)
{
  return g_atomic_rc_box_acquire(self);
}

static void
clear_chart(gpointer data)
{
  MsChart *self = data;

  g_free(self->title);
  g_free(self->subtitle);
  g_free(self->note);
  g_free(self->empty_text);
  g_free(self->x.title);
  g_free(self->y.title);
  g_ptr_array_unref(self->categories);
  g_ptr_array_unref(self->series);
  g_clear_pointer(&self->panel, ms_chart_unref);
}

void
ms_chart_unref(MsChart *self)
{
  if (self)
    g_atomic_rc_box_release_full(self, clear_chart);
}

/** ms_chart_set_language: the language of the chart's own texts, beside those that callers set; English by default. */
void
ms_chart_set_language(MsChart *self, MsLanguage language)
{
  self->language = language;
}

/** ms_chart_set_title: (nullable): the heading, which only the uppermost panel has. */
void
ms_chart_set_title(MsChart *self, const char *title)
{
  g_free(self->title);
  self->title = g_strdup(title);
}

/** ms_chart_set_subtitle: (nullable): a smaller line below the title: the device, the size of the problem. */
void
ms_chart_set_subtitle(MsChart *self, const char *subtitle)
{
  g_free(self->subtitle);
  self->subtitle = g_strdup(subtitle);
}

/** ms_chart_set_note: (nullable): a sentence below the subtitle, in as many as three lines. */
void
ms_chart_set_note(MsChart *self, const char *note)
{
  g_free(self->note);
  self->note = g_strdup(note);
}

/** ms_chart_set_empty_text: (nullable): text shown when there are no points. */
void
ms_chart_set_empty_text(MsChart *self, const char *text)
{
  g_free(self->empty_text);
  self->empty_text = g_strdup(text);
}

void
ms_chart_set_x_axis(MsChart *self, const char *title, gboolean logarithmic)
{
  g_free(self->x.title);
  self->x.title = g_strdup(title);
  self->x.logarithmic = logarithmic;
}

void
ms_chart_set_y_axis(MsChart *self, const char *title, gboolean logarithmic)
{
  g_free(self->y.title);
  self->y.title = g_strdup(title);
  self->y.logarithmic = logarithmic;
}

/** ms_chart_set_y_values: values that the y axis shows in any case, so that panels have the same axis. */
void
ms_chart_set_y_values(MsChart *self, double least, double most)
{
  self->least = least;
  self->most = most;
}

guint
ms_chart_add_category(MsChart *self, const char *label)
{
  g_ptr_array_add(self->categories, g_strdup(label));
  return self->categories->len - 1;
}

guint
ms_chart_add_series(MsChart *self, const char *label, gboolean published)
{
  MsChartSeries *series = g_new0(MsChartSeries, 1);

  series->label = g_strdup(label);
  series->style = (MsChartStyle){published ? self->n_published++ : self->n_measured++, published};
  series->points = g_array_new(FALSE, FALSE, sizeof(MsChartPoint));
  g_ptr_array_add(self->series, series);
  return self->series->len - 1;
}

void
ms_chart_add_point(MsChart *self, guint series, MsChartPoint point)
{
  g_return_if_fail(series < self->series->len);
  if (isfinite(point.x) && isfinite(point.y))
    g_array_append_val(((MsChartSeries *)self->series->pdata[series])->points, point);
}

/**
 * ms_chart_set_panel:
 * @panel: (transfer full): a chart for values in another unit, which may have a panel itself; it is drawn below this
 *   one, or beside it if it has a title and there is not enough height
 */
void
ms_chart_set_panel(MsChart *self, MsChart *panel)
{
  g_clear_pointer(&self->panel, ms_chart_unref);
  self->panel = panel;
}

/** ms_chart_n_panels: how many panels are drawn below, for each of which a drawing should be higher. */
guint
ms_chart_n_panels(const MsChart *self)
{
  return self->panel ? 1 + ms_chart_n_panels(self->panel) : 0;
}

/** ms_chart_n_points: the number of points of all series, without those of the panels below. */
guint
ms_chart_n_points(const MsChart *self)
{
  guint n = 0;

  for (guint i = 0; i < self->series->len; i++)
    n += ((MsChartSeries *)self->series->pdata[i])->points->len;
  return n;
}

static char *
point_text(const MsChart *self, const MsChartSeries *series, const MsChartPoint *point)
{
  g_autofree char *x = ms_number_text(point->x);
  const gboolean range = ms_chart_is_range(series->style, point);
  g_autofree char *low = ms_number_text(range ? point->low : point->y);
  g_autofree char *high = ms_number_text(point->high);
  gboolean named = self->type != MS_CHART_LINES && point->x >= 0 && point->x < self->categories->len;
  const char *place = named ? self->categories->pdata[(guint)point->x] : x;

  return g_strdup_printf("%s, %s: %s%s%s", series->label, place, low, range ? "–" : "", range ? high : "");
}

static void
describe_into(const MsChart *self, GString *text)
{
  g_string_append_printf(text, " %s.", self->y.title ? self->y.title : "");
  for (guint i = 0; i < self->series->len; i++) {
    const MsChartSeries *series = self->series->pdata[i];
    for (guint k = 0; k < series->points->len; k++) {
      g_autofree char *one = point_text(self, series, &g_array_index(series->points, MsChartPoint, k));
      g_string_append_printf(text, " %s.", one);
    }
  }
  if (self->panel)
    describe_into(self->panel, text);
}

/** ms_chart_describe: (transfer full): the chart as text, for screen readers. */
char *
ms_chart_describe(const MsChart *self)
{
  g_autoptr(GString) text = g_string_new(self->title);

  g_string_append_printf(text, ".%s%s", self->note ? " " : "", self->note ? self->note : "");
  describe_into(self, text);
  return g_string_free(g_steal_pointer(&text), FALSE);
}

/* A point of a chart or of a panel below it. */
typedef struct {
  const MsChart *chart;
  const MsChartSeries *series;
  const MsChartPoint *point; /* (nullable): none is within reach */
} Place;

/* The nearest point within reach of @x and @y in a drawing of @width by @height. */
static Place
find_place(const MsChart *self, double width, double height, double x, double y)
{
  g_autoptr(cairo_surface_t) surface = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1);
  g_autoptr(cairo_t) cr = cairo_create(surface);
  const double whole_width = width, whole_height = height;
  double next_x, next_y;
  ms_chart_next_panel(self, &width, &height, &next_x, &next_y);
  if (self->panel && x > next_x && y > next_y)
    return find_place(self->panel, whole_width - next_x, whole_height - next_y, x - next_x, y - next_y);
  MsChartLayout layout = ms_chart_layout(self, cr, width, height);
  double reach = MAX(12.0, self->type == MS_CHART_LINES ? 0.0 : ms_chart_bar_width(self, &layout) / 2);
  double best = INFINITY;
  Place found = {self, NULL, NULL};

  for (guint i = 0; i < self->series->len; i++) {
    const MsChartSeries *series = self->series->pdata[i];
    for (guint k = 0; k < series->points->len; k++) {
      const MsChartPoint *point = &g_array_index(series->points, MsChartPoint, k);
      double top = ms_chart_point_y(&layout, point->y + ms_chart_stack_base(self, i, point->x));
      double dx = fabs(ms_chart_point_x(self, &layout, i, point) - x);
      double foot = ms_chart_point_y(&layout, ms_chart_foot(&layout));
      double outside = fmax(fmin(top, foot) - y, top > foot ? y - top : 0.0);
      double dy = self->type == MS_CHART_LINES ? fabs(top - y) : fmax(outside, 0.0);
      double distance = hypot(dx, dy);
      if (dx > reach || distance > reach || distance >= best)
        continue;
      best = distance;
      found = (Place){self, series, point};
    }
  }
  return found;
}

/**
 * ms_chart_point_at:
 * @width: of the drawing
 * @height: of the drawing
 * @x: of the pointer
 * @y: of the pointer
 *
 * Returns: (transfer full) (nullable): series, place and value of the nearest point within reach, for a tooltip
 */
char *
ms_chart_point_at(const MsChart *self, double width, double height, double x, double y)
{
  const Place place = find_place(self, width, height, x, y);

  return place.point ? point_text(place.chart, place.series, place.point) : NULL;
}

/** ms_chart_row_at: as ms_chart_point_at(): the #MsChartPoint.row of that point, or 0 */
guint
ms_chart_row_at(const MsChart *self, double width, double height, double x, double y)
{
  const Place place = find_place(self, width, height, x, y);

  return place.point ? place.point->row : 0;
}

static gboolean
check_drawn(cairo_status_t status, GError **error)
{
  if (status == CAIRO_STATUS_SUCCESS)
    return TRUE;
  ms_set_error(error, MS_ERROR_IO, "The chart could not be drawn: %s.", cairo_status_to_string(status));
  return FALSE;
}

static cairo_status_t
append_bytes(void *closure, const unsigned char *data, unsigned int length)
{
  g_byte_array_append(closure, data, length);
  return CAIRO_STATUS_SUCCESS;
}

typedef cairo_surface_t *(*CreateSurface)(cairo_write_func_t write, void *closure, double width, double height);

static GByteArray *
draw_vectors(const MsChart *self, CreateSurface create, const MsChartPage *page, GError **error)
{
  g_autoptr(GByteArray) bytes = g_byte_array_new();
  g_autoptr(cairo_surface_t) surface = create(append_bytes, bytes, page->width, page->height);
  g_autoptr(cairo_t) cr = cairo_create(surface);

  ms_chart_draw(self, cr, page);
  cairo_surface_finish(surface);
  return check_drawn(cairo_surface_status(surface), error) ? g_steal_pointer(&bytes) : NULL;
}

/** ms_chart_to_svg: (transfer full): the drawing, in points, its letters as outlines; %NULL with an error. */
GByteArray *
ms_chart_to_svg(const MsChart *self, const MsChartPage *page, GError **error)
{
  return draw_vectors(self, cairo_svg_surface_create_for_stream, page, error);
}

/** ms_chart_to_pdf: like ms_chart_to_svg(), with text that can be searched and copied. */
GByteArray *
ms_chart_to_pdf(const MsChart *self, const MsChartPage *page, GError **error)
{
  return draw_vectors(self, cairo_pdf_surface_create_for_stream, page, error);
}

/** ms_chart_to_png: like ms_chart_to_svg(), in pixels. */
GByteArray *
ms_chart_to_png(const MsChart *self, const MsChartPage *page, GError **error)
{
  g_autoptr(GByteArray) bytes = g_byte_array_new();
  g_autoptr(cairo_surface_t) surface =
    cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)ceil(page->width), (int)ceil(page->height));
  g_autoptr(cairo_t) cr = cairo_create(surface);

  ms_chart_draw(self, cr, page);
  return check_drawn(cairo_surface_write_to_png_stream(surface, append_bytes, bytes), error) ? g_steal_pointer(&bytes)
                                                                                             : NULL;
}
