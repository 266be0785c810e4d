/* SPDX-License-Identifier: MIT */
/* The layout of charts: the space of labels, legends and data. */
#include <cairo.h>
#include <string.h>

#include "core/chart/chart.h"
#include "core/chart/chart-private.h"

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

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/lab-chart/legend-leaves-room", test_legend_leaves_room);
  g_test_add_func("/lab-chart/values-have-space", test_values_have_space);
  g_test_add_func("/lab-chart/logarithmic-bars", test_logarithmic_bars);
  g_test_add_func("/lab-chart/labels-are-shortened", test_labels_are_shortened);
  g_test_add_func("/lab-chart/panels", test_panels);
  return g_test_run();
}
