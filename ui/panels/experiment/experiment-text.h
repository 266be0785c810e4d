/* SPDX-License-Identifier: MIT */
/* What the Lab says of an experiment in words. */
#pragma once

#include "core/lab/report/report.h"

char *ms_experiment_status(const MsReport *report);
gboolean ms_experiment_speaks_of(const MsExperiment *experiment, const MsReport *report, const char *part);
char *ms_experiment_describe(const MsExperiment *experiment, gboolean quick);
char *ms_experiment_describe_lesson(const MsExperiment *experiment);
