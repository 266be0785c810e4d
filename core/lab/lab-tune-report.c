/* SPDX-License-Identifier: MIT */
#include "core/lab/lab-tune-report.h"

#include <math.h>

/* A search keeps only the median of a trial, which becomes the row's single sample. */
static void
add_trial(MsReport *report, const MsTrial *trial, guint rank)
{
  g_autoptr(MsFactors) factors = ms_factors_copy(trial->factors);
  g_autofree char *label = ms_factors_to_string(trial->factors);
  g_autofree char *place = g_strdup_printf("%u", rank);
  guint round = 0;

  ms_factors_set(factors, "rank", place);
  MsReportRow *row = ms_report_add_row(report, factors, label, "tuning");
  if (trial->outcome == MS_OUTCOME_OK) {
    row->measurement->outcome = MS_OUTCOME_OK;
    g_array_append_val(row->measurement->samples, trial->ns);
    g_array_append_val(row->measurement->rounds, round);
  } else {
    ms_measurement_fail(row->measurement, trial->outcome, trial->message, trial->shown);
  }
  ms_report_finish_row(report, row);
}

static MsExperiment *
describe(const MsTuneRecord *record)
{
  g_autofree char *title = g_strdup_printf("Tuning: %s", record->problem);
  MsExperiment *experiment = ms_experiment_new("tuning", title, "tuning");

  experiment->description =
    g_strdup_printf("%u of %" G_GUINT64_FORMAT " configurations tried, fastest first (%s).", record->trials->len,
                    record->space_size, ms_tune_strategy_to_string(record->strategy));
  experiment->plot.type = MS_PLOT_LINES;
  experiment->plot.x = g_strdup("rank");
  experiment->plot.x_title = g_strdup("Configurations, fastest first");
  experiment->plot.log_y = TRUE;
  return experiment;
}

/**
 * ms_lab_tune_report:
 *
 * Returns: (transfer full): a report called "tuning" with a row for every trial, the fastest first
 */
MsReport *
ms_lab_tune_report(const MsTuneRecord *record)
{
  g_autoptr(MsExperiment) experiment = describe(record);
  g_autoptr(GPtrArray) trials = ms_tune_record_rank(record);
  MsReport *report = ms_report_new(experiment);

  report->device.name = g_strdup(record->device);
  report->device.driver = g_strdup(record->driver);
  report->program_version = g_strdup(record->version);
  report->complete = TRUE;
  for (guint i = 0; i < trials->len; i++)
    add_trial(report, trials->pdata[i], i + 1);
  ms_report_rank(report);
  return report;
}
