/* SPDX-License-Identifier: MIT */
/* The layout of charts: the space of labels, legends and data. */
#include <cairo.h>
#include <math.h>
#include <string.h>

#include "core/chart/chart.h"
#include "core/chart/chart-private.h"
#include "tests/support/cases.h"

static MsChart *
chart_of(guint n_series)
{
  MsChart *chart = ms_chart_new(MS_CHART_BARS, "Title");

  ms_chart_add_category(chart, "left");
  for (guint i = 0; i < n_series; i++) {
    g_autofree char *label = g_strdup_printf("the series with number %u", i);
    guint series = ms_chart_add_series(chart, label, FALSE);
    ms_chart_add_point(chart, series, (MsChartPoint){0, i + 1, i + 1, i + 1});
  }
  return chart;
}

static void
test_legend_leaves_room(void)
{
  static const guint n_series[] = {1, 3, 12, 100};
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, 910, 300);
  cairo_t *cr = cairo_create(surface);

  for (guint i = 0; i < G_N_ELEMENTS(n_series); i++) {
    g_autoptr(MsChart) chart = chart_of(n_series[i]);
    MsChartLayout layout = ms_chart_layout(chart, cr, 910, 300);
    g_assert_cmpint(layout.legend_is_cut, ==, n_series[i] == 100);
    g_assert_cmpfloat(layout.plot_height, >, 300 * 0.2);
    ms_chart_draw(chart, cr, &(MsChartPage){910, 300, MS_CHART_LIGHT});
  }
  g_assert_cmpint(cairo_status(cr), ==, CAIRO_STATUS_SUCCESS);
  cairo_destroy(cr);
  cairo_surface_destroy(surface);
}

/* A wide bar keeps the colour of its series: no line of the hatch leads from one of its tiles to the next. */
static void
test_hatch(void)
{
  const MsChartPaint *paint = ms_chart_paint(MS_CHART_LIGHT);
  const int width = 400, height = 28;

  for (guint number = 0; number < MS_CHART_N_STYLES; number++) {
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
    cairo_t *cr = cairo_create(surface);
    cairo_rectangle(cr, 0, 0, width, height);
    ms_chart_fill_hatched(cr, paint, (MsChartStyle){number, FALSE});
    cairo_surface_flush(surface);
    const int stride = cairo_image_surface_get_stride(surface) / 4;
    const guint32 *pixels = (const guint32 *)(gconstpointer)cairo_image_surface_get_data(surface);
    int clear = 0;
    for (int y = 0; y < height; y++)
      for (int x = 0; x < width; x++)
        clear += (pixels[y * stride + x] & 0xffffff) == paint->background ? 1 : 0;
    g_assert_cmpint(clear, <, width * height / 8);
    cairo_destroy(cr);
    cairo_surface_destroy(surface);
  }
}

/* The value of the highest bar needs space below the title of the axis, also where the bar ends at a round number. */
static void
test_values_have_space(void)
{
  g_autoptr(MsChart) chart = chart_of(5);
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, 900, 480);
  cairo_t *cr = cairo_create(surface);
  MsChartLayout layout = ms_chart_layout(chart, cr, 900, 480);

  g_assert_cmpfloat(ms_chart_point_y(&layout, 5), >=, layout.top + 12);
  ms_chart_set_y_axis(chart, "time", TRUE);
  layout = ms_chart_layout(chart, cr, 900, 480);
  g_assert_cmpfloat(ms_chart_point_y(&layout, 5), >=, layout.top + 12);
  cairo_destroy(cr);
  cairo_surface_destroy(surface);
}

/* Bars on a logarithmic axis start a power of ten below the least, so that the least has a height as well. */
static void
test_logarithmic_bars(void)
{
  MsScale scale = ms_scale_for_range(20, 500, TRUE, TRUE), exact = ms_scale_for_range(10, 500, TRUE, TRUE);

  g_assert_cmpfloat_with_epsilon(scale.minimum, 10, 1e-9);
  g_assert_cmpfloat_with_epsilon(exact.minimum, 1, 1e-9);
  g_assert_cmpfloat(ms_scale_map(&scale, 20), >, 0.1);
}

static void
assert_ticks(const MsScale *scale, guint wanted, const char *expected)
{
  g_autoptr(GArray) ticks = ms_scale_ticks(scale, wanted);
  g_autoptr(GString) text = g_string_new(NULL);

  for (guint i = 0; i < ticks->len; i++)
    g_string_append_printf(text, "%s%.6g", i ? " " : "", g_array_index(ticks, double, i));
  g_assert_cmpstr(text->str, ==, expected);
}

/* Round numbers from the first to the last of a scale. */
static void
test_ticks(void)
{
  const MsScale ten = ms_scale_for_range(1, 9.3, FALSE, TRUE), below = ms_scale_for_range(-3, 4.5, FALSE, FALSE),
                thousand = ms_scale_for_range(20, 900, TRUE, TRUE);

  assert_ticks(&ten, 5, "0 2 4 6 8 10");
  assert_ticks(&below, 5, "-2 0 2 4");
  assert_ticks(&thousand, 6, "10 20 50 100 200 500 1000");
}

/* The common start of labels is removed; the parts that differ stay whole. */
static void
test_labels_are_shortened(void)
{
  g_autoptr(MsChart) chart = ms_chart_new(MS_CHART_BARS, "Title");

  ms_chart_add_category(chart, "the same long start with unroll 1");
  ms_chart_add_category(chart, "the same long start with unroll 16");
  g_autofree char *first = ms_chart_short_category(chart, 0), *second = ms_chart_short_category(chart, 1);
  g_assert_cmpstr(first, ==, "… 1");
  g_assert_cmpstr(second, ==, "… 16");
}

/* A chart and its panels divide the height, and all of them are described. */
static void
test_panels(void)
{
  MsChart *middle = chart_of(2);
  g_autoptr(MsChart) top = chart_of(1);

  ms_chart_set_panel(middle, chart_of(3));
  ms_chart_set_panel(top, middle);
  g_autofree char *words = ms_chart_describe(top);
  g_assert_cmpuint(ms_chart_n_panels(top), ==, 2);
  g_assert_cmpfloat(ms_chart_upper_height(top, 900), >, 300);
  g_assert_cmpfloat(ms_chart_upper_height(top, 900), <, 400);
  g_assert_nonnull(strstr(words, "number 2, left: 3."));
}

/* A panel with a title is drawn beside its chart where one below the other would be too low. */
static void
test_panel_beside(void)
{
  g_autoptr(MsChart) chart = chart_of(1);
  double width = 880, height = 230, x, y;

  ms_chart_set_panel(chart, chart_of(2));
  ms_chart_next_panel(chart, &width, &height, &x, &y);
  g_assert_cmpfloat(width, ==, 440);
  g_assert_cmpfloat(height, ==, 230);
  g_assert_cmpfloat(x, ==, 440);
  g_assert_cmpfloat(y, ==, 0);
  width = height = 600;
  ms_chart_next_panel(chart, &width, &height, &x, &y);
  g_assert_cmpfloat(width, ==, 600);
  g_assert_cmpfloat(height, <, 400);
  g_assert_cmpfloat(y, ==, height);
}

/* Whether anything is drawn in a rectangle of the drawing of @chart. */
static gboolean
has_ink(const MsChart *chart, double x, double y, double width, double height)
{
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, 900, 480);
  cairo_t *cr = cairo_create(surface);
  gboolean ink = FALSE;

  ms_chart_draw(chart, cr, &(MsChartPage){900, 480, MS_CHART_LIGHT});
  cairo_destroy(cr);
  cairo_surface_flush(surface);
  const guint8 *data = cairo_image_surface_get_data(surface);
  for (int row = (int)y; row < (int)(y + height); row++)
    for (int column = (int)x; column < (int)(x + width); column++)
      ink = ink || data[row * cairo_image_surface_get_stride(surface) + 4 * column] != 255;
  cairo_surface_destroy(surface);
  return ink;
}

static MsChartLayout
layout_of(const MsChart *chart)
{
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, 1, 1);
  cairo_t *cr = cairo_create(surface);
  const MsChartLayout layout = ms_chart_layout(chart, cr, 900, 480);

  cairo_destroy(cr);
  cairo_surface_destroy(surface);
  return layout;
}

/* A logarithmic x axis has labels also where the first series could not be measured. */
static void
test_labels_without_first_series(void)
{
  g_autoptr(MsChart) chart = ms_chart_new(MS_CHART_LINES, "Title");

  ms_chart_set_x_axis(chart, NULL, TRUE);
  ms_chart_add_series(chart, "could not be measured", FALSE);
  guint series = ms_chart_add_series(chart, "measured", FALSE);
  ms_chart_add_point(chart, series, (MsChartPoint){1024, 3, NAN, NAN});
  ms_chart_add_point(chart, series, (MsChartPoint){4096, 4, NAN, NAN});
  const MsChartLayout layout = layout_of(chart);
  g_assert_true(has_ink(chart, layout.left, layout.top + layout.plot_height + 6, 40, 20));
}

/* A bar of a negative value hangs from 0. */
static void
test_negative_bars(void)
{
  g_autoptr(MsChart) chart = ms_chart_new(MS_CHART_BARS, "Title");
  guint series = ms_chart_add_series(chart, "extra", FALSE);

  ms_chart_add_category(chart, "left");
  ms_chart_add_category(chart, "right");
  ms_chart_add_point(chart, series, (MsChartPoint){0, -0.5, NAN, NAN});
  ms_chart_add_point(chart, series, (MsChartPoint){1, -1, NAN, NAN});
  const MsChartLayout layout = layout_of(chart);
  const MsChartPoint first = {0, -0.5, NAN, NAN};
  const double x = ms_chart_point_x(chart, &layout, series, &first) - 10;
  g_assert_cmpfloat(ms_chart_foot(&layout), ==, 0);
  g_assert_true(has_ink(chart, x, ms_chart_point_y(&layout, -0.25), 20, 2));
  g_assert_false(has_ink(chart, x, ms_chart_point_y(&layout, -0.95), 20, 2));
}

/* A published range is an area from end to end, without a line through its middle. */
static void
test_published_range(void)
{
  for (MsChartType type = MS_CHART_BARS; type <= MS_CHART_LINES; type++) {
    g_autoptr(MsChart) chart = ms_chart_new(type, "Title");
    guint series = ms_chart_add_series(chart, "published", TRUE);
    for (guint i = 0; i < 2; i++) {
      ms_chart_add_category(chart, "place");
      ms_chart_add_point(chart, series, (MsChartPoint){i, 3, 2, 4});
    }
    const MsChartLayout layout = layout_of(chart);
    const MsChartPoint first = {0, 3, 2, 4};
    const double x = ms_chart_point_x(chart, &layout, series, &first) + 20;
    g_autofree char *words = ms_chart_describe(chart);
    g_assert_nonnull(strstr(words, "published, place: 2–4.") ?: strstr(words, "published, 0: 2–4."));
    g_assert_true(has_ink(chart, x, ms_chart_point_y(&layout, 4) - 2, 20, 4));
    g_assert_true(has_ink(chart, x, ms_chart_point_y(&layout, 2) - 2, 20, 4));
    g_assert_false(has_ink(chart, x, ms_chart_point_y(&layout, 1.7) - 2, 20, 4));
    g_assert_cmpint(has_ink(chart, x, ms_chart_point_y(&layout, 3.3) - 2, 20, 4), ==, type == MS_CHART_LINES);
  }
}

/* Whether letters look like themselves: a font that lacks them draws one box for all. */
static void
test_letters(void)
{
  if (!g_test_subprocess()) {
    g_setenv("FC_LANG", "zh-cn", TRUE); /* is read when the first font is chosen */
    g_test_trap_subprocess(NULL, 0, 0);
    g_test_trap_assert_passed();
    return;
  }
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, 10, 10);
  cairo_t *cr = cairo_create(surface);
  ms_chart_use_font(cr, 12, FALSE);
  const double narrow = ms_chart_text_width(cr, "iiii"), wide = ms_chart_text_width(cr, "WWWW");
  g_assert_cmpfloat(narrow, <, wide);
  /* A text of both scripts is as wide as its parts. */
  const double chinese = ms_chart_text_width(cr, "\u4e2d\u4f4d\u6570"),
               both = ms_chart_text_width(cr, "iiii\u4e2d\u4f4d\u6570WWWW");
  g_assert_cmpfloat_with_epsilon(both, narrow + chinese + wide, 1);
  cairo_destroy(cr);
  cairo_surface_destroy(surface);
}

/* A title of a stranger's file does not spoil an SVG file, whose letters are outlines. */
static void
test_svg_is_well_formed(void)
{
  g_autoptr(MsChart) chart = ms_chart_new(MS_CHART_BARS, "A <script> & \033 Ω");
  g_autoptr(GError) error = NULL;
  guint series = ms_chart_add_series(chart, "ours", FALSE);
  g_autoptr(GMarkupParseContext) context = g_markup_parse_context_new(&(GMarkupParser){0}, 0, NULL, NULL);

  for (guint i = 0; i < 12; i++) /* too many to stand side by side, so that they are turned */
    ms_chart_add_category(chart, "a category with a long name");
  ms_chart_add_point(chart, series, (MsChartPoint){0, 2, 2, 2});
  g_autoptr(GByteArray) svg = ms_chart_to_svg(chart, &(MsChartPage){400, 300, MS_CHART_DARK}, &error);
  g_assert_no_error(error);
  g_assert_true(g_markup_parse_context_parse(context, (const char *)svg->data, svg->len, &error) &&
                g_markup_parse_context_end_parse(context, &error));
  g_assert_no_error(error);
  g_assert_null(g_strstr_len((const char *)svg->data, svg->len, "script"));
}

void
ms_test_lab_chart(void)
{
  g_test_add_func("/lab-chart/legend-leaves-room", test_legend_leaves_room);
  g_test_add_func("/lab-chart/hatch", test_hatch);
  g_test_add_func("/lab-chart/letters", test_letters);
  g_test_add_func("/lab-chart/values-have-space", test_values_have_space);
  g_test_add_func("/lab-chart/logarithmic-bars", test_logarithmic_bars);
  g_test_add_func("/lab-chart/ticks", test_ticks);
  g_test_add_func("/lab-chart/labels-are-shortened", test_labels_are_shortened);
  g_test_add_func("/lab-chart/panels", test_panels);
  g_test_add_func("/lab-chart/panel-beside", test_panel_beside);
  g_test_add_func("/lab-chart/labels-without-first-series", test_labels_without_first_series);
  g_test_add_func("/lab-chart/negative-bars", test_negative_bars);
  g_test_add_func("/lab-chart/published-range", test_published_range);
  g_test_add_func("/lab-chart/svg", test_svg_is_well_formed);
}
