/* SPDX-License-Identifier: MIT */
/*
 * MsStreamSpool: temporary files for inputs and outputs that are pipes, so that an image whose worker died can be read
 * and written again.
 */
#pragma once

#include "core/batch/runner.h"

typedef struct _MsStreamSpool MsStreamSpool;

MsStreamSpool *ms_stream_spool_new(const char *folder);
void ms_stream_spool_free(MsStreamSpool *self);
gboolean ms_stream_spool_take(MsStreamSpool *self, MsBatchItem *item, const MsImageLimits *limits,
                              GCancellable *cancellable, GError **error);
const GArray *ms_stream_spool_get_files(const MsStreamSpool *self);
gboolean ms_stream_spool_deliver(MsStreamSpool *self, MsBatchItem *item, GCancellable *cancellable, GError **error);

GBytes *ms_stream_spool_read(int fd, const char *name, GError **error);
gboolean ms_stream_spool_write(int fd, GBytes *bytes, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsStreamSpool, ms_stream_spool_free)
