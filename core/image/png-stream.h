/* SPDX-License-Identifier: MIT */
/*
 * MsPngStream: the compressed pixels of a PNG file as one zlib stream, which several threads make of bands of its rows.
 */
#pragma once

#include "core/image/common/image.h"
#include "core/image/png-filter.h"

/**
 * MsPngPlan: how an image is compressed.
 * @band_rows: rows of a band
 * @threads: how many bands are compressed at once
 */
typedef struct {
  gsize band_rows;
  guint threads;
} MsPngPlan;

typedef struct _MsPngStream MsPngStream;

MsPngPlan ms_png_plan(const MsPngRows *rows, guint threads, gboolean saves_memory);
guint64 ms_png_plan_bytes(const MsPngPlan *self, const MsPngRows *rows);

MsPngStream *ms_png_stream_new(const MsPngRows *rows, const MsPngPlan *plan, int level, GCancellable *cancellable);
void ms_png_stream_add(MsPngStream *self, MsImage *rows);
GBytes *ms_png_stream_next(MsPngStream *self, GError **error);
void ms_png_stream_free(MsPngStream *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsPngStream, ms_png_stream_free)
