/* SPDX-License-Identifier: MIT */
/* MsReporter: reports the results of a batch in the order of its images: tables, JSON, CSV, notes and errors. */
#pragma once

#include "app/report/console.h"
#include "core/batch/event.h"

typedef struct _MsReporter MsReporter;

MsReporter *ms_reporter_new(const MsCommandLine *line, GPtrArray *items, MsConsole *console, GCancellable *cancellable,
                            GError **error);
void ms_reporter_free(MsReporter *self);
void ms_reporter_take(MsReporter *self, MsBatchEvent *event);
gboolean ms_reporter_close(MsReporter *self, gboolean interrupted, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsReporter, ms_reporter_free)
