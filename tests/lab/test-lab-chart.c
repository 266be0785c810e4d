/* SPDX-License-Identifier: MIT */
/* The layout of charts: what labels and legends may take, and what is left for what they show. */
#include <cairo.h>

#include "core/chart/chart-private.h"
#include "tests/support/fixture.h"

static MsChart *
chart_of(guint n_series)
{
  MsChart *chart = ms_chart_new(MS_CHART_BARS, "Title");

  ms_chart_add_category(chart, "left");
  for (guint i = 0; i < n_series; i++) {
    g_autofree char *label = g_strdup_printf("the series with number %u", i);
    guint series = ms_chart_add_series(chart, label, FALSE);
    ms_chart_add_point(chart, series, 0, i + 1, i + 1, i + 1);
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
    ms_chart_draw(chart, cr, 910, 300, MS_CHART_LIGHT);
  }
  g_assert_cmpint(cairo_status(cr), ==, CAIRO_STATUS_SUCCESS);
  cairo_destroy(cr);
  cairo_surface_destroy(surface);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/lab-chart/legend-leaves-room", test_legend_leaves_room);
  return g_test_run();
}
