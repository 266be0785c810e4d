/* SPDX-License-Identifier: MIT */
#include "app/process/exit-status.h"

#include <gio/gio.h>

#include "core/error.h"

/** ms_exit_status_for_error: the exit status of a run that @error ended, apart from failures of single images. */
MsExitStatus
ms_exit_status_for_error(const GError *error)
{
  if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return MS_EXIT_INTERRUPTED;
  if (g_error_matches(error, MS_ERROR, MS_ERROR_USAGE) || g_error_matches(error, MS_ERROR, MS_ERROR_UNSUPPORTED))
    return MS_EXIT_USAGE;
  if (g_error_matches(error, MS_ERROR, MS_ERROR_NO_DEVICE))
    return MS_EXIT_NO_DEVICE;
  if (g_error_matches(error, MS_ERROR, MS_ERROR_MISMATCH))
    return MS_EXIT_DIFFERENT;
  return MS_EXIT_SOME_FAILED;
}
