/* SPDX-License-Identifier: MIT */
/* What a measurement was made on, so that a second person can repeat it. */
#pragma once

#include "core/lab/report/report.h"
#include "core/opencl/context.h"

/** MS_ENVIRONMENT_FILE: the name of the file in a report folder. */
#define MS_ENVIRONMENT_FILE "environment.json"

char *ms_environment_system(void);
char *ms_environment_hash_sources(const MsReport *report);
gboolean ms_environment_save(GPtrArray *reports, MsContext *context, const MsAtomicPlace *place, GError **error);
