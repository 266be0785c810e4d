/* SPDX-License-Identifier: MIT */
/*
 * MsPngStream: the compressed pixels of a PNG file as one zlib stream, which several threads produce band by band.
 */
#pragma once

#include <gio/gio.h>

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

/** MsPngHold: makes @n rows from @first on valid; %FALSE with @error set when they cannot be made. */
typedef gboolean (*MsPngHold)(gpointer data, gsize first, gsize n, GError **error);

/** MsPngDrop: the rows before @end are not read again. */
typedef void (*MsPngDrop)(gpointer data, gsize end);

typedef struct _MsPngStream MsPngStream;

MsPngPlan ms_png_plan(const MsPngRows *rows, guint threads, gboolean saves_memory);
guint64 ms_png_plan_bytes(const MsPngPlan *self, const MsPngRows *rows);

MsPngStream *ms_png_stream_new(const MsPngRows *rows, const MsPngPlan *plan, int level, GCancellable *cancellable);
void ms_png_stream_set_feed(MsPngStream *self, MsPngHold hold, MsPngDrop drop, gpointer data);
GBytes *ms_png_stream_next(MsPngStream *self, GError **error);
void ms_png_stream_free(MsPngStream *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsPngStream, ms_png_stream_free)
