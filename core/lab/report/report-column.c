/* SPDX-License-Identifier: MIT */
#include "core/lab/report/report-column.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "core/text.h"

/** ms_report_published_text: (transfer full): "163.3 ms HD 5850; 167.2 ms C2050", or empty. */
char *
ms_report_published_text(const MsReportRow *row)
{
  g_autoptr(GString) text = g_string_new(NULL);

  for (guint i = 0; i < row->published->len; i++) {
    const MsPublished *p = row->published->pdata[i];
    g_autofree char *low = ms_number_text(p->low);
    g_autofree char *high = ms_number_text(p->high);
    /* A ratio needs the metric's name, and what is no time or rate; other units do not. */
    gboolean named = strcmp(p->unit, "×") == 0 || ms_metric_is_of_kernel(p->metric);
    gboolean range = p->low != p->high;
    const char *unit = strcmp(p->unit, "us") == 0 ? "µs" : p->unit;
    g_string_append_printf(text, "%s%s%s%s %s%s%s (%s)", text->len ? "; " : "", low, range ? "–" : "",
                           range ? high : "", unit, named ? " " : "", named ? p->metric : "", p->device);
  }
  return g_string_free(g_steal_pointer(&text), FALSE);
}

/**
 * ms_ratio_text: (transfer full): "0.79× [0.29–1.50]", with two digits of half the width of the interval, since further
 * ones mean nothing; "1.34×" where the interval is not known.
 */
char *
ms_ratio_text(double ratio, double low, double high)
{
  const double half = (high - low) / 2;
  char format[] = "%.0f";

  if (!isfinite(half) || half <= 0) {
    g_autofree char *alone = ms_number_format(ratio, "%.3g");
    return g_strconcat(alone, "×", NULL);
  }
  format[2] = (char)('0' + CLAMP(1 - (int)floor(log10(half)), 0, 4));
  g_autofree char *value = ms_number_format(ratio, format);
  g_autofree char *from = ms_number_format(low, format), *to = ms_number_format(high, format);
  return g_strdup_printf("%s× [%s–%s]", value, from, to);
}

/*
 * "1.340× [1.310–1.360] faster", "12.5× [12.1–12.8] slower", "baseline", or empty: with the word "slower", the ratio
 * tells how many times the baseline's time the row takes.
 */
static char *
speedup_text(const MsReportRow *row, MsLanguage language)
{
  const char *verdict = ms_text(language, ms_verdict_to_string(row->speedup.verdict));
  const gboolean is_slower = row->speedup.verdict == MS_VERDICT_SLOWER;
  const MsSpeedup *s = &row->speedup;

  if (row->baseline)
    return g_strdup(ms_text(language, "baseline"));
  if (!isfinite(row->speedup.ratio))
    return g_strdup("");
  g_autofree char *ratio =
    is_slower ? ms_ratio_text(1 / s->ratio, 1 / s->high, 1 / s->low) : ms_ratio_text(s->ratio, s->low, s->high);
  return g_strconcat(ratio, " ", verdict, NULL);
}

static void add_remark(GString *text, MsLanguage language, const char *format, ...) G_GNUC_PRINTF(3, 4);

/* Appends a clause, whose format is in @language. */
static void
add_remark(GString *text, MsLanguage language, const char *format, ...)
{
  va_list args;

  if (text->len)
    g_string_append(text, ms_text(language, "; "));
  va_start(args, format);
  g_string_append_vprintf(text, format, args);
  va_end(args);
}

static void
add_outliers(GString *text, MsLanguage language, gsize n)
{
  if (language == MS_LANGUAGE_USER)
    add_remark(text, language, g_dngettext(GETTEXT_PACKAGE, "%zu outlier", "%zu outliers", n), n);
  else
    add_remark(text, language, n == 1 ? "%zu outlier" : "%zu outliers", n);
}

/* What disturbed a row, how often it was measured again, and that it is not ranked for that reason. */
static void
add_disturbance(GString *text, const MsReportRow *row, MsLanguage language)
{
  const MsConditions *c = &row->measurement->conditions;

  if (c->foreign_load > MS_MOST_FOREIGN_LOAD)
    add_remark(text, language, ms_text(language, "disturbed: other programs used %.0f %% of the processors"),
               c->foreign_load * 100);
  if (c->throttling && *c->throttling)
    add_remark(text, language, ms_text(language, "throttled: %s"), c->throttling);
  if (ms_report_leaves_out(row->report, row))
    add_remark(text, language, "%s", ms_text(language, "not ranked"));
  if (c->repeated > 0)
    add_remark(text, language, ms_text(language, "measured again after a disturbance: %u×"), c->repeated);
}

/* Why a row failed, or what disturbed its samples; empty where neither applies. */
static char *
remarks_of(const MsReportRow *row, MsLanguage language)
{
  g_autoptr(GString) text = g_string_new(NULL);
  const MsMeasurement *m = row->measurement;
  const double *samples = (const double *)m->samples->data;

  const char *message = language == MS_LANGUAGE_USER && m->shown ? m->shown : m->message;

  if (message) /* its first line, since build logs are in the JSON only */
    add_remark(text, language, "%.*s", (int)strcspn(message, "\n"), message);
  if (m->outcome != MS_OUTCOME_OK)
    return g_string_free(g_steal_pointer(&text), FALSE);
  gsize outliers = ms_statistics_outliers(samples, m->samples->len);
  MsDrift drift = ms_statistics_find_clock_drop(samples, m->samples->len);
  if (outliers)
    add_outliers(text, language, outliers);
  if (drift.found)
    add_remark(text, language, ms_text(language, "slower by %.0f %% from sample %zu on: a clock drop?"),
               (drift.ratio - 1) * 100, drift.index + 1);
  add_disturbance(text, row, language);
  if (m->rejected)
    add_remark(text, language, ms_text(language, "%u runs rejected: events ended before they started"), m->rejected);
  return g_string_free(g_steal_pointer(&text), FALSE);
}

static char *
result_text(const MsReportRow *row, MsLanguage language)
{
  g_autofree char *remarks = remarks_of(row, language);
  const gboolean ok = row->measurement->outcome == MS_OUTCOME_OK;
  const char *word = ms_text(language, ok ? N_("verified") : ms_outcome_names[row->measurement->outcome]);

  return *remarks ? g_strconcat(word, ": ", remarks, NULL) : g_strdup(word);
}

static char *
label_text(const MsReportRow *row, MsLanguage language)
{
  return g_strdup(row->label);
}

static char *
published_text(const MsReportRow *row, MsLanguage language)
{
  return ms_report_published_text(row);
}

static double
if_ok(const MsReportRow *row, double ns)
{
  return row->measurement->outcome == MS_OUTCOME_OK ? ns * 1e-6 : NAN;
}

static double
median_ms(const MsReportRow *row)
{
  return if_ok(row, row->summary.median);
}

static double
minimum_ms(const MsReportRow *row)
{
  return if_ok(row, row->summary.minimum);
}

static double
iqr_ms(const MsReportRow *row)
{
  return if_ok(row, row->summary.iqr);
}

static double
first_run_ms(const MsReportRow *row)
{
  return if_ok(row, ms_measurement_first_extra_ns(row->measurement));
}

static double
count(const MsReportRow *row)
{
  return row->summary.n;
}

static double
ratio(const MsReportRow *row)
{
  return row->baseline ? 1 : row->speedup.ratio;
}

/* Those that every report has, in their order; its metrics stand before the comparison. */
static const MsReportColumn fixed[] = {
  {MS_COLUMN_CONFIGURATION, N_("configuration"), .text = label_text},
  {MS_COLUMN_MEDIAN, N_("median ms"), .value = median_ms},
  {MS_COLUMN_MINIMUM, N_("min ms"), .value = minimum_ms},
  {MS_COLUMN_IQR, N_("IQR ms"), .value = iqr_ms},
  {MS_COLUMN_COUNT, N_("n"), .value = count},
  {MS_COLUMN_FIRST_RUN, N_("first +ms"), .value = first_run_ms},
  {MS_COLUMN_COMPARISON, N_("against the baseline"), .value = ratio, .text = speedup_text},
  {MS_COLUMN_PUBLISHED, N_("published"), .text = published_text},
  {MS_COLUMN_RESULT, N_("result"), .text = result_text},
};

/* (transfer container) (element-type MsMetric): those that are columns of the table. */
static GPtrArray *
find_columns(const MsReport *self)
{
  const MsPlot *plot = &self->experiment->plot;
  GPtrArray *columns = ms_report_find_metrics(self, MS_METRIC_USUAL | MS_METRIC_RARE | MS_METRICS_OF_KERNEL);

  for (guint i = columns->len; i-- > 0;) {
    const MsMetric *metric = columns->pdata[i];
    if (metric->kind == MS_METRIC_RARE && g_strcmp0(plot->y, metric->name) != 0 &&
        g_strcmp0(plot->y2, metric->name) != 0)
      g_ptr_array_remove_index(columns, i);
  }
  return columns;
}

/** ms_report_columns: (transfer full) (element-type MsReportColumn): the columns that the table of @report has. */
GArray *
ms_report_columns(const MsReport *report)
{
  GArray *columns = g_array_new(FALSE, FALSE, sizeof(MsReportColumn));
  g_autoptr(GPtrArray) metrics = find_columns(report);

  for (gsize i = 0; i < G_N_ELEMENTS(fixed); i++) {
    for (guint k = 0; fixed[i].id == MS_COLUMN_COMPARISON && k < metrics->len; k++) {
      const MsMetric *metric = metrics->pdata[k];
      const MsReportColumn column = {MS_COLUMN_METRIC, metric->heading, .metric = metric};
      g_array_append_val(columns, column);
    }
    if (fixed[i].id != MS_COLUMN_PUBLISHED || ms_report_has_published(report))
      g_array_append_val(columns, fixed[i]);
  }
  return columns;
}

/** ms_report_column_value: NAN where the row has no number. */
double
ms_report_column_value(const MsReportColumn *self, const MsReportRow *row)
{
  if (self->metric)
    return ms_metric_value(self->metric, row);
  return self->value ? self->value(row) : NAN;
}

/** ms_report_column_text: (transfer full): what the table shows of the row. */
char *
ms_report_column_text(const MsReportColumn *self, const MsReportRow *row, MsLanguage language)
{
  const double value = ms_report_column_value(self, row);
  /* Most that the driver tells of a kernel are whole numbers, as are counts. */
  const gboolean counts = self->id == MS_COLUMN_COUNT || (self->metric && self->metric->kind & MS_METRICS_OF_KERNEL);

  if (self->text)
    return self->text(row, language);
  return counts && value == floor(value) ? ms_number_format(value, "%.0f") : ms_number_text(value);
}
