/* SPDX-License-Identifier: MIT */
/* Prints the completion for the shell that is named; the build runs it. */
#include <stdio.h>

#include "app/command-line/help.h"

int
main(int argc, char **argv)
{
  const char *shell = argc == 2 ? argv[1] : "";
  g_autofree char *text = g_str_equal(shell, "bash")   ? ms_completion_for_bash()
                          : g_str_equal(shell, "zsh")  ? ms_completion_for_zsh()
                          : g_str_equal(shell, "fish") ? ms_completion_for_fish()
                                                       : NULL;

  return text && fputs(text, stdout) >= 0 ? 0 : 1;
}
