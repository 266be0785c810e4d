/* SPDX-License-Identifier: MIT */
/* A report as Markdown, with its chart beside it. */

#include <string.h>

#include "core/lab/report/report-verdict.h"
#include "core/lab/report/report.h"
#include "core/text.h"

/* Appends text in which nothing is markup: neither a tag, nor a link, nor a control character of a terminal. */
static void
append_escaped(GString *text, const char *raw)
{
  g_autofree char *lines = g_strdelimit(g_strdup(raw), "\n\t", ' ');
  g_autofree char *plain = ms_printable(lines, "");

  for (const char *p = plain; *p; p++) {
    if (strchr("|\\*_<`", *p) || (*p == ']' && p[1] != '\0' && strchr("([:", p[1])))
      g_string_append_c(text, '\\');
    g_string_append_c(text, *p);
  }
}

static void
append_paragraph(GString *text, const char *raw)
{
  append_escaped(text, raw);
  g_string_append(text, "\n\n");
}

static void
append_line(GString *text, GPtrArray *cells)
{
  g_string_append(text, "|");
  for (guint i = 0; i < cells->len; i++) {
    g_string_append_c(text, ' ');
    append_escaped(text, cells->pdata[i]);
    g_string_append(text, " |");
  }
  g_string_append_c(text, '\n');
}

static void
append_rule(GString *text, guint columns)
{
  g_string_append_c(text, '|');
  for (guint i = 0; i < columns; i++)
    g_string_append(text, i == 0 ? "---|" : "---:|");
  g_string_append_c(text, '\n');
}

/** ms_report_to_markdown: (transfer full): title, chart, table, remarks. The chart is NAME.svg in the same folder. */
char *
ms_report_to_markdown(const MsReport *self)
{
  g_autoptr(GPtrArray) table = ms_report_table(self, MS_LANGUAGE_ENGLISH);
  g_autofree char *heading = ms_report_heading(self, MS_LANGUAGE_ENGLISH);
  g_autofree char *footer = ms_report_footer(self, MS_LANGUAGE_ENGLISH);
  g_auto(GStrv) remarks = g_strsplit(footer, "\n", -1);
  g_autofree char *picture = g_uri_escape_string(self->experiment->name, NULL, FALSE);
  g_autoptr(GString) text = g_string_new("# ");
  const MsExperiment *e = self->experiment;

  append_paragraph(text, e->title);
  g_autofree char *verdict = ms_report_verdict_text(self, MS_LANGUAGE_ENGLISH);
  if (verdict)
    append_paragraph(text, verdict);
  if (e->description)
    append_paragraph(text, e->description);
  append_paragraph(text, heading);
  g_string_append(text, "![");
  append_escaped(text, e->title);
  g_string_append_printf(text, "](%s.svg)\n\n", picture);
  for (guint i = 0; i < table->len; i++) {
    append_line(text, table->pdata[i]);
    if (i == 0)
      append_rule(text, ((GPtrArray *)table->pdata[i])->len);
  }
  g_string_append_c(text, '\n');
  for (char **remark = remarks; *remark; remark++) {
    append_escaped(text, *remark);
    g_string_append(text, remark[1] ? "\n" : "");
  }
  return g_string_free(g_steal_pointer(&text), FALSE);
}
