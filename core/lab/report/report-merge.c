/* SPDX-License-Identifier: MIT */
/*
 * Several reports as one: for each experiment the rows of all, each with its median on every device and, in brackets,
 * the speed-up over that device's own baseline. No ratio crosses devices, and what was set differently is named.
 */

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "core/folder.h"
#include "core/lab/report/report-metric.h"
#include "core/lab/report/report-verdict.h"
#include "core/lab/report/report.h"
#include "core/text.h"

#define CHART_WIDTH 900.0
#define CHART_HEIGHT 560.0

/* (transfer container) (element-type MsReport): those of one experiment, in their order. */
static GPtrArray *
reports_of(GPtrArray *reports, const char *experiment)
{
  GPtrArray *found = g_ptr_array_new();

  for (guint i = 0; i < reports->len; i++)
    if (strcmp(((MsReport *)reports->pdata[i])->experiment->name, experiment) == 0)
      g_ptr_array_add(found, reports->pdata[i]);
  return found;
}

/** ms_reports_merge_names: (transfer container) (element-type utf8): the experiments of @reports, each once. */
GPtrArray *
ms_reports_merge_names(GPtrArray *reports)
{
  GPtrArray *names = g_ptr_array_new();

  for (guint i = 0; i < reports->len; i++) {
    char *name = ((MsReport *)reports->pdata[i])->experiment->name;
    if (!g_ptr_array_find_with_equal_func(names, name, g_str_equal, NULL))
      g_ptr_array_add(names, name);
  }
  return names;
}

static const MsReportRow *
find_label(const MsReport *report, const char *label)
{
  for (guint i = 0; i < report->rows->len; i++)
    if (strcmp(((MsReportRow *)report->rows->pdata[i])->label, label) == 0)
      return report->rows->pdata[i];
  return NULL;
}

/* (transfer container) (element-type MsReportRow): the rows of all reports, each label once. */
static GPtrArray *
rows_of(GPtrArray *same)
{
  GPtrArray *rows = g_ptr_array_new();
  g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);

  for (guint i = 0; i < same->len; i++) {
    const MsReport *report = same->pdata[i];
    for (guint k = 0; k < report->rows->len; k++)
      if (g_hash_table_add(seen, ((MsReportRow *)report->rows->pdata[k])->label))
        g_ptr_array_add(rows, report->rows->pdata[k]);
  }
  return rows;
}

static gboolean
is_measured(const MsReportRow *row)
{
  return row && row->measurement->outcome == MS_OUTCOME_OK && row->summary.n > 0;
}

/* (transfer full): "12.3 (1.8×)", or why there is no time. */
static char *
cell_of(const MsReportRow *row, MsLanguage language)
{
  if (!row)
    return g_strdup("–");
  if (!is_measured(row))
    return g_strdup(ms_text(language, ms_outcome_names[row->measurement->outcome]));
  g_autofree char *ms = ms_number_format(row->summary.median * 1e-6, "%.4g");
  if (row->baseline)
    return g_strdup_printf("%s (%s)", ms, ms_text(language, "baseline"));
  g_autofree char *ratio = isfinite(row->speedup.ratio) ? ms_number_format(row->speedup.ratio, "%.3g") : NULL;
  return ratio ? g_strdup_printf("%s (%s×)", ms, ratio) : g_steal_pointer(&ms);
}

/* The device, with its number where several reports are of devices of one name. */
static char *
title_of(GPtrArray *same, guint index, MsLanguage language)
{
  g_autofree char *name = ms_report_device(same->pdata[index], language);
  guint before = 0, all = 0;

  for (guint i = 0; i < same->len; i++) {
    g_autofree char *other = ms_report_device(same->pdata[i], language);
    if (g_str_equal(other, name)) {
      all++;
      before += i <= index;
    }
  }
  return all > 1 ? g_strdup_printf("%s #%u", name, before) : g_steal_pointer(&name);
}

/* A setting that may differ between reports. */
typedef struct {
  const char *name;
  char *(*of)(const MsReport *report, MsLanguage language);
} Setting;

static char *
scale_of(const MsReport *report, MsLanguage language)
{
  return g_strdup(ms_text(language, report->quick ? N_("quick") : N_("full")));
}

static char *
version_of(const MsReport *report, MsLanguage language)
{
  return g_strdup(report->program_version ? report->program_version : "?");
}

static char *
input_of(const MsReport *report, MsLanguage language)
{
  return g_strdup(report->input ? report->input : ms_text(language, N_("generated")));
}

static char *
noise_of(const MsReport *report, MsLanguage language)
{
  g_autofree char *percent = ms_number_format(report->noise * 100, "%.3g");

  return g_strconcat(percent, " %", NULL);
}

static char *
fixed_of(const MsReport *report, MsLanguage language)
{
  return ms_factors_to_string(report->experiment->fixed);
}

static const Setting settings[] = {
  {N_("sizes"), scale_of}, {N_("version of the program"), version_of}, {N_("input"), input_of},
  {N_("noise"), noise_of}, {N_("fixed settings"), fixed_of},
};

static void
append_difference(GString *text, GPtrArray *same, const Setting *setting, MsLanguage language)
{
  g_autofree char *first = setting->of(same->pdata[0], language);
  g_autoptr(GString) all = g_string_new(NULL);
  gboolean differ = FALSE;

  for (guint i = 0; i < same->len; i++) {
    g_autofree char *value = setting->of(same->pdata[i], language), *title = title_of(same, i, language);
    differ = differ || strcmp(value, first) != 0;
    g_string_append_printf(all, "%s%s: %s", i > 0 ? "; " : "", title, value);
  }
  if (differ)
    g_string_append_printf(text, ms_text(language, "Differs: %s (%s).\n"), ms_text(language, setting->name), all->str);
}

/**
 * ms_reports_merge_devices: (transfer full): the text above the table of @experiment: a line for each report, which
 * names its device, and a line for each setting of the runs whose value differs between the reports.
 */
char *
ms_reports_merge_devices(GPtrArray *reports, const char *experiment, MsLanguage language)
{
  g_autoptr(GPtrArray) same = reports_of(reports, experiment);
  g_autoptr(GString) text = g_string_new(NULL);

  for (guint i = 0; i < same->len; i++) {
    g_autofree char *title = title_of(same, i, language), *heading = ms_report_heading(same->pdata[i], language);
    g_autofree char *verdict = ms_report_verdict_text(same->pdata[i], language);
    g_string_append_printf(text, "%s: %s%s%s\n", title, heading, verdict ? ". " : "", verdict ? verdict : "");
  }
  for (gsize i = 0; i < G_N_ELEMENTS(settings); i++)
    append_difference(text, same, &settings[i], language);
  return g_string_free(g_steal_pointer(&text), FALSE);
}

/** ms_reports_merge_table: (transfer full) (element-type GPtrArray): headings, then the cells of each configuration. */
GPtrArray *
ms_reports_merge_table(GPtrArray *reports, const char *experiment, MsLanguage language)
{
  GPtrArray *table = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
  g_autoptr(GPtrArray) same = reports_of(reports, experiment);
  g_autoptr(GPtrArray) rows = rows_of(same);
  const char *heading = ms_text(language, "median ms (over the device's own baseline)");

  for (guint r = 0; r <= rows->len; r++) {
    const MsReportRow *row = r > 0 ? rows->pdata[r - 1] : NULL;
    GPtrArray *cells = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(cells, g_strdup(row ? row->label : heading));
    for (guint i = 0; i < same->len; i++)
      g_ptr_array_add(cells,
                      row ? cell_of(find_label(same->pdata[i], row->label), language) : title_of(same, i, language));
    g_ptr_array_add(cells, row ? ms_report_published_text(row) : g_strdup(ms_text(language, "published")));
    g_ptr_array_add(table, cells);
  }
  return table;
}

static char *
chart_file(const char *experiment)
{
  g_autofree char *name = ms_file_name(experiment);

  return g_strconcat(name, "-merged.svg", NULL);
}

/* The devices of an experiment, what was set differently, and the table. */
static void
append_experiment(GString *text, GPtrArray *reports, const MsExperiment *e)
{
  g_autoptr(GPtrArray) table = ms_reports_merge_table(reports, e->name, MS_LANGUAGE_ENGLISH);
  g_autofree char *name = ms_printable(e->name, ""), *title = ms_printable(e->title, "");
  g_autofree char *devices = ms_reports_merge_devices(reports, e->name, MS_LANGUAGE_ENGLISH);
  g_autofree char *shown = ms_printable(devices, "\n");

  g_string_append_printf(text, "%s: %s\n%s\n", name, title, shown);
  ms_table_append_text(text, table, NULL);
  g_string_append_c(text, '\n');
}

/**
 * ms_reports_merge_to_text:
 * @reports: (element-type MsReport): of any experiments and devices
 *
 * Returns: (transfer full): for each experiment the devices, what was set differently, and the table
 */
char *
ms_reports_merge_to_text(GPtrArray *reports)
{
  g_autoptr(GPtrArray) names = ms_reports_merge_names(reports);
  g_autoptr(GString) text = g_string_new(NULL);

  for (guint i = 0; i < names->len; i++)
    append_experiment(text, reports, ms_reports_find(reports, names->pdata[i])->experiment);
  return g_string_free(g_steal_pointer(&text), FALSE);
}

/* (transfer full): the same as a page with the charts */
static char *
merge_to_page(GPtrArray *reports)
{
  g_autoptr(GPtrArray) names = ms_reports_merge_names(reports);
  g_autoptr(GString) html = g_string_new("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                                         "<title>Meanshift Lab: devices side by side</title>\n</head>\n<body>\n");

  for (guint i = 0; i < names->len; i++) {
    const MsExperiment *e = ms_reports_find(reports, names->pdata[i])->experiment;
    g_autoptr(GString) text = g_string_new(NULL);
    append_experiment(text, reports, e);
    g_autofree char *chart = chart_file(e->name);
    g_autofree char *section =
      g_markup_printf_escaped("<pre>%s</pre>\n<p><img src=\"%s\" alt=\"\"></p>\n", text->str, chart);
    g_string_append(html, section);
  }
  g_string_append(html, "</body>\n</html>\n");
  return g_string_free(g_steal_pointer(&html), FALSE);
}

/** ms_reports_merge_to_chart: (transfer full): the medians of @experiment, a series for each device. */
MsChart *
ms_reports_merge_to_chart(GPtrArray *reports, const char *experiment, MsLanguage language)
{
  g_autoptr(GPtrArray) same = reports_of(reports, experiment);
  g_autoptr(GPtrArray) rows = rows_of(same);
  const MsExperiment *e = ((MsReport *)same->pdata[0])->experiment;
  MsChart *chart = ms_chart_new(MS_CHART_BARS, ms_experiment_text(e->title, language));

  ms_chart_set_language(chart, language);
  for (guint r = 0; r < rows->len; r++)
    ms_chart_add_category(chart, ((MsReportRow *)rows->pdata[r])->label);
  for (guint i = 0; i < same->len; i++) {
    g_autofree char *title = title_of(same, i, language);
    const guint series = ms_chart_add_series(chart, title, FALSE);
    for (guint r = 0; r < rows->len; r++) {
      const MsReportRow *row = find_label(same->pdata[i], ((MsReportRow *)rows->pdata[r])->label);
      if (is_measured(row))
        ms_chart_add_point(
          chart, series, (MsChartPoint){r, row->summary.median * 1e-6, row->summary.q1 * 1e-6, row->summary.q3 * 1e-6});
    }
  }
  g_autofree char *axis =
    g_strconcat(ms_metric_title("time", language), "; ", ms_text(language, "whiskers: quartiles"), NULL);
  ms_chart_set_y_axis(chart, axis, TRUE);
  return chart;
}

/** ms_reports_merge_save: writes merged.html and a chart NAME-merged.svg for each experiment into a folder. */
gboolean
ms_reports_merge_save(GPtrArray *reports, const MsAtomicPlace *place, GError **error)
{
  g_autoptr(GPtrArray) names = ms_reports_merge_names(reports);
  g_autofree char *text = merge_to_page(reports);

  if (!ms_folder_make(place->folder, MS_FOLDER_SHARED, error) ||
      !ms_report_write_file(place, "merged.html", text, strlen(text), error))
    return FALSE;
  for (guint i = 0; i < names->len; i++) {
    g_autoptr(MsChart) chart = ms_reports_merge_to_chart(reports, names->pdata[i], MS_LANGUAGE_ENGLISH);
    const MsChartPage page = {CHART_WIDTH, CHART_HEIGHT, MS_CHART_LIGHT};
    g_autoptr(GByteArray) drawing = ms_chart_to_svg(chart, &page, error);
    g_autofree char *file = chart_file(names->pdata[i]);
    if (!drawing || !ms_report_write_file(place, file, drawing->data, drawing->len, error))
      return FALSE;
  }
  return TRUE;
}
