/* SPDX-License-Identifier: MIT */
/* The order of the experiments in the lists of the Lab: by study, and for a student by what they teach. */
#pragma once

#include "core/lab/experiment/experiment-file.h"

/** MsStudy: @name: the short one, as in files of experiments. */
typedef struct {
  const char *name;
  const char *title;
} MsStudy;

const MsStudy *ms_study_find(const char *name);
GPtrArray *ms_experiment_order(gboolean lessons, GError **error);
