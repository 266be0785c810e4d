/* SPDX-License-Identifier: MIT */
/* What a measurement was made on, so that a second person can repeat it, and what else ran on the machine meanwhile. */
#pragma once

#include "core/lab/report/report.h"

/** MS_ENVIRONMENT_FILE: the name of the file in a report folder. */
#define MS_ENVIRONMENT_FILE "environment.json"

/** MsMachineLoad: the processor time that all programs, and this one alone, had used at some moment, in seconds. */
typedef struct {
  double all;
  double own;
  double idle;
} MsMachineLoad;

MsMachineLoad ms_machine_load_now(void);
double ms_machine_load_of_others(const MsMachineLoad *since);

gboolean ms_environment_save(GPtrArray *reports, const char *directory, GError **error);
