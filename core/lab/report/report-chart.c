/* SPDX-License-Identifier: MIT */
/* The chart of a report: which rows become which series, and the published values beside them. */
#include "core/lab/report/report-chart.h"

#include <math.h>
#include <string.h>

#include "core/lab/report/report-metric.h"

#define AUTO_LOG_RATIO 40.0

typedef struct {
  const MsReport *report;
  MsLanguage language;
  const MsPlot *plot;
  const char *y; /* the metric drawn upwards */
  const MsMetric *metric;
  MsChart *chart;
  GPtrArray *names;      /* char *: names of the series so far, prefixed with "measured" or "published" */
  GPtrArray *categories; /* char *: labels of the categories so far */
  double least;
  double most;
} Drawing;

/* Whether @key has more than one value among the rows. */
static gboolean
varies(const MsReport *report, const char *key)
{
  const char *first = NULL;

  for (guint i = 0; i < report->rows->len; i++) {
    const MsReportRow *row = report->rows->pdata[i];
    const char *value = ms_factors_get_or(row->factors, key, "");
    if (!first)
      first = value;
    if (strcmp(first, value) != 0)
      return TRUE;
  }
  return FALSE;
}

static void
append_word(GString *text, const MsReport *report, const MsFactors *factors, const char *key)
{
  const char *value = ms_factors_get(factors, key);

  if (!value || !varies(report, key))
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
  const MsReport *report = d->report;
  const MsPlot *plot = d->plot;
  const char *measured = ms_text(d->language, "measured");
  g_autoptr(GString) text = g_string_new(NULL);
  const MsExperiment *e = report->experiment;

  if (!plot->x)
    return g_strdup(measured);
  if (plot->series)
    append_word(text, report, factors, plot->series);
  if (e->cases->len > 0 && g_strcmp0(plot->x, "case") != 0 && g_strcmp0(plot->series, "case") != 0)
    append_word(text, report, factors, "case");
  for (guint i = 0; i < e->axes->len; i++) {
    const char *key = ((MsAxis *)e->axes->pdata[i])->key;
    if (g_strcmp0(key, plot->x) != 0 && g_strcmp0(key, plot->series) != 0)
      append_word(text, report, factors, key);
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
add_point(Drawing *d, guint series, MsChartPoint point)
{
  if (!isfinite(point.y))
    return;
  d->least = MIN(d->least, point.y);
  d->most = MAX(d->most, point.y);
  ms_chart_add_point(d->chart, series, point);
}

static void
add_measured(Drawing *d, const MsReportRow *row)
{
  g_autofree char *name = series_name(d, row->factors);
  MsChartPoint point = {0, ms_report_row_metric(d->report, row, d->y), NAN, NAN};

  if (d->metric && d->metric->ns_factor > 0) {
    point.low = row->summary.q1 * d->metric->ns_factor;
    point.high = row->summary.q3 * d->metric->ns_factor;
  } else if (strcmp(d->y, "speed-up") == 0 && isfinite(row->speedup.high)) {
    point.low = row->speedup.low;
    point.high = row->speedup.high;
  }
  const guint series = find_or_add_series(d, name, FALSE);
  point.x = x_place(d, row);
  add_point(d, series, point);
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
    double factor = y / ((p->low + p->high) / 2);
    gboolean range = p->low != p->high;
    const guint series = find_or_add_series(d, name, TRUE);
    add_point(d, series,
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
    MsSummary s = ms_statistics_summarise((const double *)stage->ns->data, stage->ns->len);
    gboolean same = strcmp(stage->stage, stage->name) == 0;
    g_autofree char *name = same ? g_strdup(stage->stage) : g_strdup_printf("%s %s", stage->stage, stage->name);
    const guint series = find_or_add_series(d, name, FALSE);
    add_point(d, series, (MsChartPoint){find_or_add_category(d, row->label), s.median * 1e-6, NAN, NAN});
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

static gboolean
has_published(const MsReport *report)
{
  for (guint i = 0; i < report->rows->len; i++)
    if (((const MsReportRow *)report->rows->pdata[i])->published->len > 0)
      return TRUE;
  return FALSE;
}

static char *
scale_text(const MsReport *report, MsLanguage language)
{
  if (!report->quick)
    return g_strdup("");
  if (!has_published(report))
    return g_strconcat(" · ", ms_text(language, "quick"), NULL);
  g_autofree char *size = published_size(report);
  if (!size)
    return g_strconcat(" · ", ms_text(language, "quick, published values at full size"), NULL);
  g_autofree char *text = g_strdup_printf(ms_text(language, "quick, published values at size %s"), size);
  return g_strconcat(" · ", text, NULL);
}

/* (nullable): the counter that energy was read from. */
static const char *
energy_source(const MsReport *self)
{
  for (guint i = 0; i < self->rows->len; i++) {
    const MsReportRow *row = self->rows->pdata[i];
    if (row->measurement->energy_source)
      return row->measurement->energy_source;
  }
  return NULL;
}

static gboolean
is_of_energy(const char *metric)
{
  return g_str_has_prefix(metric, "energy") || g_str_has_prefix(metric, "power");
}

static char *
subtitle(const MsReport *report, MsLanguage language)
{
  const char *input = report->input ? report->input : "";
  g_autofree char *scale = scale_text(report, language);
  const char *counter = is_of_energy(report->experiment->plot.y) ? energy_source(report) : NULL;
  const char *device = report->device.name ? report->device.name : "?";
  g_autofree char *values = counter ? g_strdup_printf(ms_text(language, "counter: %s"), counter)
                                    : g_strdup(ms_text(language, "medians, whiskers from quartile to quartile"));

  return g_strdup_printf("%s%s%s · %s%s", device, *input ? " · " : "", input, values, scale);
}

/* Adds all categories first, so that the x axis keeps the order of the rows even where some failed. */
static void
add_places(Drawing *d)
{
  for (guint i = 0; i < d->report->rows->len; i++) {
    const MsReportRow *row = d->report->rows->pdata[i];
    g_autofree char *label = x_label(d, row);
    if (d->plot->type == MS_PLOT_BARS)
      find_or_add_category(d, label);
  }
}

static void
add_rows(Drawing *d, MsPlotType type)
{
  GPtrArray *rows = d->report->rows;

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

/* One panel of the chart, for the metric @y. */
static MsChart *
draw_panel(const MsReport *self, MsLanguage language, const char *y, const char *title)
{
  static const MsChartType types[] = {MS_CHART_BARS, MS_CHART_LINES, MS_CHART_STACKED};
  const MsPlot *plot = &self->experiment->plot;
  const MsPlotType type = plot->type;
  g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GPtrArray) categories = g_ptr_array_new_with_free_func(g_free);
  MsChart *chart = ms_chart_new(types[type], title);
  Drawing d = {self, language, plot, y, ms_metric_find(y), chart, names, categories, INFINITY, 0};
  gboolean times = d.metric && d.metric->ns_factor > 0;

  ms_chart_set_language(chart, language);
  add_rows(&d, type);
  /* On a linear axis the bars of a scaled-down run would be invisible beside full-size numbers. */
  gboolean wide = self->quick && type == MS_PLOT_BARS && d.least > 0 && d.most > AUTO_LOG_RATIO * d.least;
  ms_chart_set_x_axis(chart, x_title(plot, language), plot->log_x);
  ms_chart_set_y_axis(chart, ms_metric_title(y, language), (plot->log_y && (times || strcmp(y, plot->y) == 0)) || wide);
  return chart;
}

static gboolean
is_drawn(GPtrArray *metrics, const MsPublished *published)
{
  for (guint i = 0; i < metrics->len; i++)
    if (isfinite(ms_published_in(published, metrics->pdata[i])))
      return TRUE;
  return FALSE;
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
      if (!is_drawn(metrics, p) && ms_metric_find(p->metric))
        g_ptr_array_add(metrics, p->metric);
    }
  }
  return metrics;
}

/**
 * ms_report_to_chart: (transfer full): the chart that the experiment's plot describes, verified rows only, and below it
 * a panel for each further metric of the plot or of published values.
 */
MsChart *
ms_report_to_chart(const MsReport *self, MsLanguage language)
{
  g_autoptr(GPtrArray) metrics = panel_metrics(self);
  g_autofree char *below = subtitle(self, language);
  const char *title = ms_experiment_text(self->experiment->title, language);
  MsChart *chart = NULL;

  for (guint i = metrics->len; i-- > 0;) {
    const char *metric = metrics->pdata[i];
    MsChart *panel = draw_panel(self, language, metric, i == 0 ? title : NULL);
    if (is_of_energy(metric))
      ms_chart_set_empty_text(
        panel, ms_text(language, "n/a: this machine has no energy counter that can be read for the device."));
    if (chart)
      ms_chart_set_panel(panel, chart);
    chart = panel;
  }
  ms_chart_set_subtitle(chart, below);
  return chart;
}
