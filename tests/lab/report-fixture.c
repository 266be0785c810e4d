/* SPDX-License-Identifier: MIT */
#include "tests/lab/report-fixture.h"

#include "core/json.h"
#include "core/lab/experiment/experiment-file.h"

static const char sample[] =
  "[Experiment]\nTitle=A \"title\" & <more>, with all\nKind=mean-shift\nStudy=MS\nFinding=It was found.\n"
  "[Axes]\nmemory=buffer;image\nunroll=1;2;4\n[Fixed]\nsp=5\n[Baseline]\nunroll=1\n"
  "[Plot]\nType=bars\nX=unroll\nSeries=memory\nY=time\n"
  "[Published Old GPU]\nQuantity=time\nUnit=us\nValues=memory:buffer unroll:4 2500\n"
  "[Published Older GPU]\nQuantity=speed-up\nUnit=×\nValues=unroll:4 1.2..1.4\n";

/** ms_report_fixture_fill_row: eleven samples about @ms milliseconds, verified. */
void
ms_report_fixture_fill_row(MsReport *report, guint index, double ms)
{
  MsReportRow *row = report->rows->pdata[index];
  MsMeasurement *m = row->measurement;

  for (int i = 0; i < 11; i++) {
    double ns = ms * 1e6 * (1 + 0.001 * (i - 5));
    double wall = ns + 1000;
    g_array_append_val(m->samples, ns);
    guint round = m->rounds->len;
    g_array_append_val(m->walls, wall);
    g_array_append_val(m->rounds, round);
    g_array_append_val(ms_measurement_stage(m, "kernel", "direct")->ns, ns);
  }
  m->first_ns = ms * 2e6;
  m->first_wall_ns = ms * 3e6;
  m->prepare_ns = 5e6;
  m->outcome = MS_OUTCOME_OK;
  m->work = (MsWork){1e6, 2e8, 0, 8e6};
  g_free(m->verification.against);
  m->verification = (MsVerification){TRUE, 1000000, 0, 0, g_strdup("the reference")};
  ms_report_finish_row(report, row);
}

/** ms_report_fixture_new: six rows, the third @factor times as slow, the fifth wrong, the sixth refused. */
MsReport *
ms_report_fixture_new(double factor)
{
  g_autoptr(MsExperiment) e = ms_experiment_parse("sample", sample, -1, NULL);
  g_autoptr(GPtrArray) all = ms_experiment_expand(e, FALSE);
  MsReport *report = ms_report_new(e);

  report->device.name = g_strdup("Test, \"device\"");
  report->device.platform = g_strdup("Platform");
  report->device.driver = g_strdup("1.0");
  report->device.type = g_strdup("cpu");
  report->device.peak_read_gb_per_s = 10;
  report->program_version = g_strdup("0");
  report->complete = TRUE;
  for (guint i = 0; i < all->len; i++) {
    g_autofree char *label = ms_experiment_label(e, all->pdata[i]);
    ms_report_add_row(report, all->pdata[i], label, "one group");
  }
  ms_report_fixture_fill_row(report, 0, 10);
  ms_report_fixture_fill_row(report, 1, 5);
  ms_report_fixture_fill_row(report, 2, 2.5 * factor);
  ms_report_fixture_fill_row(report, 3, 20);
  ms_measurement_fail(((MsReportRow *)report->rows->pdata[4])->measurement, MS_OUTCOME_WRONG,
                      "3 of 100\nwrong | pixels", NULL);
  ms_measurement_fail(((MsReportRow *)report->rows->pdata[5])->measurement, MS_OUTCOME_CONSTRAINT, "Refused.", NULL);
  ms_report_rank(report);
  return report;
}

const MsReportRow *
ms_report_fixture_row(const MsReport *report, guint index)
{
  return report->rows->pdata[index];
}

/** ms_report_fixture_read: (transfer full): the report of a text that ms_report_to_json() wrote; see ms_json_parse() */
MsReport *
ms_report_fixture_read(const char *text, gssize length, GError **error)
{
  g_autoptr(JsonNode) root = ms_json_parse(text, length, error);

  return root ? ms_report_from_node(root, error) : NULL;
}
