/* SPDX-License-Identifier: MIT */
/* Experiments of a person's own: a file from a template, and beside it a part of a kernel for the person to change. */
#pragma once

#include "core/lab/report/report.h"

/** MsOwnFile: what ms_own_experiment_show() opens. */
typedef enum {
  MS_OWN_EXPERIMENT,
  MS_OWN_KERNEL,
  MS_OWN_FOLDER,
} MsOwnFile;

char *ms_own_experiment_write(const char *path, GError **error);
gboolean ms_own_experiment_show(const char *path, const MsExperiment *experiment, MsOwnFile what, GError **error);
char *ms_own_experiment_log(const MsReport *report);
