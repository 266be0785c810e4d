/* SPDX-License-Identifier: MIT */
/* The main function: reads the command line, then runs headless or starts the window's program. */
#include <glib/gi18n-lib.h>
#include <stdio.h>

#include "app/command-line/help.h"
#include "app/commands/command.h"
#include "app/headless.h"
#include "app/language.h"
#include "app/window.h"
#include "core/service/service.h"
#include "core/text.h"

static MsExitStatus
fail(const GError *error)
{
  g_autofree char *shown = ms_printable(error->message, "");

  fprintf(stderr, "meanshift-lab: %s\n", shown);
  return ms_exit_status_for_error(error);
}

static MsExitStatus
print(char *text)
{
  g_autofree char *owned = text;

  if (fputs(owned, stdout) >= 0 && fflush(stdout) == 0)
    return MS_EXIT_DONE;
  fprintf(stderr, "meanshift-lab: %s\n", _(ms_output_failed));
  return MS_EXIT_SOME_FAILED;
}

int
main(int argc, char **argv)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(MsCommandLine) line = NULL;

  ms_language_init();
  /* Standard output is for results. */
  g_log_writer_default_set_use_stderr(TRUE);
  if (ms_service_is_meant())
    return ms_service_run();
  line = ms_command_line_parse(argc, argv, &error);
  if (!line || !ms_command_line_check(line, &error))
    return fail(error);
  if (line->help || line->help_all)
    return print(line->help_all ? ms_help_all() : ms_help_short());
  if (line->version)
    return print(ms_version_text());
  if (line->headless || line->list_devices || line->diagnose)
    return ms_headless_run(line);
  ms_window_run(line->batch.inputs, &error);
  return fail(error);
}
