/* SPDX-License-Identifier: MIT */
/* The exit statuses of the program, which its manual page documents. */
#pragma once

#include <glib.h>

typedef enum {
  MS_EXIT_DONE = 0,
  MS_EXIT_SOME_FAILED = 1,
  MS_EXIT_USAGE = 2,
  MS_EXIT_DIFFERENT = 3,
  MS_EXIT_NO_DEVICE = 4,
  MS_EXIT_INTERRUPTED = 130,
} MsExitStatus;

MsExitStatus ms_exit_status_for_error(const GError *error);
