/* SPDX-License-Identifier: MIT */
/* Temporary files for inputs and outputs that are pipes: an image whose worker died is read and written again. */
#pragma once

#include "core/batch/runner.h"

GArray *ms_stream_spool_new(void);
gboolean ms_stream_spool_take(GArray *files, const char *folder, MsBatchItem *item, const MsImageLimits *limits,
                              GCancellable *cancellable, GError **error);
gboolean ms_stream_spool_deliver(const GArray *files, MsBatchItem *item, const MsStreamWait *wait,
                                 GCancellable *cancellable, GError **error);
GBytes *ms_stream_spool_read(int fd, const char *name, GError **error);
gboolean ms_stream_spool_write(int fd, GBytes *bytes, GError **error);
