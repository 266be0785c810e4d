/* SPDX-License-Identifier: MIT */
/* Reports of invented values: ranking, metrics, tables and comparisons. */
#include <math.h>
#include <string.h>

#include "core/lab/experiment/experiment-file.h"
#include "core/lab/report/compare.h"
#include "core/lab/report/report-column.h"
#include "core/lab/report/report-metric.h"
#include "core/lab/report/report.h"
#include "tests/lab/report-fixture.h"
#include "tests/support/cases.h"

static void
test_ranking(void)
{
  g_autoptr(MsReport) report = ms_report_fixture_new(1);

  g_assert_true(ms_report_fixture_row(report, 0)->baseline);
  g_assert_true(ms_report_fixture_row(report, 3)->baseline); /* the image's own unroll 1 */
  g_assert_cmpint(ms_report_fixture_row(report, 1)->speedup.verdict, ==, MS_VERDICT_FASTER);
  g_assert_cmpfloat_with_epsilon(ms_report_fixture_row(report, 2)->speedup.ratio, 4, 1e-9);
  g_assert_true(isnan(ms_report_fixture_row(report, 4)->speedup.ratio)); /* a wrong one is not ranked */
  g_assert_true(isnan(ms_report_fixture_row(report, 5)->speedup.ratio));
  g_assert_true(isnan(ms_report_row_metric(ms_report_fixture_row(report, 4), "time")));
  g_assert_cmpuint(ms_report_count(report, MS_OUTCOME_OK), ==, 4);
  ms_measurement_fail(ms_report_fixture_row(report, 2)->measurement, MS_OUTCOME_WRONG,
                      "Found at the end, after all samples.", NULL);
  ms_report_rank(report);
  g_assert_true(isnan(ms_report_fixture_row(report, 2)->speedup.ratio));
}

/* A row that was measured while disturbed has its time, but no verdict unless that is asked for; nor has its group. */
static void
test_disturbed_rows(void)
{
  MsReport *report = ms_report_fixture_new(1);
  MsReportRow *one = report->rows->pdata[1], *base = report->rows->pdata[3];
  g_autoptr(GError) error = NULL;

  one->measurement->conditions.foreign_load = 0.34;
  one->measurement->conditions.source = g_strdup("NVML");
  one->measurement->conditions.start.clock_mhz = 1410;
  one->measurement->conditions.end.clock_mhz = 1980;
  one->measurement->conditions.repeated = 2;
  base->measurement->conditions.throttling = g_strdup("power cap");
  ms_report_rank(report);
  g_assert_true(isnan(one->speedup.ratio));
  g_assert_false(base->baseline);
  g_assert_true(ms_report_fixture_row(report, 2)->speedup.ratio > 1); /* its baseline is undisturbed */
  g_assert_cmpfloat_with_epsilon(ms_report_row_metric(one, "time"), 5, 1e-9);
  g_autofree char *text = ms_report_to_text(report);
  g_assert_nonnull(strstr(text, "other programs used 34 % of the processors; not ranked; measured again"));
  g_assert_nonnull(strstr(text, "throttled: power cap; not ranked"));
  g_assert_nonnull(strstr(text, "Device before and after the rows: 1410–1980 MHz (NVML).\n"));
  g_assert_nonnull(strstr(text, "2 of 6 configurations; --accept-disturbed ranks them."));
  report->accept_disturbed = TRUE;
  g_autofree char *json = ms_report_to_json(report);
  ms_report_unref(report);
  g_autoptr(MsReport) read = ms_report_fixture_read(json, -1, &error);
  g_assert_no_error(error);
  const MsConditions *c = &ms_report_fixture_row(read, 1)->measurement->conditions;
  g_assert_cmpfloat(c->foreign_load, ==, 0.34);
  g_assert_cmpfloat(c->end.clock_mhz, ==, 1980);
  g_assert_cmpuint(c->repeated, ==, 2);
  g_assert_cmpint(ms_report_fixture_row(read, 1)->speedup.verdict, ==, MS_VERDICT_FASTER);
  g_assert_true(ms_report_fixture_row(read, 3)->baseline);
}

static void
test_quantities(void)
{
  g_autoptr(MsReport) report = ms_report_fixture_new(1);
  const MsReportRow *row = ms_report_fixture_row(report, 0); /* 10 ms, 1 megapixel, 2e8 samples, 8 MB */

  g_assert_cmpfloat_with_epsilon(ms_report_row_metric(row, "time"), 10, 1e-9);
  g_assert_cmpfloat_with_epsilon(ms_report_row_metric(row, "time-us"), 10000, 1e-6);
  g_assert_cmpfloat_with_epsilon(ms_report_row_metric(row, "megapixels-per-s"), 100, 1e-9);
  g_assert_cmpfloat_with_epsilon(ms_report_row_metric(row, "window-samples-per-s"), 20, 1e-9);
  g_assert_cmpfloat_with_epsilon(ms_report_row_metric(row, "gb-per-s"), 0.8, 1e-9);
  g_assert_cmpfloat_with_epsilon(ms_report_row_metric(row, "peak-share"), 8, 1e-9);
  g_assert_cmpfloat_with_epsilon(ms_report_row_metric(row, "first-extra"), 30 - 10.001, 1e-9);
  g_assert_cmpfloat_with_epsilon(ms_report_row_metric(ms_report_fixture_row(report, 1), "time-ratio"), 0.5, 1e-9);
  g_assert_true(isnan(ms_report_row_metric(row, "elements-per-s")));
  g_assert_true(isnan(ms_report_row_metric(row, "energy")));
  g_assert_true(isnan(ms_report_row_metric(row, "no such thing")));
}

/* A ratio has the digits that its interval gives a meaning. */
static void
test_ratio(void)
{
  static const struct {
    double ratio, low, high;
    const char *text;
  } cases[] = {
    {0.7943, 0.2871, 1.503, "0.79× [0.29–1.50]"},
    {1.3402, 1.3096, 1.3604, "1.340× [1.310–1.360]"},
    {120.4, 98.6, 143.2, "120× [99–143]"},
    {2.5, 0, INFINITY, "2.5×"},
    {2, 2, 2, "2×"},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *text = ms_ratio_text(cases[i].ratio, cases[i].low, cases[i].high);
    g_assert_cmpstr(text, ==, cases[i].text);
  }
}

static void
test_text(void)
{
  g_autoptr(MsReport) report = ms_report_fixture_new(1);
  g_autofree char *text = ms_report_to_text(report);

  g_assert_nonnull(strstr(text, "baseline"));
  g_assert_nonnull(strstr(text, "4× faster"));
  g_assert_nonnull(strstr(text, "2500 µs (Old GPU)"));
  g_assert_nonnull(strstr(text, "1.2–1.4 × speed-up (Older GPU)"));
  g_assert_nonnull(strstr(text, "wrong-result: 3 of 100"));
  g_assert_nonnull(strstr(text, "constraint: Refused."));
  g_assert_nonnull(strstr(text, "It was found."));
}

/* Texts of a file that somebody sent are text, not markup and not commands of a terminal. */
static void
test_hostile_title(void)
{
  g_autoptr(MsExperiment) e =
    ms_experiment_parse("my (own)",
                        "[Experiment]\nTitle=<script>x</script> \033[31m [a](b) `c`\nDescription=<b>\nKind=reduce\n"
                        "[Axes]\nvariant=naive;<i>\n",
                        -1, NULL);
  g_autoptr(MsReport) report = ms_report_new(e);
  g_autofree char *text = ms_report_to_text(report);

  g_assert_nonnull(strstr(text, "my (own): <script>x</script> \\033[31m [a](b) `c`\n"));
  g_assert_null(strchr(text, '\033'));
}

static void
test_compare(void)
{
  g_autoptr(MsReport) before = ms_report_fixture_new(1);
  g_autoptr(MsReport) slower = ms_report_fixture_new(1.5);
  g_autoptr(MsReport) faster = ms_report_fixture_new(0.5);
  g_autoptr(MsComparison) worse = ms_compare_reports(before, slower, 0.01);
  g_autoptr(MsComparison) better = ms_compare_reports(before, faster, 0.01);
  g_autofree char *text = ms_comparison_to_text(worse);

  g_assert_cmpuint(worse->slower, ==, 1);
  g_assert_cmpuint(worse->same, ==, 3);
  g_assert_cmpuint(worse->missing, ==, 2);
  g_assert_null(worse->warning);
  g_assert_cmpuint(better->faster, ==, 1);
  g_assert_cmpuint(better->slower, ==, 0);
  g_assert_nonnull(strstr(text, "1 slower"));
  g_assert_nonnull(strstr(text, "The machine's drift between the two runs is not known."));
  g_free(slower->device.driver);
  slower->device.driver = g_strdup("2.0");
  g_autoptr(MsComparison) warned = ms_compare_reports(before, slower, 0.01);
  g_assert_nonnull(strstr(warned->warning, "driver"));
  g_assert_cmpuint(warned->slower, ==, 1); /* what a new driver changes is what people ask */
}

/* A row without a ratio has no interval of dashes. */
static void
test_compare_without_numbers(void)
{
  g_autoptr(MsReport) before = ms_report_fixture_new(1), now = ms_report_fixture_new(1);
  MsReportRow *row = now->rows->pdata[0];

  g_array_set_size(row->measurement->samples, 0);
  g_array_set_size(row->measurement->rounds, 0);
  ms_report_finish_row(now, row);
  g_autoptr(MsComparison) comparison = ms_compare_reports(before, now, 0.01);
  g_autofree char *text = ms_comparison_to_text(comparison);
  g_assert_null(strstr(text, "–×"));
  g_assert_null(strstr(text, "–]"));
  g_assert_nonnull(strstr(text, "no time now"));
}

void
ms_test_lab_report(void)
{
  g_test_add_func("/lab/report/ratio", test_ratio);
  g_test_add_func("/lab/report/ranking", test_ranking);
  g_test_add_func("/lab/report/disturbed", test_disturbed_rows);
  g_test_add_func("/lab/report/quantities", test_quantities);
  g_test_add_func("/lab/report/text", test_text);
  g_test_add_func("/lab/report/hostile-title", test_hostile_title);
  g_test_add_func("/lab/report/compare", test_compare);
  g_test_add_func("/lab/report/compare-without-numbers", test_compare_without_numbers);
}
