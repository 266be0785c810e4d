/* SPDX-License-Identifier: MIT */
/* Reports of experiments that are read from files on another thread. */
#pragma once

#include <gio/gio.h>

void ms_report_files_load_async(const char *const *paths, gpointer owner, GAsyncReadyCallback done);
GPtrArray *ms_report_files_load_finish(GAsyncResult *result, char **problems);
