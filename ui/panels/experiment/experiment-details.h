/* SPDX-License-Identifier: MIT */
/* An experiment as text: what it varies, what is fixed, what was found and published. */
#pragma once

#include "core/lab/experiment/experiment.h"

char *ms_experiment_lesson(const MsExperiment *experiment);
char *ms_experiment_details(const MsExperiment *experiment, gboolean quick);
