/* SPDX-License-Identifier: MIT */
/* What a measurement was made on, so that a second person can repeat it. */
#pragma once

#include "core/lab/report/report.h"

/** MS_ENVIRONMENT_FILE: the name of the file in a report folder. */
#define MS_ENVIRONMENT_FILE "environment.json"

gboolean ms_environment_save(GPtrArray *reports, const char *directory, GError **error);
