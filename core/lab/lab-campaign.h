/* SPDX-License-Identifier: MIT */
/* Several experiments: what is shipped, running them one after the other, comparing their reports with a baseline. */
#pragma once

#include "core/lab/lab.h"
#include "core/lab/report/compare.h"

char *ms_lab_list_text(GError **error);
GPtrArray *ms_lab_list_nodes(GError **error);
GPtrArray *ms_lab_report_paths(const char *const *names, const char *directory, GError **error);
GPtrArray *ms_lab_run_experiments(const char *const *names, const MsLabRequest *request, GCancellable *cancellable,
                                  GError **error);

GPtrArray *ms_lab_baseline_load(const char *path, const char *const *names, GError **error);
GPtrArray *ms_lab_compare(GPtrArray *baseline, GPtrArray *reports, double noise);
gboolean ms_lab_comparisons_slower(GPtrArray *comparisons);
guint ms_lab_comparisons_judged(GPtrArray *comparisons);
