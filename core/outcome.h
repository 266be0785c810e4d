/* SPDX-License-Identifier: MIT */
/* MsOutcome: how the measurement of one configuration ended. */
#pragma once

#include <glib.h>

/**
 * MsOutcome:
 * @MS_OUTCOME_PENDING: not finished: it has not been run, or the run was interrupted
 * @MS_OUTCOME_OK: measured and verified
 * @MS_OUTCOME_CONSTRAINT: the plan refuses it on this device; never built
 * @MS_OUTCOME_BUILD: its kernels did not compile
 * @MS_OUTCOME_RUN: the device failed during the run, or its profiling times are invalid
 * @MS_OUTCOME_WRONG: its result differs from the reference; never ranked
 * @MS_OUTCOME_TIMEOUT: one run took longer than its time limit
 */
typedef enum {
  MS_OUTCOME_PENDING,
  MS_OUTCOME_OK,
  MS_OUTCOME_CONSTRAINT,
  MS_OUTCOME_BUILD,
  MS_OUTCOME_RUN,
  MS_OUTCOME_WRONG,
  MS_OUTCOME_TIMEOUT,
} MsOutcome;

/** ms_outcome_names: %NULL-terminated: as reports spell them. */
extern const char *const ms_outcome_names[];

const char *ms_outcome_to_string(MsOutcome outcome);
MsOutcome ms_outcome_from_error(const GError *error);
