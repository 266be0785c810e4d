/* SPDX-License-Identifier: MIT */
/* MsPngStream: the compressed pixels of a PNG file as one zlib stream, which several threads produce piece by piece. */
#pragma once

#include <gio/gio.h>

#include "core/image/png/png-filter.h"

G_BEGIN_DECLS

/**
 * MsPngPlan: how an image is compressed.
 * @is_whole: as one buffer by libdeflate if that makes the file no larger; otherwise in bands
 * @band_rows: rows of a band
 * @threads: how many bands are compressed at once
 */
typedef struct {
  gboolean is_whole;
  gsize band_rows;
  guint threads;
} MsPngPlan;

typedef struct _MsPngStream MsPngStream;

MsPngPlan ms_png_plan(const MsPngRows *rows, guint threads);
MsPngStream *ms_png_stream_new(const MsPngRows *rows, const MsPngPlan *plan, int level, GCancellable *cancellable);
GBytes *ms_png_stream_next(MsPngStream *self, GError **error);
void ms_png_stream_free(MsPngStream *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsPngStream, ms_png_stream_free)

G_END_DECLS
