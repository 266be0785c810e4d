/* SPDX-License-Identifier: MIT */
/* The order of experiments in the Lab, by study, or for a student by what they teach; and what is said of each. */
#pragma once

#include "core/lab/experiment/experiment-file.h"
#include "core/lab/report/report.h"

/** MsStudy: @name: the short one, as in files of experiments. */
typedef struct {
  const char *name;
  const char *title;
} MsStudy;

const MsStudy *ms_study_find(const char *name);
GPtrArray *ms_experiment_order(gboolean lessons, GError **error);

char *ms_experiment_status(const MsReport *report);
gboolean ms_experiment_speaks_of(const MsExperiment *experiment, const MsReport *report, const char *part);
char *ms_experiment_describe(const MsExperiment *experiment, gboolean quick);
char *ms_experiment_describe_lesson(const MsExperiment *experiment);
