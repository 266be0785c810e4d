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
 * @threads: how many threads may encode the image; 0 counts as 1
 * @saves_memory: whether a PNG file is compressed in bands of rows where compressing it as a whole is faster; the
 *   pixels are the same, the bytes of the file are not
 * @place: (nullable): the folder of a batch above the file, see ms_atomic_file_open_below(); %NULL for a file that a
 *   person named
 * @appears: (nullable): called with a file that is on the disk, just before it gets its name, which it may refuse
 */
typedef struct {
  MsImageFormat format;
  int quality;
  int compression;
  gboolean overwrite;
  guint threads;
  gboolean saves_memory;
  const MsAtomicPlace *place;
  gboolean (*appears)(const struct stat *file, gpointer data, GError **error);
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

/**
 * MsImageFrame: what is known of an image before its first row.
 * @is_opaque: whether every alpha is 255, which decides how it is encoded
 * @metadata: (nullable): what is saved with the pixels
 */
typedef struct {
  int width;
  int height;
  gboolean is_opaque;
  MsMetadata *metadata;
} MsImageFrame;

/**
 * MsImageWriter: an image file that is written from its rows, from top to bottom.
 * @codec: the row of its format
 * @frame: with a reference to the metadata
 * @options: with a quality from 1 to 100, or 0 for lossless
 * @notes: what the format cannot store
 * @sink: where the bytes go
 * @file: (nullable): the file that they go to
 * @y: rows written
 * @encoder: (nullable): private to the codec
 * @error: (nullable): why the codec's last function failed
 */
typedef struct {
  const MsCodec *codec;
  MsImageFrame frame;
  MsSaveOptions options;
  MsSaveNotes notes;
  MsImageSink sink;
  MsAtomicFile *file;
  int y;
  gpointer encoder;
  GError *error;
} MsImageWriter;

/**
 * MsImageEncoder: how a format is written. The functions leave their error in the writer and return whether there is
 * none.
 * @begin: (nullable): makes the encoder and writes what precedes the rows
 * @rows: takes the next rows; all at once where @bytes is %NULL
 * @end: (nullable): writes what follows the rows
 * @free: (nullable): frees the encoder, also one that could not begin
 * @bytes: (nullable): the working memory beside the rows; %NULL where the format needs the image as a whole
 */
typedef struct {
  gboolean (*begin)(MsImageWriter *self);
  gboolean (*rows)(MsImageWriter *self, MsImage *rows);
  gboolean (*end)(MsImageWriter *self);
  void (*free)(MsImageWriter *self);
  guint64 (*bytes)(int width, int height, const MsSaveOptions *options);
} MsImageEncoder;

MsSaveOptions ms_save_options_default(void);
void ms_image_lay_on_white(const guint8 *row, guint8 *flat, int width);
gboolean ms_image_writer_put(MsImageWriter *self, const void *data, gsize size);
gboolean ms_image_writer_is_cancelled(MsImageWriter *self);

MsImageFrame ms_image_get_frame(MsImage *image);
MsImageWriter *ms_image_writer_new(const char *path, const MsImageFrame *frame, const MsSaveOptions *options,
                                   GCancellable *cancellable, GError **error);
gboolean ms_image_writer_rows(MsImageWriter *self, MsImage *rows, GError **error);
gboolean ms_image_writer_end(MsImageWriter *self, GError **error);
gboolean ms_image_writer_rename(MsImageWriter *self, const char *path, GError **error);
void ms_image_writer_free(MsImageWriter *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsImageWriter, ms_image_writer_free)

MsImageSink ms_image_sink_in_memory(const char *name, GByteArray *content, GCancellable *cancellable);
gboolean ms_image_write(MsImage *image, const MsImageSink *sink, const MsSaveOptions *options, MsSaveNotes *notes,
                        GError **error);
gboolean ms_image_save(MsImage *image, const char *path, const MsSaveOptions *options, MsSaveNotes *notes,
                       GCancellable *cancellable, GError **error);
GBytes *ms_image_encode(MsImage *image, const MsSaveOptions *options, MsSaveNotes *notes, GCancellable *cancellable,
                        GError **error);
