/* SPDX-License-Identifier: MIT */
/* The chart of a report: which rows become which series, and the published values beside them. */

#include <math.h>
#include <string.h>

#include "core/lab/report/report-metric.h"
#include "core/lab/report/report-verdict.h"
#include "core/lab/report/report.h"

/* A linear axis would hide the smallest of values that are further apart. */
#define AUTO_LOG_RATIO 50.0

/* A panel with more is divided into several. */
#define MOST_SERIES 6
#define MOST_BARS 40

typedef struct {
  const MsReport *report;
  GPtrArray *rows; /* MsReportRow: those of the panel */
  MsLanguage language;
  const MsPlot *plot;
  const char *y; /* the metric drawn upwards */
  const MsMetric *metric;
  MsChart *chart;
  GPtrArray *names;      /* char *: names of the series so far, prefixed with "measured" or "published" */
  GPtrArray *categories; /* char *: labels of the categories so far */
  double least;          /* of the values; a published range has two */
  double most;
  double lowest; /* of values and whiskers */
  double highest;
} Drawing;

/* Whether @key has more than one value among the rows. */
static gboolean
varies(GPtrArray *rows, const char *key)
{
  const char *first = NULL;

  for (guint i = 0; i < rows->len; i++) {
    const MsReportRow *row = rows->pdata[i];
    const char *value = ms_factors_get_or(row->factors, key, "");
    if (!first)
      first = value;
    if (strcmp(first, value) != 0)
      return TRUE;
  }
  return FALSE;
}

/* Appends the value of @key if it varies among @rows; %NULL appends it in any case. */
static void
append_word(GString *text, GPtrArray *rows, const MsFactors *factors, const char *key)
{
  const char *value = ms_factors_get(factors, key);

  if (!value || (rows && !varies(rows, key)))
    return;
  g_autofree char *title = ms_experiment_case_title(value);
  gboolean bare =
    strcmp(key, "case") == 0 || (g_ascii_isalpha(*value) && strcmp(value, "on") != 0 && strcmp(value, "off") != 0);
  g_string_append_printf(text, "%s%s%s%s", text->len ? ", " : "", bare ? "" : key, bare ? "" : " ", title);
}

/* The name of a row's series: the plotted key, then every other key that varies and is not the x axis. */
static char *
series_name(const Drawing *d, const MsFactors *factors)
{
  const MsPlot *plot = d->plot;
  const char *measured = ms_text(d->language, "measured");
  g_autoptr(GString) text = g_string_new(NULL);
  const MsExperiment *e = d->report->experiment;

  if (!plot->x)
    return g_strdup(measured);
  if (plot->series)
    append_word(text, d->rows, factors, plot->series);
  if (e->cases->len > 0 && g_strcmp0(plot->x, "case") != 0 && g_strcmp0(plot->series, "case") != 0)
    append_word(text, d->rows, factors, "case");
  for (guint i = 0; i < e->axes->len; i++) {
    const char *key = ((MsAxis *)e->axes->pdata[i])->key;
    if (g_strcmp0(key, plot->x) != 0 && g_strcmp0(key, plot->series) != 0)
      append_word(text, d->rows, factors, key);
  }
  return text->len ? g_string_free(g_steal_pointer(&text), FALSE) : g_strdup(measured);
}

static guint
find_or_add_series(Drawing *d, const char *name, gboolean published)
{
  g_autofree char *full = g_strconcat(published ? "published " : "measured ", name, NULL);

  for (guint i = 0; i < d->names->len; i++)
    if (strcmp(d->names->pdata[i], full) == 0)
      return i;
  g_ptr_array_add(d->names, g_steal_pointer(&full));
  return ms_chart_add_series(d->chart, name, published);
}

static guint
find_or_add_category(Drawing *d, const char *label)
{
  for (guint i = 0; i < d->categories->len; i++)
    if (strcmp(d->categories->pdata[i], label) == 0)
      return i;
  g_ptr_array_add(d->categories, g_strdup(label));
  return ms_chart_add_category(d->chart, label);
}

static char *
x_label(const Drawing *d, const MsReportRow *row)
{
  if (!d->plot->x)
    return g_strdup(row->label);
  return ms_experiment_case_title(ms_factors_get_or(row->factors, d->plot->x, "–"));
}

static double
x_place(Drawing *d, const MsReportRow *row)
{
  g_autofree char *label = x_label(d, row);
  gint64 width, height;

  if (d->plot->type != MS_PLOT_LINES)
    return find_or_add_category(d, label);
  if (!ms_factors_parse_size(label, &width, &height, NULL))
    return NAN;
  return (double)width * (double)height;
}

static void
add_point(Drawing *d, guint series, gboolean published, MsChartPoint point)
{
  if (!isfinite(point.y))
    return;
  d->lowest = fmin(d->lowest, fmin(point.y, point.low));
  d->highest = fmax(d->highest, fmax(point.y, point.high));
  d->least = fmin(d->least, published ? fmin(point.y, point.low) : point.y);
  d->most = fmax(d->most, published ? fmax(point.y, point.high) : point.y);
  ms_chart_add_point(d->chart, series, point);
}

/* From 1. */
static guint
row_number(const Drawing *d, const MsReportRow *row)
{
  guint i = 0;

  return g_ptr_array_find(d->report->rows, row, &i) ? i + 1 : 0;
}

static void
add_measured(Drawing *d, const MsReportRow *row)
{
  g_autofree char *name = series_name(d, row->factors);
  MsChartPoint point = {0, ms_report_row_metric(row, d->y), NAN, NAN, row_number(d, row)};

  if (d->metric && d->metric->ns_factor > 0) {
    point.low = row->summary.q1 * d->metric->ns_factor;
    point.high = row->summary.q3 * d->metric->ns_factor;
  } else if (strcmp(d->y, "speed-up") == 0 && isfinite(row->speedup.high)) {
    point.low = row->speedup.low;
    point.high = row->speedup.high;
  }
  const guint series = find_or_add_series(d, name, FALSE);
  point.x = x_place(d, row);
  add_point(d, series, FALSE, point);
}

static void
add_published(Drawing *d, const MsReportRow *row)
{
  g_autoptr(MsFactors) full = ms_experiment_published_scale(d->report->experiment, row->factors, d->report->quick);
  g_autofree char *of = series_name(d, full);

  for (guint i = 0; i < row->published->len; i++) {
    const MsPublished *p = row->published->pdata[i];
    double y = ms_published_in(p, d->y);
    if (!isfinite(y))
      continue;
    gboolean plain = strcmp(of, ms_text(d->language, "measured")) == 0;
    /* Translators: the device on which a published time was measured. */
    g_autofree char *on = g_strdup_printf(ms_text(d->language, "published, %s"), p->device);
    g_autofree char *name = g_strconcat(on, plain ? "" : ": ", plain ? "" : of, NULL);
    gboolean range = p->low != p->high;
    double factor = range ? y / ((p->low + p->high) / 2) : 1;
    const guint series = find_or_add_series(d, name, TRUE);
    add_point(d, series, TRUE,
              (MsChartPoint){x_place(d, row), y, range ? p->low * factor : NAN, range ? p->high * factor : NAN});
  }
}

static void
add_stages(Drawing *d, const MsReportRow *row)
{
  if (row->measurement->outcome != MS_OUTCOME_OK)
    return;
  for (guint i = 0; i < row->measurement->stages->len; i++) {
    const MsStageSeries *stage = row->measurement->stages->pdata[i];
    MsSummary s = ms_statistics_summarise_array(stage->ns);
    gboolean same = strcmp(stage->stage, stage->name) == 0;
    g_autofree char *name = same ? g_strdup(stage->stage) : g_strdup_printf("%s %s", stage->stage, stage->name);
    const guint series = find_or_add_series(d, name, FALSE);
    add_point(d, series, FALSE,
              (MsChartPoint){find_or_add_category(d, row->label), s.median * 1e-6, NAN, NAN, row_number(d, row)});
  }
}

/* (transfer full): the size of the published values; %NULL where it varies. */
static char *
published_size(const MsReport *report)
{
  g_autofree char *size = NULL;

  for (guint i = 0; i < report->rows->len; i++) {
    const MsReportRow *row = report->rows->pdata[i];
    g_autoptr(MsFactors) full = ms_experiment_published_scale(report->experiment, row->factors, report->quick);
    const char *one = ms_factors_get_or(full, "size", "");
    if (size && strcmp(size, one) != 0)
      return NULL;
    g_free(size);
    size = g_strdup(one);
  }
  return size && *size ? g_steal_pointer(&size) : NULL;
}

static char *
scale_text(const MsReport *report, MsLanguage language)
{
  if (!report->quick)
    return g_strdup("");
  if (!ms_report_has_published(report))
    return g_strconcat(" · ", ms_text(language, "quick"), NULL);
  g_autofree char *size = published_size(report);
  if (!size)
    return g_strconcat(" · ", ms_text(language, "quick, published values at full size"), NULL);
  g_autofree char *text = g_strdup_printf(ms_text(language, "quick, published values at size %s"), size);
  return g_strconcat(" · ", text, NULL);
}

static char *
subtitle(const MsReport *report, MsLanguage language)
{
  const char *input = report->input ? report->input : "";
  g_autofree char *scale = scale_text(report, language);
  const char *counter = ms_metric_is_of_energy(report->experiment->plot.y) ? ms_report_energy_source(report) : NULL;
  g_autofree char *device = ms_report_device(report, language);
  g_autofree char *values =
    counter ? g_strdup_printf(ms_text(language, "counter: %s"), counter) : g_strdup(ms_text(language, "medians"));

  return g_strdup_printf("%s%s%s · %s%s", device, *input ? " · " : "", input, values, scale);
}

/* Adds all categories first, so that the x axis keeps the order of the rows even where some failed. */
static void
add_places(Drawing *d)
{
  for (guint i = 0; i < d->rows->len; i++) {
    const MsReportRow *row = d->rows->pdata[i];
    g_autofree char *label = x_label(d, row);
    if (d->plot->type == MS_PLOT_BARS)
      find_or_add_category(d, label);
  }
}

static void
add_rows(Drawing *d, MsPlotType type)
{
  GPtrArray *rows = d->rows;

  add_places(d);
  if (type == MS_PLOT_STACKED) {
    for (guint i = 0; i < rows->len; i++)
      add_stages(d, rows->pdata[i]);
    return;
  }
  for (guint i = 0; i < rows->len; i++)
    add_measured(d, rows->pdata[i]);
  for (guint i = 0; i < rows->len; i++)
    add_published(d, rows->pdata[i]);
}

/* (nullable): the title of the x axis: the experiment's own, or the name of the setting that varies. */
static const char *
x_title(const MsPlot *plot, MsLanguage language)
{
  if (plot->x_title)
    return ms_experiment_text(plot->x_title, language);
  return g_strcmp0(plot->x, "case") == 0 ? NULL : plot->x;
}

/* Part: the rows of a panel, where all rows would be too many for one. */
typedef struct {
  char *name; /* (nullable) */
  GPtrArray *rows;
} Part;

static void
free_part(gpointer data)
{
  Part *part = data;

  g_free(part->name);
  g_ptr_array_unref(part->rows);
  g_free(part);
}

/* @name: (transfer full) (nullable); @rows: (nullable): its first rows */
static Part *
add_part(GPtrArray *parts, char *name, GPtrArray *rows)
{
  Part *part = g_new0(Part, 1);

  part->name = name;
  part->rows = g_ptr_array_new();
  if (rows)
    g_ptr_array_extend(part->rows, rows, NULL, NULL);
  g_ptr_array_add(parts, part);
  return part;
}

/* (element-type utf8): what @of names of each row, every name once. */
static GPtrArray *
distinct_names(const Drawing *d, GPtrArray *rows, char *(*of)(const Drawing *d, const MsReportRow *row))
{
  const Drawing within = {.report = d->report, .rows = rows, .language = d->language, .plot = d->plot};
  GPtrArray *names = g_ptr_array_new_with_free_func(g_free);

  for (guint i = 0; i < rows->len; i++) {
    g_autofree char *name = of(&within, rows->pdata[i]);
    if (!g_ptr_array_find_with_equal_func(names, name, g_str_equal, NULL))
      g_ptr_array_add(names, g_steal_pointer(&name));
  }
  return names;
}

static char *
row_series(const Drawing *d, const MsReportRow *row)
{
  return series_name(d, row->factors);
}

static gboolean
fits(const Drawing *d, GPtrArray *rows)
{
  g_autoptr(GPtrArray) series = distinct_names(d, rows, row_series);

  if (d->plot->type == MS_PLOT_STACKED)
    return rows->len <= MOST_BARS;
  return series->len <= MOST_SERIES && (d->plot->type == MS_PLOT_LINES || rows->len <= MOST_BARS);
}

/* Divides @rows by their values of @key. */
static GPtrArray *
split_by_key(GPtrArray *rows, const char *key)
{
  GPtrArray *parts = g_ptr_array_new_with_free_func(free_part);
  g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);

  for (guint i = 0; i < rows->len; i++) {
    const MsReportRow *row = rows->pdata[i];
    const char *value = ms_factors_get_or(row->factors, key, "");
    Part *part = g_hash_table_lookup(seen, value);
    if (!part) {
      g_autoptr(GString) name = g_string_new(NULL);
      append_word(name, NULL, row->factors, key);
      part = add_part(parts, g_string_free(g_steal_pointer(&name), FALSE), NULL);
      g_hash_table_insert(seen, (gpointer)value, part);
    }
    g_ptr_array_add(part->rows, rows->pdata[i]);
  }
  return parts;
}

/* Divides the rows of @whole into runs of equal length of the series, or of the places where there are few series. */
static void
split_in_runs(const Drawing *d, const Part *whole, GPtrArray *into)
{
  g_autoptr(GPtrArray) series = distinct_names(d, whole->rows, row_series);
  const gboolean by_series = d->plot->type != MS_PLOT_STACKED && series->len > MOST_SERIES;
  char *(*of)(const Drawing *d, const MsReportRow *row) = by_series ? row_series : x_label;
  g_autoptr(GPtrArray) names = distinct_names(d, whole->rows, of);
  const Drawing within = {.report = d->report, .rows = whole->rows, .language = d->language, .plot = d->plot};
  const guint bars = whole->rows->len, most = MAX(by_series ? MOST_SERIES : MOST_BARS * names->len / bars, 1);
  const guint n = (names->len + most - 1) / most, first = into->len;

  for (guint i = 0; i < n; i++)
    add_part(into, g_strdup_printf("%s%s%u/%u", whole->name ? whole->name : "", whole->name ? ", " : "", i + 1, n),
             NULL);
  for (guint i = 0; i < bars; i++) {
    g_autofree char *name = of(&within, whole->rows->pdata[i]);
    guint at = 0;
    g_ptr_array_find_with_equal_func(names, name, g_str_equal, &at);
    g_ptr_array_add(((Part *)into->pdata[first + at * n / names->len])->rows, whole->rows->pdata[i]);
  }
}

/* (nullable): the setting with the fewest values by which the rows are divided so that all parts fit, else the most. */
static const char *
splitting_key(const Drawing *d)
{
  const MsExperiment *e = d->report->experiment;
  const char *best = NULL;
  gboolean best_fits = FALSE;
  guint best_parts = 0;

  for (guint i = 0; i <= e->axes->len && d->plot->x; i++) {
    const char *key = i < e->axes->len ? ((MsAxis *)e->axes->pdata[i])->key : "case";
    if (g_strcmp0(key, d->plot->x) == 0 || g_strcmp0(key, d->plot->series) == 0 || !varies(d->rows, key))
      continue;
    g_autoptr(GPtrArray) parts = split_by_key(d->rows, key);
    gboolean all_fit = TRUE;
    for (guint k = 0; k < parts->len; k++)
      all_fit = all_fit && fits(d, ((Part *)parts->pdata[k])->rows);
    if (best && (all_fit != best_fits ? best_fits : all_fit ? parts->len >= best_parts : parts->len <= best_parts))
      continue;
    best = key;
    best_fits = all_fit;
    best_parts = parts->len;
  }
  return best;
}

/* (element-type Part): the panels of one metric. */
static GPtrArray *
find_parts(const Drawing *d)
{
  GPtrArray *parts = g_ptr_array_new_with_free_func(free_part);
  const char *key = fits(d, d->rows) ? NULL : splitting_key(d);
  g_autoptr(GPtrArray) by_key = key ? split_by_key(d->rows, key) : g_ptr_array_new_with_free_func(free_part);

  if (!key)
    add_part(by_key, NULL, d->rows);
  for (guint i = 0; i < by_key->len; i++) {
    const Part *part = by_key->pdata[i];
    if (fits(d, part->rows))
      add_part(parts, g_strdup(part->name), part->rows);
    else
      split_in_runs(d, part, parts);
  }
  return parts;
}

/* (nullable): what the whiskers of a panel are. */
static const char *
whiskers(const MsMetric *metric, MsLanguage language)
{
  if (metric && metric->ns_factor > 0)
    return ms_text(language, "whiskers: quartiles");
  return metric && strcmp(metric->name, "speed-up") == 0 ? ms_text(language, "whiskers: 99 % interval") : NULL;
}

/* "Time, ms (lower is better); whiskers: quartiles; unroll 4" */
static char *
y_title(const Drawing *d, const char *part)
{
  const char *title = ms_metric_title(d->y, d->language);
  const char *words = d->plot->type == MS_PLOT_STACKED ? NULL : whiskers(d->metric, d->language);
  const char *break_ = ms_text(d->language, "; ");
  const gboolean wall = g_strcmp0(ms_factors_get(d->report->experiment->fixed, "clock"), "wall") == 0;
  const char *clock = wall && g_str_has_prefix(d->y, "time") ? ms_text(d->language, "wall clock") : NULL;

  return g_strconcat(title, clock ? break_ : "", clock ? clock : "", words ? break_ : "", words ? words : "",
                     part ? break_ : "", part ? part : "", NULL);
}

/* The panels of the metric @y, from top to bottom; all have the same y axis. */
static void
draw_panels(const MsReport *self, MsLanguage language, const char *y, GPtrArray *panels)
{
  static const MsChartType types[] = {MS_CHART_BARS, MS_CHART_LINES, MS_CHART_STACKED};
  const MsPlot *plot = &self->experiment->plot;
  Drawing d = {.report = self, .rows = self->rows, .language = language, .plot = plot, .y = y};
  g_autoptr(GPtrArray) parts = find_parts(&d);
  const guint first = panels->len;

  d.metric = ms_metric_find(y);
  d.least = d.lowest = INFINITY;
  d.most = d.highest = -INFINITY;
  for (guint i = 0; i < parts->len; i++) {
    const Part *part = parts->pdata[i];
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) categories = g_ptr_array_new_with_free_func(g_free);
    d.chart = ms_chart_new(types[plot->type], NULL);
    d.rows = part->rows;
    d.names = names;
    d.categories = categories;
    ms_chart_set_language(d.chart, language);
    add_rows(&d, plot->type);
    ms_chart_set_x_axis(d.chart, x_title(plot, language), plot->log_x);
    g_ptr_array_add(panels, d.chart);
  }
  const gboolean times = d.metric && d.metric->ns_factor > 0;
  const gboolean wide = plot->type != MS_PLOT_STACKED && d.least > 0 && d.most > AUTO_LOG_RATIO * d.least;
  for (guint i = first; i < panels->len; i++) {
    g_autofree char *title = y_title(&d, ((Part *)parts->pdata[i - first])->name);
    ms_chart_set_y_axis(panels->pdata[i], title, (plot->log_y && (times || strcmp(y, plot->y) == 0)) || wide);
    if (parts->len > 1 && plot->type != MS_PLOT_STACKED)
      ms_chart_set_y_values(panels->pdata[i], d.lowest, d.highest);
  }
}

static gboolean
is_drawn(GPtrArray *metrics, const MsPublished *published)
{
  for (guint i = 0; i < metrics->len; i++)
    if (isfinite(ms_published_in(published, metrics->pdata[i])))
      return TRUE;
  return FALSE;
}

/* What the driver did not tell of this device has no panel of published values alone, once anything was measured. */
static gboolean
has_panel(const MsReport *self, const char *metric)
{
  const MsMetric *known = ms_metric_find(metric);
  const gboolean is_missing = known && known->kind & MS_METRICS_OF_KERNEL && !ms_report_has_metric(self, known);

  return known && (!is_missing || ms_report_count(self, MS_OUTCOME_OK) == 0);
}

/* (element-type utf8): the metrics of the panels: those of the plot, then those of published values in other units. */
static GPtrArray *
panel_metrics(const MsReport *self)
{
  const MsPlot *plot = &self->experiment->plot;
  GPtrArray *metrics = g_ptr_array_new();

  g_ptr_array_add(metrics, plot->y);
  if (plot->y2)
    g_ptr_array_add(metrics, plot->y2);
  for (guint i = 0; i < self->rows->len && plot->type != MS_PLOT_STACKED; i++) {
    const MsReportRow *row = self->rows->pdata[i];
    for (guint k = 0; k < row->published->len; k++) {
      const MsPublished *p = row->published->pdata[k];
      if (!is_drawn(metrics, p) && has_panel(self, p->metric))
        g_ptr_array_add(metrics, p->metric);
    }
  }
  return metrics;
}

/**
 * ms_report_to_chart: (transfer full): the chart that the experiment's plot describes, verified rows only, and below it
 * a panel for each further metric of the plot or of published values. A metric of more series or bars than a panel can
 * show has several panels.
 */
MsChart *
ms_report_to_chart(const MsReport *self, MsLanguage language)
{
  g_autoptr(GPtrArray) metrics = panel_metrics(self);
  g_autoptr(GPtrArray) panels = g_ptr_array_new();
  g_autofree char *below = subtitle(self, language);

  for (guint i = 0; i < metrics->len; i++) {
    const guint first = panels->len;
    draw_panels(self, language, metrics->pdata[i], panels);
    for (guint k = first; k < panels->len && ms_report_count(self, MS_OUTCOME_PENDING) > 0; k++)
      ms_chart_set_empty_text(panels->pdata[k], ms_text(language, "Nothing has been measured yet."));
    for (guint k = first; k < panels->len && ms_metric_is_of_energy(metrics->pdata[i]); k++)
      ms_chart_set_empty_text(
        panels->pdata[k],
        ms_text(language, "n/a: this machine has no energy counter that can be read for the device."));
  }
  for (guint i = panels->len - 1; i > 0; i--)
    ms_chart_set_panel(panels->pdata[i - 1], panels->pdata[i]);
  MsChart *chart = panels->pdata[0];
  ms_chart_set_title(chart, ms_experiment_text(self->experiment->title, language));
  ms_chart_set_subtitle(chart, below);
  g_autofree char *verdict = ms_report_verdict_text(self, language);
  ms_chart_set_note(chart, verdict);
  return chart;
}
