/* SPDX-License-Identifier: MIT */
/* Reports of several devices side by side: the same rows, a column of times for each. */
#pragma once

#include "core/lab/report/report.h"

char *ms_reports_merge_to_text(GPtrArray *reports, gboolean markdown);
MsChart *ms_reports_merge_to_chart(GPtrArray *reports, const char *experiment);
gboolean ms_reports_merge_save(GPtrArray *reports, const char *directory, GError **error);
