/* SPDX-License-Identifier: MIT */
/* A report's files: NAME.csv, .json, .md, .svg and -dark.svg in one folder, and an index.html over several. */

#include <string.h>

#include "core/folder.h"
#include "core/lab/experiment/experiment-file.h"
#include "core/lab/report/report-verdict.h"
#include "core/lab/report/report.h"

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

static gboolean
write_text(const char *directory, const char *name, const char *ending, const char *text, GError **error)
{
  g_autofree char *path = file_path(directory, name, ending);

  if (g_file_set_contents(path, text, -1, error))
    return TRUE;
  ms_prefix_error(error, "The report cannot be written: ");
  return FALSE;
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
  {".json", ms_report_to_json}, {".csv", ms_report_to_csv},           {".md", ms_report_to_markdown},
  {".tex", ms_report_to_latex}, {EXPERIMENT_ENDING, experiment_text},
};

static const struct {
  const char *ending;
  MsChartTheme theme;
  gboolean (*save)(const MsChart *self, const char *path, const MsChartPage *page, GError **error);
} charts[] = {
  {".svg", MS_CHART_LIGHT, ms_chart_save_svg},
  {"-dark.svg", MS_CHART_DARK, ms_chart_save_svg},
  {".pdf", MS_CHART_LIGHT, ms_chart_save_pdf},
};

/**
 * ms_report_add_paths: @paths: (element-type filename): receives the paths of the files of report @name; its free
 * function must be g_free().
 */
void
ms_report_add_paths(const char *name, const char *directory, GPtrArray *paths)
{
  for (gsize i = 0; i < G_N_ELEMENTS(texts); i++)
    g_ptr_array_add(paths, file_path(directory, name, texts[i].ending));
  for (gsize i = 0; i < G_N_ELEMENTS(charts); i++)
    g_ptr_array_add(paths, file_path(directory, name, charts[i].ending));
}

/**
 * ms_report_save:
 * @directory: created if it does not exist
 *
 * Writes NAME.json, NAME.csv, NAME.md, NAME.tex, NAME.svg, NAME-dark.svg, NAME.pdf and the experiment itself as
 * NAME.experiment, each replaced atomically.
 */
gboolean
ms_report_save(const MsReport *self, const char *directory, GError **error)
{
  const char *name = self->experiment->name;
  g_autoptr(MsChart) chart = ms_report_to_chart(self, MS_LANGUAGE_ENGLISH);

  /* A chart with a second panel is higher. */
  const double height = CHART_HEIGHT * (1 + 0.7 * ms_chart_n_panels(chart));

  if (!ms_folder_make(directory, MS_FOLDER_SHARED, error))
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
    g_autofree char *text = texts[i].text(self);
    if (!write_text(directory, name, texts[i].ending, text, error))
      return FALSE;
  }
  for (gsize i = 0; i < G_N_ELEMENTS(charts); i++) {
    g_autofree char *path = file_path(directory, name, charts[i].ending);
    if (!charts[i].save(chart, path, &(MsChartPage){CHART_WIDTH, height, charts[i].theme}, error))
      return FALSE;
  }
  return TRUE;
}

static void
append_escaped(GString *html, const char *text)
{
  g_autofree char *escaped = g_markup_escape_text(text ? text : "", -1);

  g_string_append(html, escaped);
}

static void
append_cells(GString *html, GPtrArray *cells, const char *tag)
{
  g_string_append(html, "<tr>");
  for (guint i = 0; i < cells->len; i++) {
    g_string_append_printf(html, "<%s%s>", tag, i == 0 ? "" : " class=\"n\"");
    append_escaped(html, cells->pdata[i]);
    g_string_append_printf(html, "</%s>", tag);
  }
  g_string_append(html, "</tr>\n");
}

static void
append_table(GString *html, const MsReport *report)
{
  g_autoptr(GPtrArray) table = ms_report_table(report, MS_LANGUAGE_ENGLISH);

  g_string_append(html, "<details><summary>Table</summary><div class=\"scroll\"><table>\n");
  for (guint i = 0; i < table->len; i++)
    append_cells(html, table->pdata[i], i == 0 ? "th" : "td");
  g_string_append(html, "</table></div></details>\n");
}

static void
append_picture(GString *html, const MsReport *report)
{
  g_autofree char *name = g_uri_escape_string(report->experiment->name, NULL, FALSE);

  g_string_append_printf(html,
                         "<picture><source srcset=\"%s-dark.svg\" media=\"(prefers-color-scheme: dark)\">"
                         "<img src=\"%s.svg\" width=\"900\" alt=\"",
                         name, name);
  append_escaped(html, report->experiment->title);
  g_string_append_printf(html,
                         "\"></picture>\n<p><a href=\"%s.csv\">CSV</a> <a href=\"%s.json\">JSON</a> "
                         "<a href=\"%s.md\">Markdown</a></p>\n",
                         name, name, name);
}

static void
append_verdict(GString *html, const MsReport *report)
{
  g_autofree char *verdict = ms_report_verdict_text(report, MS_LANGUAGE_ENGLISH);

  if (!verdict)
    return;
  g_string_append(html, "<p><strong>");
  append_escaped(html, verdict);
  g_string_append(html, "</strong></p>\n");
}

/* A row of the table of verdicts: experiment, item of the study, verdict, and the whole of it. */
static void
append_index_row(GString *html, const MsReport *report)
{
  const MsExperiment *e = report->experiment;
  const gboolean judged = e->expects->len > 0;
  g_autofree char *text = ms_report_verdict_text(report, MS_LANGUAGE_ENGLISH);
  const char *sentence = text ? strstr(text, ". ") : NULL;

  g_string_append(html, "<tr><td><a href=\"#");
  append_escaped(html, e->name);
  g_string_append(html, "\">");
  append_escaped(html, e->title);
  g_string_append(html, "</a></td><td>");
  append_escaped(html, e->study);
  g_string_append(html, " ");
  append_escaped(html, e->section);
  g_string_append(html, "</td><td>");
  append_escaped(html, judged ? ms_finding_verdict_name(ms_report_judge(report)) : "no claim to compare with");
  g_string_append(html, "</td><td class=\"wide\">");
  append_escaped(html, sentence ? sentence + 2 : "");
  g_string_append(html, "</td></tr>\n");
}

static void
append_section(GString *html, const MsReport *report)
{
  const MsExperiment *e = report->experiment;
  g_autofree char *footer = ms_report_footer(report, MS_LANGUAGE_ENGLISH);
  g_autofree char *heading = ms_report_heading(report, MS_LANGUAGE_ENGLISH);

  g_string_append(html, "<section id=\"");
  append_escaped(html, e->name);
  g_string_append(html, "\">\n<h2>");
  append_escaped(html, e->title);
  g_string_append(html, " <small>");
  append_escaped(html, e->name);
  g_string_append(html, "</small></h2>\n<p>");
  append_escaped(html, e->description);
  g_string_append(html, "</p>\n<p class=\"faint\">");
  append_escaped(html, heading);
  g_string_append(html, "</p>\n");
  append_verdict(html, report);
  append_picture(html, report);
  g_string_append(html, "<p>");
  append_escaped(html, footer);
  g_string_append(html, "</p>\n");
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

/** ms_report_save_index: writes index.html and report.tex, with every chart and table of @reports, and studies.bib. */
gboolean
ms_report_save_index(GPtrArray *reports, const char *directory, GError **error)
{
  g_autoptr(GString) html = g_string_new(page_head);
  g_autofree char *document = ms_reports_to_latex_document(reports);

  for (guint i = 0; i < reports->len; i++)
    append_index_row(html, reports->pdata[i]);
  g_string_append(html, "</table></div>\n");
  for (guint i = 0; i < reports->len; i++)
    append_section(html, reports->pdata[i]);
  g_string_append(html, "</body>\n</html>\n");
  return ms_folder_make(directory, MS_FOLDER_SHARED, error) &&
         write_text(directory, MS_REPORT_INDEX, "", html->str, error) &&
         write_text(directory, MS_REPORT_DOCUMENT, "", document, error) &&
         write_text(directory, MS_REPORT_STUDIES, "", ms_latex_bibliography, error);
}
