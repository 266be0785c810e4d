/* SPDX-License-Identifier: MIT */
/*
 * Tables for LaTeX, with the packages booktabs, longtable and siunitx, and a document of them that a plain pdflatex
 * compiles. Every text is escaped, so that a title or the name of a device is never read as a command.
 */

#include <math.h>
#include <string.h>

#include "core/lab/report/report-column.h"
#include "core/lab/report/report-verdict.h"
#include "core/lab/report/report.h"
#include "core/text.h"

/* Characters that pdflatex does not take as they are, and how they are written. */
static const struct {
  gunichar character;
  const char *latex;
} replacements[] = {
  {'\\', "\\textbackslash{}"},
  {'{', "\\{"},
  {'}', "\\}"},
  {'$', "\\$"},
  {'&', "\\&"},
  {'#', "\\#"},
  {'%', "\\%"},
  {'_', "\\_"},
  {'^', "\\^{}"},
  {'~', "\\~{}"},
  {'<', "\\textless{}"},
  {'>', "\\textgreater{}"},
  {'|', "\\textbar{}"},
  {'"', "''"},
  {0xd7, "\\ensuremath{\\times}"},
  {0x2013, "--"},
  {0x2014, "---"},
  {0x2026, "\\dots{}"},
  {0xb7, "\\ensuremath{\\cdot}"},
  {0xb1, "\\ensuremath{\\pm}"},
  {0xb5, "\\textmu{}"},
  {0x3bc, "\\textmu{}"},
  {0x2019, "'"},
  {0x201c, "``"},
  {0x201d, "''"},
  {0xa0, "~"},
};

static const char *
replacement_of(gunichar character)
{
  for (gsize i = 0; i < G_N_ELEMENTS(replacements); i++)
    if (replacements[i].character == character)
      return replacements[i].latex;
  return NULL;
}

/** ms_latex_escape: (transfer full): @text as LaTeX shows it; a character that it lacks becomes a question mark. */
char *
ms_latex_escape(const char *text)
{
  g_autofree char *valid = g_utf8_make_valid(text ? text : "", -1);
  g_autoptr(GString) latex = g_string_new(NULL);

  for (const char *at = valid; *at; at = g_utf8_next_char(at)) {
    const gunichar character = g_utf8_get_char(at);
    const char *other = replacement_of(character);
    if (other)
      g_string_append(latex, other);
    else if (character < ' ')
      g_string_append_c(latex, ' ');
    else
      g_string_append_c(latex, character < 0x7f ? (char)character : '?');
  }
  return g_string_free(g_steal_pointer(&latex), FALSE);
}

static void
append_escaped(GString *latex, const char *text)
{
  g_autofree char *escaped = ms_latex_escape(text);

  g_string_append(latex, escaped);
}

/* A number for siunitx; what is not known is a text in braces. */
static void
append_cell(GString *latex, const MsReportColumn *column, const MsReportRow *row)
{
  const double value = ms_report_column_value(column, row);
  const gboolean is_number = column->value || column->metric;
  g_autofree char *text = !is_number        ? column->text(row, MS_LANGUAGE_ENGLISH)
                          : isfinite(value) ? ms_number_format(value, "%.4g")
                                            : g_strdup("{--}");

  if (is_number)
    g_string_append(latex, text);
  else
    append_escaped(latex, text);
}

/* @columns: of #MsReportColumn; the first one and the last one may be texts. */
static void
append_table(GString *latex, const MsReport *self, const GArray *columns)
{
  g_autoptr(GString) form = g_string_new(NULL), headings = g_string_new(NULL);

  for (guint c = 0; c < columns->len; c++) {
    const MsReportColumn *column = &g_array_index(columns, MsReportColumn, c);
    g_autofree char *heading = ms_latex_escape(column->title);
    const gboolean is_number = column->value || column->metric;
    g_string_append(form, is_number ? "S" : c == 0 ? "L{0.27\\linewidth}" : "L{0.22\\linewidth}");
    g_string_append_printf(headings, is_number ? "%s{%s}" : "%s%s", c > 0 ? " & " : "", heading);
  }
  g_string_append_printf(latex,
                         "{\\footnotesize\\setlength{\\tabcolsep}{3pt}\n\\begin{longtable}{%s}\n\\toprule\n%s \\\\\n"
                         "\\midrule\n\\endhead\n\\bottomrule\n\\endfoot\n",
                         form->str, headings->str);
  for (guint i = 0; i < self->rows->len; i++)
    for (guint c = 0; c < columns->len; c++) {
      append_cell(latex, &g_array_index(columns, MsReportColumn, c), self->rows->pdata[i]);
      g_string_append(latex, c + 1 < columns->len ? " & " : " \\\\\n");
    }
  g_string_append(latex, "\\end{longtable}}\n");
}

/**
 * ms_report_to_latex: (transfer full): the table of a report: medians with their quartile ranges, and speed-ups; and
 * tables of the optional columns, if it has any, for which there is no room beside the times.
 */
char *
ms_report_to_latex(const MsReport *self)
{
  static const MsMetricKind kinds[] = {MS_METRIC_OCCUPANCY, MS_METRIC_INSTRUCTIONS};
  g_autoptr(GArray) columns = ms_report_columns(self, MS_FORMAT_LATEX);
  g_autoptr(GString) latex = g_string_new(NULL);

  append_table(latex, self, columns);
  for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++) {
    g_autoptr(GArray) more = ms_report_kernel_columns(self, kinds[i]);
    if (more->len > 1)
      append_table(latex, self, more);
  }
  return g_string_free(g_steal_pointer(&latex), FALSE);
}

static const char preamble[] =
  "\\documentclass[a4paper,11pt]{article}\n"
  "\\usepackage[utf8]{inputenc}\n\\usepackage{textcomp}\n"
  "\\usepackage[margin=20mm]{geometry}\n\\usepackage{graphicx}\n\\usepackage{booktabs}\n"
  "\\usepackage{longtable}\n\\usepackage{array}\n\\usepackage{siunitx}\n\\usepackage{url}\n"
  "\\newcolumntype{L}[1]{>{\\raggedright\\arraybackslash}p{#1}}\n"
  "\\setlength{\\parindent}{0pt}\n\\raggedbottom\n\\sloppy\n"
  "\\title{Experiments of Meanshift Lab}\n\\author{}\n\\begin{document}\n\\maketitle\n";

static void
append_paragraph(GString *latex, const char *text)
{
  if (!text || !*text)
    return;
  append_escaped(latex, text);
  g_string_append(latex, "\\par\\medskip\n");
}

static void
append_section(GString *latex, const MsReport *report)
{
  const MsExperiment *e = report->experiment;
  g_autofree char *file = ms_file_name(e->name);
  g_autofree char *heading = ms_report_heading(report, MS_LANGUAGE_ENGLISH);
  g_autofree char *verdict = ms_report_verdict_text(report, MS_LANGUAGE_ENGLISH);

  g_string_append(latex, "\\clearpage\n\\section*{");
  append_escaped(latex, e->title);
  g_string_append(latex, "}\n");
  append_paragraph(latex, heading);
  append_paragraph(latex, verdict);
  append_paragraph(latex, e->description);
  g_string_append_printf(latex,
                         "\\begin{center}\\includegraphics[width=\\linewidth,height=0.62\\textheight,keepaspectratio]"
                         "{\\detokenize{%s.pdf}}\\end{center}\n\\input{\\detokenize{%s.tex}}\n",
                         file, file);
}

static void
append_verdicts(GString *latex, GPtrArray *reports)
{
  g_string_append(latex, "\\begin{longtable}{L{0.55\\linewidth}L{0.18\\linewidth}l}\n\\toprule\n"
                         "experiment & study & verdict \\\\\n\\midrule\n\\endhead\n\\bottomrule\n\\endfoot\n");
  for (guint i = 0; i < reports->len; i++) {
    const MsReport *report = reports->pdata[i];
    append_escaped(latex, report->experiment->title);
    g_string_append(latex, " & ");
    append_escaped(latex, report->experiment->study);
    g_string_append(latex, " ");
    append_escaped(latex, report->experiment->section);
    g_string_append_printf(latex, " & %s \\\\\n",
                           report->experiment->expects->len > 0 ? ms_finding_verdict_name(ms_report_judge(report))
                                                                : "--");
  }
  g_string_append(latex, "\\end{longtable}\n");
}

/** ms_reports_to_latex_document: (transfer full): report.tex, which includes NAME.pdf and NAME.tex of every report. */
char *
ms_reports_to_latex_document(GPtrArray *reports)
{
  g_autoptr(GString) latex = g_string_new(preamble);

  append_verdicts(latex, reports);
  for (guint i = 0; i < reports->len; i++)
    append_section(latex, reports->pdata[i]);
  g_string_append(latex, "\\end{document}\n");
  return g_string_free(g_steal_pointer(&latex), FALSE);
}
