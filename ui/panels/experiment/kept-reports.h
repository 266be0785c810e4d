/* SPDX-License-Identifier: MIT */
/*
 * The last complete report of each experiment, kept for the next start of the window: in the user's data folder, a
 * folder for each device with a file NAME.json for each experiment, in the format of --json.
 */
#pragma once

#include "core/lab/report/report.h"

char *ms_kept_reports_folder(const char *device, const char *platform);
gint64 ms_kept_reports_stamp(const char *folder);
void ms_kept_reports_save_async(MsReport *report, gpointer owner, GAsyncReadyCallback done);
gboolean ms_kept_reports_save_finish(GAsyncResult *result, GError **error);
