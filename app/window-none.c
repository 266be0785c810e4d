/* SPDX-License-Identifier: MIT */
#include "app/window.h"

#include "core/error.h"

/** ms_window_run: fails, because this build has no window. */
void
ms_window_run(const char *const *images, GError **error)
{
  ms_set_error(error, MS_ERROR_USAGE,
               "This build has no window; use --headless, as in: meanshift-lab --headless in.png -o out.png.");
}
