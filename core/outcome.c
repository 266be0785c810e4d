/* SPDX-License-Identifier: MIT */
#include "core/outcome.h"

#include <glib/gi18n-lib.h>

#include "core/error.h"

const char *const ms_outcome_names[] = {
  [MS_OUTCOME_PENDING] = N_("pending"),
  [MS_OUTCOME_OK] = N_("ok"),
  [MS_OUTCOME_CONSTRAINT] = N_("constraint"),
  [MS_OUTCOME_BUILD] = N_("build"),
  [MS_OUTCOME_RUN] = N_("run"),
  [MS_OUTCOME_WRONG] = N_("wrong-result"),
  [MS_OUTCOME_TIMEOUT] = N_("time-out"),
  NULL,
};

/** ms_outcome_to_string: the word that reports use; ms_text() translates it. */
const char *
ms_outcome_to_string(MsOutcome outcome)
{
  return ms_outcome_names[outcome];
}

/** ms_outcome_from_error: the outcome that an error of a measurement stands for. */
MsOutcome
ms_outcome_from_error(const GError *error)
{
  if (error->domain != MS_ERROR)
    return MS_OUTCOME_RUN;
  switch ((MsError)error->code) {
  case MS_ERROR_USAGE:
  case MS_ERROR_UNSUPPORTED:
  case MS_ERROR_TOO_LARGE:
    return MS_OUTCOME_CONSTRAINT;
  case MS_ERROR_BUILD:
    return MS_OUTCOME_BUILD;
  case MS_ERROR_MISMATCH:
    return MS_OUTCOME_WRONG;
  case MS_ERROR_TIMEOUT:
    return MS_OUTCOME_TIMEOUT;
  case MS_ERROR_FORMAT:
  case MS_ERROR_NO_DEVICE:
  case MS_ERROR_DEVICE:
  case MS_ERROR_MEMORY:
  case MS_ERROR_IO:
  case MS_ERROR_EXISTS:
    return MS_OUTCOME_RUN;
  }
  g_return_val_if_reached(MS_OUTCOME_RUN);
}
