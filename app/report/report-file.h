/* SPDX-License-Identifier: MIT */
/* MsReportFile: a file that appears under its name only when it is complete, or standard output for "-". */
#pragma once

#include <gio/gio.h>

typedef struct _MsReportFile MsReportFile;

MsReportFile *ms_report_file_open(const char *path, GCancellable *cancellable, GError **error);
void ms_report_file_free(MsReportFile *self);
void ms_report_file_write(MsReportFile *self, const char *text);
gboolean ms_report_file_close(MsReportFile *self, GError **error);
gboolean ms_report_file_save(const char *path, const char *text, GCancellable *cancellable, GError **error);
gboolean ms_report_file_save_nodes(const char *path, const char *member, GPtrArray *nodes, GCancellable *cancellable,
                                   GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsReportFile, ms_report_file_free)
