/* SPDX-License-Identifier: MIT */
#include "core/image/image-save.h"

#include <string.h>

#include "core/error.h"
#include "core/image/codec.h"
#include "core/image/common/losses.h"
#include "core/image/file/atomic-file.h"
#include "core/text.h"

/**
 * ms_save_options_default:
 *
 * The compression is 3, the last of zlib's fast levels: photographs take a third of the time of level 6, zlib's
 * default, for files five per cent larger.
 *
 * Returns: format by extension, the format's own quality, compression 3, no file is overwritten
 */
MsSaveOptions
ms_save_options_default(void)
{
  return (MsSaveOptions){
    .format = MS_IMAGE_FORMAT_AUTO,
    .quality = MS_QUALITY_AUTO,
    .compression = 3,
    .overwrite = FALSE,
  };
}

static gboolean
write_to_memory(MsImageSink *sink, const void *data, gsize size, GError **error)
{
  GByteArray *content = sink->target;

  if (size > G_MAXUINT - content->len) {
    ms_set_error(error, MS_ERROR_TOO_LARGE, "The encoded image has more than 4 GiB; save it to a file.");
    return FALSE;
  }
  g_byte_array_append(content, data, size);
  return TRUE;
}

static gboolean
rewrite_memory(MsImageSink *sink, guint64 offset, const void *data, gsize size, GError **error)
{
  GByteArray *content = sink->target;

  g_assert(offset + size <= content->len);
  memcpy(content->data + offset, data, size);
  return TRUE;
}

/**
 * ms_image_sink_in_memory:
 * @name: the file's name in messages
 * @content: gets the bytes; must outlive the sink
 *
 * Returns: a sink of at most 4 GiB
 */
MsImageSink
ms_image_sink_in_memory(const char *name, GByteArray *content, GCancellable *cancellable)
{
  return (MsImageSink){name, write_to_memory, rewrite_memory, content, cancellable};
}

/**
 * ms_image_lay_on_white: for formats without transparency.
 * @row: @width RGBA pixels
 * @flat: (out): the same composed on white; its alpha is not written
 */
void
ms_image_lay_on_white(const guint8 *row, guint8 *flat, int width)
{
  for (int x = 0; x < width; x++, row += 4, flat += 4)
    for (int k = 0; k < 3; k++)
      flat[k] = (row[k] * row[3] + 255 * (255 - row[3]) + 127) / 255;
}

static gboolean
check_options(const MsSaveOptions *options, GError **error)
{
  if (options->quality != MS_QUALITY_AUTO && (options->quality < 1 || options->quality > 100)) {
    ms_set_error(error, MS_ERROR_USAGE, "A quality of %d is not possible; choose 1 to 100.", options->quality);
    return FALSE;
  }
  if (options->compression < 0 || options->compression > 9) {
    ms_set_error(error, MS_ERROR_USAGE, "A compression of %d is not possible; choose 0 to 9.", options->compression);
    return FALSE;
  }
  return TRUE;
}

/** ms_image_writer_put: for codecs: appends bytes; %FALSE with the error in @self. */
gboolean
ms_image_writer_put(MsImageWriter *self, const void *data, gsize size)
{
  return !self->error && self->sink.write(&self->sink, data, size, &self->error);
}

/** ms_image_writer_is_cancelled: for codecs: whether writing ends, since it was cancelled or has failed. */
gboolean
ms_image_writer_is_cancelled(MsImageWriter *self)
{
  return self->error || g_cancellable_set_error_if_cancelled(self->sink.cancellable, &self->error);
}

/** ms_image_get_frame: its metadata stay those of @image. */
MsImageFrame
ms_image_get_frame(MsImage *image)
{
  return (MsImageFrame){ms_image_get_width(image), ms_image_get_height(image), !ms_image_has_transparency(image),
                        ms_image_get_metadata(image)};
}

/* Refuses what the format cannot write before a file is opened; @options have been checked. */
static MsImageWriter *
new_writer(const MsCodec *codec, const char *name, const MsImageFrame *frame, const MsSaveOptions *options,
           GError **error)
{
  if (!ms_codec_check_sides(codec, name, frame->width, frame->height, error))
    return NULL;
  MsImageWriter *self = g_new0(MsImageWriter, 1);
  self->codec = codec;
  self->frame = *frame;
  self->options = *options;
  self->options.quality = ms_codec_resolve_quality(codec, options->quality);
  self->sink.name = g_strdup(name);
  if (frame->metadata)
    ms_metadata_ref(frame->metadata);
  ms_losses_note_geo(&self->notes, frame->metadata ? frame->metadata->geo : NULL, codec->has_geo);
  return self;
}

/* Passes on the error of the codec's last function. */
static gboolean
finish_step(MsImageWriter *self, gboolean good, GError **error)
{
  g_assert(good == (self->error == NULL));
  if (self->error)
    g_propagate_error(error, g_steal_pointer(&self->error));
  return good;
}

/* @sink: whose name is not used */
static gboolean
begin(MsImageWriter *self, const MsImageSink *sink, GError **error)
{
  self->sink = (MsImageSink){self->sink.name, sink->write, sink->rewrite, sink->target, sink->cancellable};
  return finish_step(self, !self->codec->encoder->begin || self->codec->encoder->begin(self), error);
}

static MsAtomicFile *
open_file(const char *path, const MsSaveOptions *options, GCancellable *cancellable, GError **error)
{
  const gboolean overwrite = options->overwrite;

  return options->place ? ms_atomic_file_open_below(options->place, path, overwrite, cancellable, error)
                        : ms_atomic_file_open(path, overwrite, cancellable, error);
}

static gboolean
write_to_file(MsImageSink *sink, const void *data, gsize size, GError **error)
{
  return ms_atomic_file_write(sink->target, data, size, error);
}

static gboolean
rewrite_file(MsImageSink *sink, guint64 offset, const void *data, gsize size, GError **error)
{
  return ms_atomic_file_rewrite(sink->target, offset, data, size, error);
}

/* The format that the options or the name of a file stand for. */
static const MsCodec *
find_codec(const char *path, const char *name, const MsSaveOptions *options, GError **error)
{
  const MsCodec *codec =
    ms_codec_get(options->format != MS_IMAGE_FORMAT_AUTO ? options->format : ms_codec_for_output(path));

  if (codec)
    return codec;
  g_autofree char *extensions = ms_codec_list_extensions();
  ms_set_error(error, MS_ERROR_USAGE,
               "The name '%s' has no extension of a known format; end it in %s, or choose a format.", name, extensions);
  return NULL;
}

/**
 * ms_image_writer_new:
 * @path: the file to write
 * @frame: of the image
 * @options: (nullable): %NULL for ms_save_options_default()
 * @cancellable: (nullable): checked for every row or block
 *
 * Begins a temporary file in the folder of @path, which ms_image_writer_end() flushes to the disk and then renames, so
 * that a file under its name is always complete and a failed call leaves none. Without options.overwrite an existing
 * file is kept, also one that appears meanwhile.
 *
 * Returns: (transfer full): the writer, or %NULL with %MS_ERROR_EXISTS, %MS_ERROR_IO (disk full, no permission, no such
 *   folder), %MS_ERROR_USAGE, %MS_ERROR_TOO_LARGE or %G_IO_ERROR_CANCELLED
 */
MsImageWriter *
ms_image_writer_new(const char *path, const MsImageFrame *frame, const MsSaveOptions *options,
                    GCancellable *cancellable, GError **error)
{
  const MsSaveOptions chosen = options ? *options : ms_save_options_default();
  g_autofree char *name = ms_printable(path, "");
  const MsCodec *codec = check_options(&chosen, error) ? find_codec(path, name, &chosen, error) : NULL;
  g_autoptr(MsImageWriter) self = codec ? new_writer(codec, name, frame, &chosen, error) : NULL;

  if (!self)
    return NULL;
  self->file = open_file(path, &chosen, cancellable, error);
  if (!self->file)
    return NULL;
  const MsImageSink sink = {NULL, write_to_file, ms_atomic_file_is_direct(self->file) ? NULL : rewrite_file, self->file,
                            cancellable};
  return begin(self, &sink, error) ? g_steal_pointer(&self) : NULL;
}

/**
 * ms_image_writer_rows: takes the rows that follow those before; a format that needs the image as a whole takes all at
 * once. The encoder may keep a reference to them.
 *
 * Returns: %FALSE with %MS_ERROR_IO, %MS_ERROR_MEMORY or %G_IO_ERROR_CANCELLED
 */
gboolean
ms_image_writer_rows(MsImageWriter *self, MsImage *rows, GError **error)
{
  g_return_val_if_fail(self->y + ms_image_get_height(rows) <= self->frame.height, FALSE);
  g_return_val_if_fail(self->codec->encoder->bytes || ms_image_get_height(rows) == self->frame.height, FALSE);

  const gboolean good = self->codec->encoder->rows(self, rows);
  self->y += ms_image_get_height(rows);
  return finish_step(self, good, error);
}

static gboolean
end(MsImageWriter *self, GError **error)
{
  g_return_val_if_fail(self->y == self->frame.height, FALSE);

  return finish_step(self, !self->codec->encoder->end || self->codec->encoder->end(self), error);
}

/* Gives the file its name. */
static gboolean
commit(MsImageWriter *self, GError **error)
{
  const MsSaveOptions *options = &self->options;
  struct stat info;

  if (options->appears && !ms_atomic_file_is_direct(self->file) &&
      (!ms_atomic_file_finish(self->file, &info, error) || !options->appears(&info, options->appears_data, error)))
    return FALSE;
  return ms_atomic_file_commit(self->file, error);
}

/**
 * ms_image_writer_end: completes the file, which then appears under its name.
 *
 * Returns: %FALSE with the errors of ms_image_writer_new(); after %MS_ERROR_EXISTS,
 *   ms_image_writer_rename() is possible
 */
gboolean
ms_image_writer_end(MsImageWriter *self, GError **error)
{
  return end(self, error) && commit(self, error);
}

/** ms_image_writer_rename: gives the complete file another name in the same folder; the errors of the end. */
gboolean
ms_image_writer_rename(MsImageWriter *self, const char *path, GError **error)
{
  return ms_atomic_file_set_path(self->file, path, error) && commit(self, error);
}

/** ms_image_writer_free: unless the file is complete, nothing of it remains. */
void
ms_image_writer_free(MsImageWriter *self)
{
  if (self->encoder)
    self->codec->encoder->free(self);
  g_clear_pointer(&self->frame.metadata, ms_metadata_unref);
  g_clear_pointer(&self->file, ms_atomic_file_free);
  g_clear_error(&self->error);
  g_free((char *)self->sink.name);
  g_free(self);
}

/**
 * ms_image_write:
 * @sink: where the bytes go
 * @options: with a format
 * @notes: (out) (optional): what the format could not store
 *
 * Returns: %FALSE with the errors of ms_image_encode() or that of the sink
 */
gboolean
ms_image_write(MsImage *image, const MsImageSink *sink, const MsSaveOptions *options, MsSaveNotes *notes,
               GError **error)
{
  const MsImageFrame frame = ms_image_get_frame(image);
  g_autoptr(MsImageWriter) writer = check_options(options, error)
                                      ? new_writer(ms_codec_get(options->format), sink->name, &frame, options, error)
                                      : NULL;

  if (!writer || !begin(writer, sink, error) || !ms_image_writer_rows(writer, image, error) || !end(writer, error))
    return FALSE;
  if (notes)
    *notes = writer->notes;
  return TRUE;
}

/**
 * ms_image_save: writes a whole image by an #MsImageWriter.
 * @notes: (out) (optional): what the format could not store
 */
gboolean
ms_image_save(MsImage *image, const char *path, const MsSaveOptions *options, MsSaveNotes *notes,
              GCancellable *cancellable, GError **error)
{
  const MsImageFrame frame = ms_image_get_frame(image);
  g_autoptr(MsImageWriter) writer = ms_image_writer_new(path, &frame, options, cancellable, error);

  if (!writer || !ms_image_writer_rows(writer, image, error) || !ms_image_writer_end(writer, error))
    return FALSE;
  if (notes)
    *notes = writer->notes;
  return TRUE;
}

/**
 * ms_image_encode:
 * @options: (nullable): %NULL for ms_save_options_default(); AUTO means %MS_IMAGE_FORMAT_DEFAULT here
 * @notes: (out) (optional): what the format could not store
 *
 * Like ms_image_save(), for standard output and other targets that are not files.
 *
 * Returns: (transfer full): the content of the file, or %NULL with %MS_ERROR_USAGE, %MS_ERROR_TOO_LARGE
 *   or %G_IO_ERROR_CANCELLED
 */
GBytes *
ms_image_encode(MsImage *image, const MsSaveOptions *options, MsSaveNotes *notes, GCancellable *cancellable,
                GError **error)
{
  MsSaveOptions chosen = options ? *options : ms_save_options_default();
  g_autoptr(GByteArray) content = g_byte_array_new();
  const MsImageSink sink = ms_image_sink_in_memory("image", content, cancellable);

  if (chosen.format == MS_IMAGE_FORMAT_AUTO)
    chosen.format = MS_IMAGE_FORMAT_DEFAULT;
  return ms_image_write(image, &sink, &chosen, notes, error) ? g_byte_array_free_to_bytes(g_steal_pointer(&content))
                                                             : NULL;
}
