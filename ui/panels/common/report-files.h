/* SPDX-License-Identifier: MIT */
/*
 * Reports of experiments that another thread reads from files or saves: those that the user names, and the last
 * complete one of each experiment, kept for the next start of the window: in the user's data folder, a folder for each
 * device with a file NAME.json for each experiment, in the format of --json.
 */
#pragma once

#include <gio/gio.h>

#include "core/lab/report/report.h"

void ms_report_files_load_async(const char *const *paths, gpointer owner, GAsyncReadyCallback done);
GPtrArray *ms_report_files_load_finish(GAsyncResult *result, char **problems);

char *ms_kept_reports_folder(const char *device, const char *platform);
gint64 ms_kept_reports_stamp(const char *folder);
void ms_kept_reports_save_async(MsReport *report, gpointer owner, GAsyncReadyCallback done);
gboolean ms_kept_reports_save_finish(GAsyncResult *result, GError **error);
