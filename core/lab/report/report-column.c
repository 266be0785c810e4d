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

/* The values and texts of the columns that are no metrics; in files texts are in English. */
#define VALUE(name, expression)                                                                                        \
  static double name(const MsReportRow *row)                                                                           \
  {                                                                                                                    \
    const MsMeasurement *m G_GNUC_UNUSED = row->measurement;                                                           \
                                                                                                                       \
    return expression;                                                                                                 \
  }
#define TEXT(name, expression)                                                                                         \
  static char *name(const MsReportRow *row, MsLanguage language)                                                       \
  {                                                                                                                    \
    const MsMeasurement *m G_GNUC_UNUSED = row->measurement;                                                           \
                                                                                                                       \
    return expression;                                                                                                 \
  }

static double
if_ok(const MsReportRow *row, double ns)
{
  return row->measurement->outcome == MS_OUTCOME_OK ? ns * 1e-6 : NAN;
}

VALUE(median_ms, if_ok(row, row->summary.median))
VALUE(minimum_ms, if_ok(row, row->summary.minimum))
VALUE(iqr_ms, if_ok(row, row->summary.iqr))
VALUE(first_run_ms, if_ok(row, ms_measurement_first_extra_ns(m)))
VALUE(count, row->summary.n)
VALUE(ratio, row->baseline ? 1 : row->speedup.ratio)
VALUE(median_ns, row->summary.median)
VALUE(minimum_ns, row->summary.minimum)
VALUE(q1_ns, row->summary.q1)
VALUE(q3_ns, row->summary.q3)
VALUE(maximum_ns, row->summary.maximum)
VALUE(spread, row->summary.spread)
VALUE(first_ns, m->first_ns)
VALUE(first_extra_ns, ms_measurement_first_extra_ns(m))
VALUE(prepare_ns, m->prepare_ns)
VALUE(rejected, m->rejected)
VALUE(outliers, (double)ms_statistics_outliers((const double *)m->samples->data, m->samples->len))
VALUE(speed_up, row->speedup.ratio)
/* The least speed-up of an unknown one would be 0. */
VALUE(least_speed_up, isfinite(row->speedup.ratio) ? row->speedup.low : NAN)
VALUE(most_speed_up, row->speedup.high)
VALUE(mismatches, m->verification.done ? (double)m->verification.mismatches : NAN)
VALUE(foreign_load, m->conditions.foreign_load)

TEXT(experiment, g_strdup(row->report->experiment->name))
TEXT(device, g_strdup(row->report->device.name))
TEXT(driver, g_strdup(row->report->device.driver))
TEXT(label, g_strdup(row->label))
TEXT(settings, ms_factors_to_string(row->factors))
TEXT(outcome, g_strdup(ms_outcome_names[m->outcome]))
TEXT(verdict, isfinite(row->speedup.ratio) ? g_strdup(ms_verdict_to_string(row->speedup.verdict)) : NULL)
TEXT(published, ms_report_published_text(row))
TEXT(published_if_ok, m->outcome == MS_OUTCOME_OK ? published(row, language) : outcome(row, language))
TEXT(message, g_strdup(m->message))
TEXT(throttling, g_strdup(m->conditions.throttling))

#define TABLE MS_FORMAT_TABLE
#define CSV MS_FORMAT_CSV
#define LATEX MS_FORMAT_LATEX

/* All columns, each where it stands in its tables. A row without a title stands for metrics, see add_metrics(). */
static const MsReportColumn all[] = {
  {MS_COLUMN_OTHER, CSV, "experiment", .text = experiment},
  {MS_COLUMN_OTHER, CSV, "device", .text = device},
  {MS_COLUMN_OTHER, CSV, "driver", .text = driver},
  {MS_COLUMN_CONFIGURATION, TABLE | CSV | LATEX, N_("configuration"), .text = label},
  {MS_COLUMN_OTHER, CSV, "settings", .text = settings},
  {MS_COLUMN_OTHER, CSV, "outcome", .text = outcome},
  {MS_COLUMN_MEDIAN, TABLE | LATEX, N_("median ms"), .value = median_ms},
  {MS_COLUMN_OTHER, TABLE, N_("min ms"), .value = minimum_ms},
  {MS_COLUMN_OTHER, TABLE | LATEX, N_("IQR ms"), .value = iqr_ms},
  {MS_COLUMN_COUNT, TABLE | CSV | LATEX, N_("n"), .value = count},
  {MS_COLUMN_OTHER, CSV, "median_ns", .value = median_ns},
  {MS_COLUMN_OTHER, CSV, "min_ns", .value = minimum_ns},
  {MS_COLUMN_OTHER, CSV, "q1_ns", .value = q1_ns},
  {MS_COLUMN_OTHER, CSV, "q3_ns", .value = q3_ns},
  {MS_COLUMN_OTHER, CSV, "max_ns", .value = maximum_ns},
  {MS_COLUMN_OTHER, CSV, "spread", .value = spread},
  {MS_COLUMN_OTHER, CSV, "first_ns", .value = first_ns},
  {MS_COLUMN_OTHER, CSV, "first_extra_ns", .value = first_extra_ns},
  {MS_COLUMN_OTHER, CSV, "prepare_ns", .value = prepare_ns},
  {MS_COLUMN_OTHER, CSV, "rejected", .value = rejected},
  {MS_COLUMN_OTHER, CSV, "outliers", .value = outliers},
  {MS_COLUMN_OTHER, CSV, "speedup", .value = speed_up},
  {MS_COLUMN_OTHER, CSV, "speedup_low", .value = least_speed_up},
  {MS_COLUMN_OTHER, CSV, "speedup_high", .value = most_speed_up},
  {MS_COLUMN_OTHER, CSV, "verdict", .text = verdict},
  {MS_COLUMN_OTHER, CSV, "mismatches", .value = mismatches},
  {MS_COLUMN_FIRST_RUN, TABLE, N_("first +ms"), .value = first_run_ms},
  {MS_COLUMN_METRIC, TABLE | CSV},
  {MS_COLUMN_COMPARISON, TABLE | LATEX, N_("against the baseline"), .value = ratio, .text = speedup_text},
  {MS_COLUMN_PUBLISHED, TABLE | CSV, N_("published"), .text = published},
  {MS_COLUMN_PUBLISHED, LATEX, "published", .text = published_if_ok},
  {MS_COLUMN_RESULT, TABLE, N_("result"), .text = result_text},
  {MS_COLUMN_OTHER, CSV, "message", .text = message},
  {MS_COLUMN_OTHER, CSV, "foreign_load", .value = foreign_load},
  {MS_COLUMN_OTHER, CSV, "throttling", .text = throttling},
};

static void
add_metrics(GArray *columns, const MsReport *report, guint kinds)
{
  g_autoptr(GPtrArray) metrics = ms_report_find_metrics(report, kinds);

  for (guint i = 0; i < metrics->len; i++) {
    const MsMetric *metric = metrics->pdata[i];
    const MsReportColumn column = {MS_COLUMN_METRIC, 0, metric->heading, .metric = metric};
    g_array_append_val(columns, column);
  }
}

/* In the table a rare metric is a column only where the experiment plots it. */
static void
remove_rare(GArray *columns, const MsPlot *plot)
{
  for (guint i = columns->len; i-- > 0;) {
    const MsMetric *metric = g_array_index(columns, MsReportColumn, i).metric;
    if (metric && metric->kind == MS_METRIC_RARE && g_strcmp0(plot->y, metric->name) != 0 &&
        g_strcmp0(plot->y2, metric->name) != 0)
      g_array_remove_index(columns, i);
  }
}

/**
 * ms_report_columns: (transfer full) (element-type MsReportColumn): the columns that the table of @report has in
 * @format. CSV has those of all metrics, whether rows have a value or not, and what --columns asks for at the end.
 */
GArray *
ms_report_columns(const MsReport *report, MsReportFormat format)
{
  GArray *columns = g_array_new(FALSE, FALSE, sizeof(MsReportColumn));
  const guint usual = MS_METRIC_USUAL | MS_METRIC_RARE;

  for (gsize i = 0; i < G_N_ELEMENTS(all); i++) {
    if (!(all[i].formats & format) ||
        (format == MS_FORMAT_TABLE && all[i].id == MS_COLUMN_PUBLISHED && !ms_report_has_published(report)))
      continue;
    if (all[i].title)
      g_array_append_val(columns, all[i]);
    else if (format == MS_FORMAT_CSV)
      add_metrics(columns, NULL, usual);
    else
      add_metrics(columns, report, usual | MS_METRICS_OF_KERNEL);
  }
  if (format == MS_FORMAT_CSV)
    add_metrics(columns, report, MS_METRICS_OF_KERNEL);
  if (format == MS_FORMAT_TABLE)
    remove_rare(columns, &report->experiment->plot);
  return columns;
}

/** ms_report_kernel_columns: (transfer full): the name of a row and its metrics of @kind; none without a value. */
GArray *
ms_report_kernel_columns(const MsReport *report, MsMetricKind kind)
{
  GArray *columns = g_array_new(FALSE, FALSE, sizeof(MsReportColumn));

  for (gsize i = 0; i < G_N_ELEMENTS(all); i++)
    if (all[i].id == MS_COLUMN_CONFIGURATION)
      g_array_append_val(columns, all[i]);
  add_metrics(columns, report, kind);
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
