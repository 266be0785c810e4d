/* SPDX-License-Identifier: MIT */
/* The charts of a report: their series, their drawing, and the tooltip at the pointer. */
#include <libintl.h>
#include <locale.h>
#include <math.h>
#include <string.h>

#include "core/chart/chart-private.h"
#include "core/chart/chart.h"
#include "core/lab/experiment/experiment-file.h"
#include "core/lab/report/report-metric.h"
#include "core/lab/report/report.h"
#include "tests/lab/report-fixture.h"
#include "tests/support/cases.h"

static void
test_chart_of_report(void)
{
  g_autoptr(MsReport) report = ms_report_fixture_new(1);
  g_autoptr(MsChart) chart = ms_report_to_chart(report, MS_LANGUAGE_ENGLISH);
  g_autofree char *words = ms_chart_describe(chart);

  /* four verified rows, one published time; the published ratio is no time and stands in the second panel */
  g_assert_cmpuint(ms_chart_n_points(chart), ==, 5);
  g_assert_cmpuint(ms_chart_n_panels(chart), ==, 1);
  g_assert_nonnull(strstr(words, "buffer, 4: 2.5"));
  g_assert_nonnull(strstr(words, "published, Old GPU: buffer, 4: 2.5"));
  const char *second = strstr(words, "Speed-up over the baseline");
  g_assert_nonnull(second);
  g_assert_nonnull(strstr(second, "published, Older GPU: buffer, 4: 1.2–1.4."));
  g_assert_nonnull(strstr(second, "buffer, 4: 4."));
  g_assert_cmpuint(second - words, <, strstr(words, "Older GPU") - words);
}

/* What the window shows is translated; what is saved is not, in the same process. */
static void
test_languages(void)
{
  g_autofree char *folder = g_build_filename(g_getenv("G_TEST_BUILDDIR"), "..", "data", "po", NULL);
  g_autoptr(MsReport) report = ms_report_fixture_new(1);

  if (!setlocale(LC_MESSAGES, "zh_CN.UTF-8")) {
    g_test_skip("No Chinese locale could be made here (package locales).");
    return;
  }
  g_setenv("LANGUAGE", "zh_CN", TRUE);
  bindtextdomain(GETTEXT_PACKAGE, folder);
  bind_textdomain_codeset(GETTEXT_PACKAGE, "UTF-8");
  g_autoptr(GPtrArray) shown = ms_report_table(report, MS_LANGUAGE_USER);
  g_autoptr(GPtrArray) saved = ms_report_table(report, MS_LANGUAGE_ENGLISH);
  g_autoptr(MsChart) chart = ms_report_to_chart(report, MS_LANGUAGE_USER);
  g_autofree char *text = ms_report_to_text(report);
  setlocale(LC_MESSAGES, "C");
  g_unsetenv("LANGUAGE");
  g_assert_cmpstr(g_ptr_array_index((GPtrArray *)shown->pdata[0], 1), ==, "中位数 ms");
  g_assert_cmpstr(g_ptr_array_index((GPtrArray *)saved->pdata[0], 1), ==, "median ms");
  g_assert_true(g_str_has_prefix(chart->y.title, "时间，ms（越低越好）"));
  g_assert_nonnull(strstr(text, "configuration "));
  for (const char *at = text; *at; at = g_utf8_next_char(at))
    g_assert_cmpint(g_unichar_get_script(g_utf8_get_char(at)), !=, G_UNICODE_SCRIPT_HAN);
}

/* Watts above joules above the published ratio of the powers, each of its own panel, and the counter's name. */
static void
test_chart_of_energy(void)
{
  g_autoptr(MsExperiment) e = ms_experiment_parse(
    "energy",
    "[Experiment]\nTitle=Energy\nKind=mean-shift\n[Axes]\nunroll=1;2\n[Plot]\nX=unroll\nY=power\nY2=energy\n"
    "[Published Old GPU]\nQuantity=power-ratio\nUnit=×\nValues=unroll:2 0.93\n",
    -1, NULL);
  g_autoptr(GPtrArray) all = ms_experiment_expand(e, FALSE);
  g_autoptr(MsReport) report = ms_report_new(e);

  for (guint i = 0; i < all->len; i++) {
    MsReportRow *row = ms_report_add_row(report, all->pdata[i], "row", "one group");
    ms_report_fixture_fill_row(report, i, 10);
    row->measurement->watts = 200 - 50 * i;
    row->measurement->joules = 7 + i;
    row->measurement->energy_source = g_strdup("counter of the test");
  }
  ms_report_rank(report);
  g_autofree char *json = ms_report_to_json(report);
  g_autoptr(MsReport) again = ms_report_fixture_read(json, -1, NULL);
  g_autoptr(MsChart) chart = ms_report_to_chart(again, MS_LANGUAGE_ENGLISH);
  g_autofree char *words = ms_chart_describe(chart);
  g_autofree char *footer = ms_report_footer(again, MS_LANGUAGE_ENGLISH);
  const char *watts = strstr(words, "Mean power, W"), *joules = strstr(words, "Energy of one run, J");
  const char *ratios = strstr(words, "Power over that of the baseline");

  g_assert_cmpuint(ms_chart_n_panels(chart), ==, 2);
  g_assert_true(watts && joules > watts && ratios > joules);
  g_assert_nonnull(strstr(watts, "measured, 2: 150."));
  g_assert_nonnull(strstr(joules, "measured, 2: 8."));
  g_assert_nonnull(strstr(ratios, "measured, 2: 0.75."));
  g_assert_nonnull(strstr(ratios, "Old GPU, 2: 0.93."));
  g_assert_nonnull(strstr(footer, "counter of the test"));
  g_assert_cmpfloat(ms_report_row_metric(ms_report_fixture_row(again, 1), "extra-time-us"), ==, 0);
}

/* With --quick the subtitle gives the size of the published values, where any are drawn. */
static void
test_size_of_published_values(void)
{
  static const char text[] = "[Experiment]\nTitle=Sizes\nKind=mean-shift\n[Axes]\nsize=%s\nunroll=1;2\n"
                             "[Quick Axes]\nsize=%s\nunroll=%s\n[Plot]\nX=unroll\n"
                             "[Published Old GPU]\nQuantity=time\nUnit=ms\nValues=unroll:2 5\n";
  static const struct {
    const char *sizes, *quick_sizes, *quick_unrolls, *says;
  } cases[] = {
    {"2560x2560", "128x128", "1;2", " · quick, published values at size 2560x2560"},
    {"2560x2560;64x64", "128x128;8x8", "1;2", " · quick, published values at full size"},
    {"2560x2560", "128x128", "1", " · quick"},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *file = g_strdup_printf(text, cases[i].sizes, cases[i].quick_sizes, cases[i].quick_unrolls);
    g_autoptr(MsExperiment) e = ms_experiment_parse("sizes", file, -1, NULL);
    g_autoptr(GPtrArray) all = ms_experiment_expand(e, TRUE);
    g_autoptr(MsReport) report = ms_report_new(e);
    report->quick = TRUE;
    for (guint k = 0; k < all->len; k++) {
      ms_report_add_row(report, all->pdata[k], "row", "one group");
      ms_report_fixture_fill_row(report, k, 10);
    }
    g_autoptr(MsChart) chart = ms_report_to_chart(report, MS_LANGUAGE_ENGLISH);
    g_assert_true(g_str_has_suffix(chart->subtitle, cases[i].says));
  }
}

/* (transfer full): a report of the experiment @text, whose row i took times[i % n] milliseconds. */
static MsReport *
report_of(const char *text, const double *times, guint n)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(MsExperiment) e = ms_experiment_parse("made", text, -1, &error);
  g_assert_no_error(error);
  g_autoptr(GPtrArray) all = ms_experiment_expand(e, FALSE);
  MsReport *report = ms_report_new(e);

  for (guint i = 0; i < all->len; i++) {
    ms_report_add_row(report, all->pdata[i], "row", "one group");
    ms_report_fixture_fill_row(report, i, times[i % n]);
  }
  ms_report_rank(report);
  return report;
}

/* Every panel says what its whiskers are: times have quartiles, speed-ups an interval. */
static void
test_whiskers_are_named(void)
{
  g_autoptr(MsReport) report = ms_report_fixture_new(1);
  g_autoptr(MsChart) chart = ms_report_to_chart(report, MS_LANGUAGE_ENGLISH);

  g_assert_true(g_str_has_suffix(chart->y.title, "; whiskers: quartiles"));
  g_assert_true(g_str_has_suffix(chart->panel->y.title, "; whiskers: 99 % interval"));
  g_assert_null(strstr(chart->subtitle, "quartile"));
}

/* Values more than 50 times apart have a logarithmic axis, measured or published; nearer ones a linear one. */
static void
test_far_values_are_logarithmic(void)
{
  static const char text[] = "[Experiment]\nTitle=T\nKind=mean-shift\n[Axes]\nunroll=1;2\n[Plot]\nX=unroll\n%s"
                             "[Published Old GPU]\nQuantity=time\nUnit=ms\nValues=unroll:2 %s\n";
  static const struct {
    const char *type, *published;
    gboolean logarithmic;
  } cases[] = {
    {"", "6650", TRUE}, {"", "140", FALSE}, {"Type=lines\n", "6650", TRUE}, {"Type=lines\n", "3..140", FALSE}};

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *file = g_strdup_printf(text, cases[i].type, cases[i].published);
    g_autoptr(MsReport) report = report_of(file, (const double[]){3, 4}, 2);
    g_autoptr(MsChart) chart = ms_report_to_chart(report, MS_LANGUAGE_ENGLISH);
    g_assert_cmpint(chart->y.logarithmic, ==, cases[i].logarithmic);
  }
}

/* More than six series or forty bars become panels with one y axis, in which every row stands once. */
static void
test_many_rows_are_divided(void)
{
  static const struct {
    const char *axes, *plot;
    guint panels, points;
    const char *first;
  } cases[] = {
    {"unroll=1;2;4\nsp=1;2;3\nmemory=buffer;image\n", "X=unroll\nSeries=sp", 1, 18, "memory"},
    {"unroll=1;2;4\nsp=1;2;3;4;5;6;7\n", "X=unroll\nSeries=sp", 2, 21, "1/2"},
    {"unroll=1;2;4\nsp=1;2;3;4;5;6;7\nmemory=buffer;image\n", "X=unroll\nSeries=memory", 7, 42, "sp 1"},
    {"sp=1;2;3;4;5;6;7;8;9;10\nsr=1;2;3;4;5;6;7;8;9;10\n", "", 3, 100, "1/3"},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *text =
      g_strdup_printf("[Experiment]\nTitle=T\nKind=mean-shift\n[Axes]\n%s[Plot]\n%s\n", cases[i].axes, cases[i].plot);
    g_autoptr(MsReport) report = report_of(text, (const double[]){3, 4, 5, 6, 7}, 5);
    for (guint k = 0; k < report->rows->len; k++) {
      MsReportRow *row = report->rows->pdata[k];
      g_free(row->label);
      row->label = ms_experiment_label(report->experiment, row->factors);
    }
    g_autoptr(MsChart) chart = ms_report_to_chart(report, MS_LANGUAGE_ENGLISH);
    guint points = 0, panels = 0;
    for (const MsChart *panel = chart; panel; panel = panel->panel) {
      points += ms_chart_n_points(panel);
      panels++;
      g_assert_cmpuint(panel->series->len, <=, 6);
      g_assert_true(cases[i].panels == 1 || panel->least == chart->least);
    }
    g_test_message("%s: %u panels, %s", cases[i].axes, panels, chart->y.title);
    g_assert_cmpuint(points, ==, cases[i].points);
    g_assert_cmpuint(panels, ==, cases[i].panels);
    g_assert_true(panels == 1 || strstr(chart->y.title, cases[i].first));
  }
}

static guint
count_colours(cairo_surface_t *surface)
{
  g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
  const guint8 *data = cairo_image_surface_get_data(surface);
  int stride = cairo_image_surface_get_stride(surface);

  for (int y = 0; y < cairo_image_surface_get_height(surface); y++)
    for (int x = 0; x < cairo_image_surface_get_width(surface); x++)
      g_hash_table_add(seen, GUINT_TO_POINTER(*(const guint32 *)(data + y * stride + 4 * x) | 1u << 31));
  return g_hash_table_size(seen);
}

static void
draw_chart(const MsChart *chart, int width, int height, MsChartTheme theme)
{
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
  cairo_t *cr = cairo_create(surface);

  ms_chart_draw(chart, cr, &(MsChartPage){width, height, theme});
  g_assert_cmpint(cairo_status(cr), ==, CAIRO_STATUS_SUCCESS);
  cairo_surface_flush(surface);
  if (width > 200)
    g_assert_cmpuint(count_colours(surface), >, 10);
  cairo_destroy(cr);
  cairo_surface_destroy(surface);
}

/* Every type, axis, number of series and odd value, at sizes from tiny to large. */
static void
test_charts_draw(void)
{
  static const int sizes[][2] = {{1, 1}, {40, 30}, {300, 200}, {900, 480}};
  static const double odd[] = {NAN, INFINITY, 0, 1e-9, 1e12, 5, 5};

  for (MsChartType type = MS_CHART_BARS; type <= MS_CHART_STACKED; type++)
    for (int log = 0; log < 2; log++)
      for (guint n = 0; n <= 10; n += 2) {
        g_autoptr(MsChart) chart = ms_chart_new(type, "Title");
        ms_chart_set_x_axis(chart, "x", log);
        ms_chart_set_y_axis(chart, "y", log);
        for (guint i = 0; i < 7; i++)
          ms_chart_add_category(chart, i % 2 ? "a category with a rather long label" : "b");
        for (guint s = 0; s < n; s++) {
          guint series = ms_chart_add_series(chart, "a series", s % 3 == 2);
          for (guint i = 0; i < 7; i++)
            ms_chart_add_point(chart, series, (MsChartPoint){i, odd[(i + s) % 7], odd[i] * 0.9, odd[i] * 1.1});
        }
        for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++)
          draw_chart(chart, sizes[i][0], sizes[i][1], i % 2 ? MS_CHART_DARK : MS_CHART_LIGHT);
        g_autofree char *tip = ms_chart_point_at(chart, 900, 480, 450, 300);
      }
}

static void
test_tooltip(void)
{
  g_autoptr(MsChart) chart = ms_chart_new(MS_CHART_BARS, "Title");
  guint series = ms_chart_add_series(chart, "one", FALSE);

  ms_chart_add_category(chart, "left");
  ms_chart_add_category(chart, "right");
  ms_chart_add_point(chart, series, (MsChartPoint){0, 10, NAN, NAN});
  ms_chart_add_point(chart, series, (MsChartPoint){1, 20, NAN, NAN});
  g_autofree char *left = ms_chart_point_at(chart, 900, 480, 240, 380);
  g_autofree char *right = ms_chart_point_at(chart, 900, 480, 680, 380);
  g_autofree char *nothing = ms_chart_point_at(chart, 900, 480, 450, 100);
  g_assert_cmpstr(left, ==, "one, left: 10");
  g_assert_cmpstr(right, ==, "one, right: 20");
  g_assert_null(nothing);
}

void
ms_test_lab_report_chart(void)
{
  g_test_add_func("/lab/report/chart", test_chart_of_report);
  g_test_add_func("/lab/report/languages", test_languages);
  g_test_add_func("/lab/report/chart-of-energy", test_chart_of_energy);
  g_test_add_func("/lab/report/size-of-published-values", test_size_of_published_values);
  g_test_add_func("/lab/report/whiskers-are-named", test_whiskers_are_named);
  g_test_add_func("/lab/report/far-values-are-logarithmic", test_far_values_are_logarithmic);
  g_test_add_func("/lab/report/many-rows-are-divided", test_many_rows_are_divided);
  g_test_add_func("/lab/chart/draw", test_charts_draw);
  g_test_add_func("/lab/chart/tooltip", test_tooltip);
}
