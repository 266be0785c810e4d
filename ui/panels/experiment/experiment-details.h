/* SPDX-License-Identifier: MIT */
/* An experiment as text: what it varies, what is fixed, what was found and published. */
#pragma once

#include "core/lab/experiment/experiment.h"

G_BEGIN_DECLS

char *ms_experiment_lesson(const MsExperiment *experiment);
char *ms_experiment_details(const MsExperiment *experiment, gboolean quick);

G_END_DECLS
