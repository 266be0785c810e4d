/* SPDX-License-Identifier: MIT */
/* The program: reads the command line, then runs headless or starts the window's program. */
#include <stdio.h>

#include "app/command-check.h"
#include "app/headless.h"
#include "app/help.h"
#include "app/window.h"

static MsExitStatus
fail(const GError *error)
{
  fprintf(stderr, "meanshift-lab: %s\n", error->message);
  return ms_exit_status_for_error(error);
}

static MsExitStatus
print_help(void)
{
  g_autofree char *text = ms_help_text();

  fputs(text, stdout);
  return MS_EXIT_DONE;
}

int
main(int argc, char **argv)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(MsCommandLine) line = ms_command_line_parse(argc, argv, &error);

  if (!line || !ms_command_line_check(line, &error))
    return fail(error);
  if (line->help)
    return print_help();
  if (line->version)
    return printf("meanshift-lab %s\n", MS_VERSION) > 0 ? MS_EXIT_DONE : MS_EXIT_SOME_FAILED;
  if (line->headless || line->list_devices)
    return ms_headless_run(line);
  ms_window_run(line->inputs, &error);
  return fail(error);
}
