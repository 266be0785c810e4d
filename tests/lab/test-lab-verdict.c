/* SPDX-License-Identifier: MIT */
/* Verdicts of reports by the rules [Expect], from made-up times; the rules and lessons of the shipped experiments. */
#include <string.h>

#include "core/lab/experiment/experiment-file.h"
#include "core/lab/report/report-verdict.h"
#include "core/lab/report/report.h"
#include "tests/lab/report-fixture.h"
#include "tests/support/cases.h"

#define FILE_START                                                                                                     \
  "[Experiment]\nTitle=T\nKind=mean-shift\n[Axes]\nmemory=buffer;image\nunroll=1;4\n[Baseline]\nunroll=1\n"

/* (transfer full): buffer 1, buffer 4, image 1, image 4, at these milliseconds; 0 for a row that was not measured. */
static MsReport *
report_of(const char *rules, const double *ms)
{
  g_autofree char *text = g_strconcat(FILE_START, rules, NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(MsExperiment) e = ms_experiment_parse("made", text, -1, &error);
  g_assert_no_error(error);
  g_autoptr(GPtrArray) all = ms_experiment_expand(e, FALSE);
  MsReport *report = ms_report_new(e);

  for (guint i = 0; i < all->len; i++) {
    ms_report_add_row(report, all->pdata[i], "row", "one group");
    if (ms[i] > 0)
      ms_report_fixture_fill_row(report, i, ms[i]);
  }
  ms_report_rank(report);
  return report;
}

static void
test_verdicts(void)
{
  static const struct {
    const char *where, *over, *study;
    double ms[4];
    MsFindingVerdict verdict;
  } cases[] = {
    {"memory:buffer unroll:4", "unroll:1", "faster 1.34", {10, 5, 10, 10}, MS_FINDING_AGREES},
    {"memory:buffer unroll:4", "unroll:1", "faster", {5, 10, 10, 10}, MS_FINDING_OPPOSITE},
    {"memory:buffer unroll:4", "unroll:1", "faster", {10, 10, 10, 5}, MS_FINDING_NO_DIFFERENCE},
    {"memory:buffer unroll:4", "unroll:1", "slower", {5, 10, 10, 10}, MS_FINDING_AGREES},
    {"memory:buffer unroll:4", "unroll:1", "slower", {10, 5, 10, 10}, MS_FINDING_OPPOSITE},
    {"memory:buffer unroll:4", "unroll:1", "equal", {10, 10, 10, 5}, MS_FINDING_AGREES},
    {"memory:buffer unroll:4", "unroll:1", "equal", {10, 5, 10, 10}, MS_FINDING_OPPOSITE},
    {"memory:buffer unroll:4", "unroll:1", "faster", {0, 5, 10, 5}, MS_FINDING_NOT_MEASURED},
    {"memory:image", "memory:buffer", "faster", {10, 10, 5, 5}, MS_FINDING_AGREES},
    {"memory:image", "memory:buffer", "faster", {10, 10, 5, 40}, MS_FINDING_OPPOSITE},
    {"memory:buffer unroll:4", NULL, "more 4", {10, 5, 10, 10}, MS_FINDING_AGREES},
    {"memory:buffer unroll:4", NULL, "less 4", {10, 5, 10, 10}, MS_FINDING_OPPOSITE},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *rules =
      g_strdup_printf("[Expect]\nClaim=It\nWhere=%s\n%s%s\nStudy=%s\n", cases[i].where, cases[i].over ? "Over=" : "",
                      cases[i].over ? cases[i].over : "", cases[i].study);
    g_autoptr(MsReport) report = report_of(rules, cases[i].ms);
    g_test_message("%" G_GSIZE_FORMAT ": %s", i, rules);
    g_assert_cmpint(ms_report_judge(report), ==, cases[i].verdict);
  }
}

/* Several rules: what they have in common, else partly; those that were not measured do not count. */
static void
test_several_rules(void)
{
  static const char rules[] = "[Expect]\nClaim=From a buffer\nWhere=memory:buffer unroll:4\nOver=unroll:1\n"
                              "Study=faster 1.2..1.4\n[Expect 2]\nClaim=from an image\nWhere=memory:image unroll:4\n"
                              "Over=unroll:1\nStudy=faster\n";
  g_autoptr(MsReport) both = report_of(rules, (const double[]){10, 5, 10, 5});
  g_autoptr(MsReport) one = report_of(rules, (const double[]){10, 5, 5, 10});
  g_autoptr(MsReport) rest = report_of(rules, (const double[]){10, 5, 10, 0});
  g_autoptr(MsReport) none = report_of("", (const double[]){10, 5, 10, 5});
  g_autofree char *text = ms_report_verdict_text(one, MS_LANGUAGE_ENGLISH);
  g_autofree char *nothing = ms_report_verdict_text(none, MS_LANGUAGE_ENGLISH);

  g_assert_cmpint(ms_report_judge(both), ==, MS_FINDING_AGREES);
  g_assert_cmpint(ms_report_judge(one), ==, MS_FINDING_PARTLY);
  g_assert_cmpint(ms_report_judge(rest), ==, MS_FINDING_AGREES);
  g_assert_cmpstr(text, ==,
                  "Verdict: partly. From a buffer: in the study faster 1.2–1.4×, here 2×, agrees; from an image: in "
                  "the study faster, here 0.5×, opposite.");
  g_assert_null(nothing);
}

/* The verdict stands on top of table, page and chart, and in JSON, and is the same after reading. */
static void
test_places(void)
{
  g_autoptr(MsReport) report = report_of(
    "[Expect]\nClaim=It\nWhere=memory:buffer unroll:4\nOver=unroll:1\nStudy=faster\n", (const double[]){10, 5, 10, 5});
  g_autofree char *verdict = ms_report_verdict_text(report, MS_LANGUAGE_ENGLISH);
  g_autofree char *text = ms_report_to_text(report);
  g_autofree char *json = ms_report_to_json(report);
  g_autoptr(MsChart) chart = ms_report_to_chart(report, MS_LANGUAGE_ENGLISH);
  g_autofree char *words = ms_chart_describe(chart);
  g_autoptr(MsReport) again = ms_report_fixture_read(json, -1, NULL);
  g_autofree char *same = ms_report_verdict_text(again, MS_LANGUAGE_ENGLISH);

  g_assert_true(strstr(text, verdict) && strstr(text, verdict) < strstr(text, "median ms"));
  g_assert_nonnull(strstr(words, verdict));
  g_assert_nonnull(strstr(json, "\"verdict\" : \"agrees\""));
  g_assert_cmpstr(same, ==, verdict);
}

static void
test_bad_rules(void)
{
  static const char *const bad[] = {"[Expect]\nWhere=unroll:4\nOver=unroll:1\nStudy=faster\n",
                                    "[Expect]\nClaim=It\nWhere=unroll:4\nOver=unroll:1\n",
                                    "[Expect]\nClaim=It\nWhere=unroll:4\nOver=unroll:1\nStudy=quicker\n",
                                    "[Expect]\nClaim=It\nWhere=unroll:4\nOver=unroll:1\nStudy=faster x\n",
                                    "[Expect]\nClaim=It\nWhere=unroll:4\nStudy=faster\n",
                                    "[Expect]\nClaim=It\nWhere=unroll\nOver=unroll:1\nStudy=faster\n"};

  for (gsize i = 0; i < G_N_ELEMENTS(bad); i++) {
    g_autofree char *text = g_strconcat(FILE_START, bad[i], NULL);
    g_autoptr(GError) error = NULL;
    g_assert_null(ms_experiment_parse("made", text, -1, &error));
    g_assert_nonnull(strstr(error->message, "[Expect]"));
  }
}

/* Whether a row of the experiment has these settings, in the full form. */
static gboolean
any_configuration(GPtrArray *all, const MsFactors *settings)
{
  for (guint i = 0; i < all->len; i++)
    if (ms_factors_contains(all->pdata[i], settings))
      return TRUE;
  return FALSE;
}

/* Every shipped experiment has its paragraph for students, and rules only about configurations that it has. */
static void
test_shipped(void)
{
  g_autoptr(GPtrArray) shipped = ms_experiment_list(NULL);

  for (guint i = 0; i < shipped->len; i++) {
    const MsExperiment *e = shipped->pdata[i];
    g_autoptr(GPtrArray) all = ms_experiment_expand(e, FALSE);
    g_test_message("%s", e->name);
    g_assert_nonnull(e->lesson);
    g_assert_cmpuint(strlen(e->lesson), >, 150);
    g_assert_nonnull(strstr(e->lesson, "ook "));
    for (guint k = 0; k < e->expects->len; k++) {
      const MsExpect *expect = e->expects->pdata[k];
      g_assert_true(any_configuration(all, expect->where));
      g_assert_true(!expect->over || any_configuration(all, expect->over));
    }
  }
}

void
ms_test_lab_verdict(void)
{
  g_test_add_func("/lab/verdict/verdicts", test_verdicts);
  g_test_add_func("/lab/verdict/several-rules", test_several_rules);
  g_test_add_func("/lab/verdict/places", test_places);
  g_test_add_func("/lab/verdict/bad-rules", test_bad_rules);
  g_test_add_func("/lab/verdict/shipped", test_shipped);
}
