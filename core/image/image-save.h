/* SPDX-License-Identifier: MIT */
/* Saves images: encodes them in any format of the table of codecs, and saves files atomically. */
#pragma once

#include <sys/stat.h>

#include "core/image/common/image.h"
#include "core/image/common/losses.h"
#include "core/image/file/atomic-file.h"

/** MS_QUALITY_AUTO: the format's own quality: 92 for JPEG, lossless for WebP. */
#define MS_QUALITY_AUTO (-1)

/**
 * MsSaveOptions:
 * @format: AUTO takes it from the extension of the path
 * @quality: 1 to 100 for formats with lossy compression, or %MS_QUALITY_AUTO; from 90 on colours keep full resolution
 * @compression: effort of lossless compression, 0 to 9, as zlib's levels
 * @overwrite: whether a file of that name is replaced; otherwise it is left alone and the save fails
 * @is_converted: whether the image was converted to sRGB when it was read, which only manifests need to know
 * @threads: how many threads may encode the image; 0 counts as 1
 * @saves_memory: whether a PNG file is compressed in bands of rows where compressing it as a whole is faster; the
 *   pixels are the same, the bytes of the file are not
 * @place: (nullable): the folder of a batch above the file, see ms_atomic_file_open_below(); %NULL for a file that a
 *   person named
 * @appears: (nullable): called with a file that is written, just before it gets its name
 */
typedef struct {
  MsImageFormat format;
  int quality;
  int compression;
  gboolean overwrite;
  gboolean is_converted;
  guint threads;
  gboolean saves_memory;
  const MsAtomicPlace *place;
  void (*appears)(const struct stat *file, gpointer data);
  gpointer appears_data;
} MsSaveOptions;

/**
 * MsImageSink:
 * @name: the file's name in messages
 * @write: appends bytes; returns FALSE with @error set when it cannot
 * @rewrite: (nullable): replaces bytes that were written before; %NULL where they cannot be, as in a pipe
 * @target: for @write and @rewrite
 * @cancellable: (nullable): checked for every row or block
 */
typedef struct _MsImageSink MsImageSink;
struct _MsImageSink {
  const char *name;
  gboolean (*write)(MsImageSink *self, const void *data, gsize size, GError **error);
  gboolean (*rewrite)(MsImageSink *self, guint64 offset, const void *data, gsize size, GError **error);
  gpointer target;
  GCancellable *cancellable;
};

MsSaveOptions ms_save_options_default(void);
void ms_image_lay_on_white(const guint8 *row, guint8 *flat, int width);
MsImageSink ms_image_sink_in_memory(const char *name, GByteArray *content, GCancellable *cancellable);

gboolean ms_image_save(MsImage *image, const char *path, const MsSaveOptions *options, MsSaveNotes *notes,
                       GCancellable *cancellable, GError **error);
GBytes *ms_image_encode(MsImage *image, const MsSaveOptions *options, MsSaveNotes *notes, GCancellable *cancellable,
                        GError **error);
