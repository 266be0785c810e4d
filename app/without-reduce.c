/* SPDX-License-Identifier: MIT */
#include "app/findings.h"
#include "app/headless.h"

MsFindings *
ms_findings_new(MsBatchEngine *engine, MsImage *source, MsImage *result, gboolean statistics, gboolean histogram,
                MsTimingLog *log, GCancellable *cancellable, GError **error)
{
  g_set_error(error, MS_ERROR, MS_ERROR_UNSUPPORTED, "This build has no statistics; leave out --stats and --histogram.");
  return NULL;
}

void
ms_findings_free(gpointer self)
{
}

void
ms_findings_add_json(const MsFindings *self, JsonBuilder *builder)
{
}

char *
ms_findings_to_text(const MsFindings *self, gboolean statistics, gboolean histogram)
{
  return g_strdup("");
}

MsExitStatus
ms_headless_reduce(const MsCommandLine *line, MsConsole *console, GCancellable *cancellable)
{
  ms_console_error(console, "This build has no reductions; leave out --reduce.");
  return MS_EXIT_USAGE;
}
