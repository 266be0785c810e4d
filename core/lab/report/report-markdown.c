/* SPDX-License-Identifier: MIT */
/* A report as Markdown, with its chart beside it. */
#include "core/lab/report/report-markdown.h"

#include <string.h>

#include "core/lab/report/report-text.h"

static void
append_escaped(GString *text, const char *cell)
{
  for (const char *p = cell; *p; p++) {
    if (strchr("|\\*_<", *p))
      g_string_append_c(text, '\\');
    g_string_append_c(text, *p == '\n' ? ' ' : *p);
  }
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
  g_autoptr(GString) text = g_string_new(NULL);
  const MsExperiment *e = self->experiment;

  g_string_append_printf(text, "# %s\n\n", e->title);
  if (e->description)
    g_string_append_printf(text, "%s\n\n", e->description);
  g_string_append_printf(text, "%s\n\n![%s](%s.svg)\n\n", heading, e->title, e->name);
  for (guint i = 0; i < table->len; i++) {
    append_line(text, table->pdata[i]);
    if (i == 0)
      append_rule(text, ((GPtrArray *)table->pdata[i])->len);
  }
  g_string_append_printf(text, "\n%s", footer);
  return g_string_free(g_steal_pointer(&text), FALSE);
}
