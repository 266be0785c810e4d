/* SPDX-License-Identifier: MIT */
/* A report as CSV (RFC 4180): one line for each configuration, times in nanoseconds, decimal points in every locale. */
#include "core/lab/report/report-csv.h"

#include <math.h>

#include "core/csv.h"
#include "core/lab/report/report-metric.h"
#include "core/lab/report/report-text.h"

static void
append_number(GString *text, double value)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE] = "";

  if (isfinite(value))
    g_ascii_dtostr(digits, sizeof digits, value);
  ms_csv_append(text, digits);
}

static void
append_heading(GString *text)
{
  g_string_append(
    text, "experiment,device,driver,configuration,settings,outcome,n,median_ns,min_ns,q1_ns,q3_ns,max_ns,"
          "spread,first_ns,first_extra_ns,prepare_ns,rejected,outliers,speedup,speedup_low,speedup_high,verdict,"
          "mismatches");
  for (gsize i = 0; i < MS_N_METRIC_COLUMNS; i++) {
    g_autofree char *name = g_strdelimit(g_strdup(ms_metric_columns[i]), "-", '_');
    g_string_append_printf(text, ",%s", name);
  }
  g_string_append(text, ",published,message\r\n");
}

static void
append_summary(GString *text, const MsReportRow *row)
{
  const MsSummary *s = &row->summary;
  const MsMeasurement *m = row->measurement;
  const double numbers[] = {s->n,
                            s->median,
                            s->minimum,
                            s->q1,
                            s->q3,
                            s->maximum,
                            s->spread,
                            m->first_ns,
                            ms_measurement_first_extra_ns(m),
                            m->prepare_ns,
                            m->rejected,
                            (double)ms_statistics_outliers((const double *)m->samples->data, m->samples->len, NULL),
                            row->speedup.ratio,
                            row->speedup.low,
                            row->speedup.high};

  for (gsize i = 0; i < G_N_ELEMENTS(numbers); i++)
    append_number(text, numbers[i]);
}

static void
append_row(GString *text, const MsReport *self, const MsReportRow *row)
{
  g_autofree char *factors = ms_factors_to_string(row->factors);
  g_autofree char *published = ms_report_published_text(row);
  const MsMeasurement *m = row->measurement;

  ms_csv_append(text, self->experiment->name);
  ms_csv_append(text, self->device.name);
  ms_csv_append(text, self->device.driver);
  ms_csv_append(text, row->label);
  ms_csv_append(text, factors);
  ms_csv_append(text, ms_outcome_to_string(m->outcome));
  append_summary(text, row);
  ms_csv_append(text, isfinite(row->speedup.ratio) ? ms_verdict_to_string(row->speedup.verdict) : "");
  append_number(text, m->verification.done ? (double)m->verification.mismatches : NAN);
  for (gsize i = 0; i < MS_N_METRIC_COLUMNS; i++)
    append_number(text, ms_report_row_metric(self, row, ms_metric_columns[i]));
  ms_csv_append(text, published);
  ms_csv_append(text, m->message);
  g_string_append(text, "\r\n");
}

/**
 * ms_report_to_csv: (transfer full): a heading and one line for each configuration; unknown values are empty fields.
 */
char *
ms_report_to_csv(const MsReport *self)
{
  g_autoptr(GString) text = g_string_new(NULL);

  append_heading(text);
  for (guint i = 0; i < self->rows->len; i++)
    append_row(text, self, self->rows->pdata[i]);
  return g_string_free(g_steal_pointer(&text), FALSE);
}
