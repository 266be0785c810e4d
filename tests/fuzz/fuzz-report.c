/* SPDX-License-Identifier: MIT */
/* Any bytes as the report of an experiment: it is read or refused with a sentence, and what is read can be written. */
#include <string.h>

#include "core/lab/experiment/experiment-file.h"
#include "core/lab/report/report.h"
#include "tests/fuzz/fuzz.h"
#include "tests/lab/report-fixture.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(MsReport) report = ms_report_fixture_read((const char *)data, (gssize)size, &error);

  g_assert_true((report == NULL) == (error != NULL));
  if (report) {
    g_autofree char *json = ms_report_to_json(report);
    g_autoptr(MsReport) again = ms_report_fixture_read(json, -1, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(again->rows->len, ==, report->rows->len);
  }
  return 0;
}

/* A report of two configurations that were measured, and one that was refused. */
static char *
some_report(void)
{
  static const char text[] =
    "[Experiment]\nTitle=Small\nKind=mean-shift\n[Axes]\nunroll=1;2;4\n[Fixed]\nsize=8x8\n[Baseline]\nunroll=1\n"
    "[Plot]\nX=unroll\n[Published Tesla C2050]\nQuantity=speed-up\nUnit=×\nValues=unroll:4 1.34\n";
  g_autoptr(GError) error = NULL;
  g_autoptr(MsExperiment) experiment = ms_experiment_parse("small", text, -1, &error);
  g_assert_no_error(error);
  g_autoptr(MsReport) report = ms_report_new(experiment);

  for (int unroll = 1; unroll <= 4; unroll *= 2) {
    g_autofree char *setting = g_strdup_printf("unroll:%d", unroll);
    g_autoptr(MsFactors) factors = ms_factors_parse(setting, NULL);
    MsReportRow *row = ms_report_add_row(report, factors, setting, "");
    row->measurement->outcome = unroll < 4 ? MS_OUTCOME_OK : MS_OUTCOME_CONSTRAINT;
    row->measurement->message = unroll < 4 ? NULL : g_strdup("It does not fit.");
    for (int i = 0; unroll < 4 && i < 12; i++) {
      double ns = 1e6 + 1e3 * (i % 5) + 1e5 * unroll;
      g_array_append_val(row->measurement->samples, ns);
    }
    ms_report_finish_row(report, row);
  }
  return ms_report_to_json(report);
}

GPtrArray *
ms_fuzz_seeds(void)
{
  GPtrArray *seeds = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);
  char *report = some_report();

  g_ptr_array_add(seeds, g_bytes_new_take(report, strlen(report)));
  g_ptr_array_add(seeds, g_bytes_new_take(g_strnfill(1000000, '['), 1000000));
  return seeds;
}
