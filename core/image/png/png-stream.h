/* SPDX-License-Identifier: MIT */
/* MsPngStream: the compressed pixels of a PNG file as one zlib stream, which several threads produce piece by piece. */
#pragma once

#include <gio/gio.h>

#include "core/image/png/png-plan.h"

/** MsPngHold: makes @n rows from @first on valid; %FALSE with @error set when they cannot be made. */
typedef gboolean (*MsPngHold)(gpointer data, gsize first, gsize n, GError **error);

/** MsPngDrop: the rows before @end are not read again. */
typedef void (*MsPngDrop)(gpointer data, gsize end);

typedef struct _MsPngStream MsPngStream;

MsPngStream *ms_png_stream_new(const MsPngRows *rows, const MsPngPlan *plan, int level, GCancellable *cancellable);
void ms_png_stream_set_feed(MsPngStream *self, MsPngHold hold, MsPngDrop drop, gpointer data);
GBytes *ms_png_stream_next(MsPngStream *self, GError **error);
void ms_png_stream_free(MsPngStream *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsPngStream, ms_png_stream_free)
