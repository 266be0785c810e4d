/* SPDX-License-Identifier: MIT */
/* A report's files: NAME.csv, .json, .tex, .svg and .pdf in one folder, and an index.html over several. */

#include <string.h>

#include "core/folder.h"
#include "core/lab/experiment/experiment-file.h"
#include "core/lab/report/report-verdict.h"
#include "core/lab/report/report.h"
#include "core/text.h"

#define CHART_WIDTH 900.0
#define CHART_HEIGHT 480.0

/* The experiment itself, for --experiment. */
#define EXPERIMENT_ENDING ".experiment"

static char *
file_path(const char *directory, const char *name, const char *ending)
{
  g_autofree char *file = g_strconcat(name, ending, NULL);

  return g_build_filename(directory, file, NULL);
}

/** ms_report_write_file: writes a file into a report folder, which replaces one of that name atomically. */
gboolean
ms_report_write_file(const MsAtomicPlace *place, const char *name, const void *data, gsize size, GError **error)
{
  g_autofree char *path = g_build_filename(place->folder, name, NULL);

  return ms_atomic_file_save(place, path, data, size, error);
}

static gboolean
write_text(const MsAtomicPlace *place, const char *name, const char *ending, const char *text, GError **error)
{
  g_autofree char *file = g_strconcat(name, ending, NULL);

  return ms_report_write_file(place, file, text, strlen(text), error);
}

static char *
experiment_text(const MsReport *self)
{
  g_autoptr(JsonNode) node = ms_record_to_node(&ms_experiment_record, self->experiment);

  return json_to_string(node, TRUE);
}

static const struct {
  const char *ending;
  char *(*text)(const MsReport *self);
} texts[] = {
  {".json", ms_report_to_json},
  {".csv", ms_report_to_csv},
  {".tex", ms_report_to_latex},
  {EXPERIMENT_ENDING, experiment_text},
};

static const struct {
  const char *ending;
  GByteArray *(*draw)(const MsChart *self, const MsChartPage *page, GError **error);
} charts[] = {
  {".svg", ms_chart_to_svg},
  {".pdf", ms_chart_to_pdf},
};

/**
 * ms_report_add_paths: @paths: (element-type filename): receives the paths of the files of report @name; its free
 * function must be g_free().
 */
void
ms_report_add_paths(const char *name, const char *directory, GPtrArray *paths)
{
  g_autofree char *base = ms_file_name(name);

  for (gsize i = 0; i < G_N_ELEMENTS(texts); i++)
    g_ptr_array_add(paths, file_path(directory, base, texts[i].ending));
  for (gsize i = 0; i < G_N_ELEMENTS(charts); i++)
    g_ptr_array_add(paths, file_path(directory, base, charts[i].ending));
}

static gboolean
save_charts(const MsReport *self, const char *name, const MsAtomicPlace *place, GError **error)
{
  g_autoptr(MsChart) chart = ms_report_to_chart(self, MS_LANGUAGE_ENGLISH);
  /* A chart with a second panel is higher. */
  const double height = CHART_HEIGHT * (1 + 0.7 * ms_chart_n_panels(chart));

  for (gsize i = 0; i < G_N_ELEMENTS(charts); i++) {
    g_autofree char *file = g_strconcat(name, charts[i].ending, NULL);
    g_autoptr(GByteArray) drawing = charts[i].draw(chart, &(MsChartPage){CHART_WIDTH, height, MS_CHART_LIGHT}, error);
    if (!drawing || !ms_report_write_file(place, file, drawing->data, drawing->len, error))
      return FALSE;
  }
  return TRUE;
}

/**
 * ms_report_save:
 * @place: a folder, created if it does not exist
 *
 * Writes NAME.json, NAME.csv, NAME.tex, NAME.svg, NAME.pdf and the experiment itself as NAME.experiment, each replaced
 * atomically.
 */
gboolean
ms_report_save(const MsReport *self, const MsAtomicPlace *place, GError **error)
{
  g_autofree char *name = ms_file_name(self->experiment->name);

  if (!ms_folder_make(place->folder, MS_FOLDER_SHARED, error))
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
    g_autofree char *text = texts[i].text(self);
    if (!write_text(place, name, texts[i].ending, text, error))
      return FALSE;
  }
  return save_charts(self, name, place, error);
}

static void append_markup(GString *html, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Appends markup; what stands in place of the texts of @format is escaped. */
static void
append_markup(GString *html, const char *format, ...)
{
  va_list args;

  va_start(args, format);
  g_autofree char *escaped = g_markup_vprintf_escaped(format, args);
  va_end(args);
  g_string_append(html, escaped);
}

static const char *
or_empty(const char *text)
{
  return text ? text : "";
}

static void
append_table(GString *html, const MsReport *report)
{
  g_autoptr(GPtrArray) table = ms_report_table(report, MS_LANGUAGE_ENGLISH);

  g_string_append(html, "<details><summary>Table</summary><div class=\"scroll\"><table>\n");
  for (guint i = 0; i < table->len; i++) {
    const GPtrArray *cells = table->pdata[i];
    const char *tag = i == 0 ? "th" : "td";
    g_string_append(html, "<tr>");
    for (guint c = 0; c < cells->len; c++)
      append_markup(html, c == 0 ? "<%s>%s</%s>" : "<%s class=\"n\">%s</%s>", tag, (char *)cells->pdata[c], tag);
    g_string_append(html, "</tr>\n");
  }
  g_string_append(html, "</table></div></details>\n");
}

/* A row of the table of verdicts: experiment, item of the study, verdict, and the whole of it. */
static void
append_index_row(GString *html, const MsReport *report)
{
  const MsExperiment *e = report->experiment;
  const gboolean judged = e->expects->len > 0;
  g_autofree char *text = ms_report_verdict_text(report, MS_LANGUAGE_ENGLISH);
  const char *sentence = text ? strstr(text, ". ") : NULL;

  append_markup(html, "<tr><td><a href=\"#%s\">%s</a></td><td>%s %s</td><td>%s</td><td class=\"wide\">%s</td></tr>\n",
                e->name, e->title, or_empty(e->study), or_empty(e->section),
                judged ? ms_finding_verdict_name(ms_report_judge(report)) : "no claim to compare with",
                sentence ? sentence + 2 : "");
}

static void
append_section(GString *html, const MsReport *report)
{
  const MsExperiment *e = report->experiment;
  g_autofree char *footer = ms_report_footer(report, MS_LANGUAGE_ENGLISH);
  g_autofree char *heading = ms_report_heading(report, MS_LANGUAGE_ENGLISH);
  g_autofree char *verdict = ms_report_verdict_text(report, MS_LANGUAGE_ENGLISH);
  g_autofree char *base = ms_file_name(e->name);
  g_autofree char *file = g_uri_escape_string(base, NULL, FALSE);

  append_markup(html, "<section id=\"%s\">\n<h2>%s <small>%s</small></h2>\n<p>%s</p>\n<p class=\"faint\">%s</p>\n",
                e->name, e->title, e->name, or_empty(e->description), heading);
  if (verdict)
    append_markup(html, "<p><strong>%s</strong></p>\n", verdict);
  append_markup(html,
                "<img src=\"%s.svg\" width=\"900\" alt=\"%s\">\n<p><a href=\"%s.csv\">CSV</a> "
                "<a href=\"%s.json\">JSON</a></p>\n<p>%s</p>\n",
                file, e->title, file, file, footer);
  append_table(html, report);
  g_string_append(html, "</section>\n");
}

static const char page_head[] =
  "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
  "<meta name=\"color-scheme\" content=\"light dark\">\n<title>Meanshift Lab: "
  "experiments</title>\n<style>\n"
  "body{font:15px/1.5 sans-serif;max-width:960px;margin:2em auto;padding:0 1em}\n"
  "img{max-width:100%;height:auto}\n.faint{opacity:.7}\nsmall{font-weight:normal;opacity:.7}\n"
  ".scroll{overflow-x:auto}\ntable{border-collapse:collapse;font-size:13px}\n"
  "td,th{border-bottom:1px solid #8886;padding:.2em .6em;text-align:left;white-space:nowrap}\n"
  ".n{text-align:right}\n.wide{white-space:normal}\nsection{border-top:1px solid "
  "#8886;margin-top:2em}\n</style>\n</head>\n<body>\n"
  "<h1>Experiments</h1>\n<p>Does this device show what the studies found?</p>\n<div class=\"scroll\"><table>\n"
  "<tr><th>experiment</th><th>study</th><th>verdict</th><th>measured</th></tr>\n";

/** ms_report_save_index: writes index.html and report.tex, with every chart and table of @reports. */
gboolean
ms_report_save_index(GPtrArray *reports, const MsAtomicPlace *place, GError **error)
{
  g_autoptr(GString) html = g_string_new(page_head);
  g_autofree char *document = ms_reports_to_latex_document(reports);

  for (guint i = 0; i < reports->len; i++)
    append_index_row(html, reports->pdata[i]);
  g_string_append(html, "</table></div>\n");
  for (guint i = 0; i < reports->len; i++)
    append_section(html, reports->pdata[i]);
  g_string_append(html, "</body>\n</html>\n");
  return ms_folder_make(place->folder, MS_FOLDER_SHARED, error) &&
         write_text(place, MS_REPORT_INDEX, "", html->str, error) &&
         write_text(place, MS_REPORT_DOCUMENT, "", document, error);
}
