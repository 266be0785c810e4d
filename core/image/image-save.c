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

/* @options must name a format other than AUTO. */
static gboolean
write_image(MsImage *image, MsImageSink *sink, const MsSaveOptions *options, MsSaveNotes *notes_out, GError **error)
{
  const MsCodec *codec = ms_codec_get(options->format);
  MsSaveNotes notes = {FALSE};
  MsSaveOptions resolved = *options;

  const MsMetadata *metadata = ms_image_get_metadata(image);

  resolved.quality = ms_codec_resolve_quality(codec, options->quality);
  ms_losses_note_geo(&notes, metadata ? metadata->geo : NULL, codec->has_geo);
  gboolean ok = codec->write(image, sink, &resolved, &notes, error);
  if (notes_out)
    *notes_out = notes;
  return ok;
}

static MsAtomicFile *
open_file(const char *path, const MsSaveOptions *options, GCancellable *cancellable, GError **error)
{
  if (options->place)
    return ms_atomic_file_open_below(options->place, path, options->overwrite, cancellable, error);
  return ms_atomic_file_open(path, options->overwrite, cancellable, error);
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

/**
 * ms_image_save:
 * @path: the file to write
 * @options: (nullable): %NULL for ms_save_options_default()
 * @notes: (out) (optional): what the format could not store
 * @cancellable: (nullable): checked for every row or block
 *
 * Writes a temporary file in the folder of @path, flushes it to the disk and then renames it, so that a file under its
 * name is always complete and a failed call leaves none. Without options.overwrite an existing file is kept, also one
 * that appears during the call.
 *
 * Returns: FALSE with %MS_ERROR_EXISTS, %MS_ERROR_IO (disk full, no permission, no such folder), %MS_ERROR_USAGE,
 *   %MS_ERROR_TOO_LARGE or %G_IO_ERROR_CANCELLED
 */
gboolean
ms_image_save(MsImage *image, const char *path, const MsSaveOptions *options, MsSaveNotes *notes,
              GCancellable *cancellable, GError **error)
{
  MsSaveOptions chosen = options ? *options : ms_save_options_default();
  g_autofree char *name = ms_printable(path, "");

  if (!check_options(&chosen, error))
    return FALSE;
  const MsCodec *codec =
    ms_codec_get(chosen.format != MS_IMAGE_FORMAT_AUTO ? chosen.format : ms_codec_for_output(path));
  if (!codec) {
    g_autofree char *extensions = ms_codec_list_extensions();
    ms_set_error(error, MS_ERROR_USAGE,
                 "The name '%s' has no extension of a known format; end it in %s, or choose a format.", name,
                 extensions);
    return FALSE;
  }
  if (!ms_codec_check_sides(codec, name, ms_image_get_width(image), ms_image_get_height(image), error))
    return FALSE;
  chosen.format = codec->format;
  g_autoptr(MsAtomicFile) file = open_file(path, &chosen, cancellable, error);
  if (!file)
    return FALSE;
  MsImageSink sink = {name, write_to_file, ms_atomic_file_is_direct(file) ? NULL : rewrite_file, file, cancellable};
  if (!write_image(image, &sink, &chosen, notes, error))
    return FALSE;
  struct stat info;
  if (chosen.appears && !ms_atomic_file_is_direct(file) && ms_atomic_file_identify(file, &info))
    chosen.appears(&info, chosen.appears_data);
  return ms_atomic_file_commit(file, error);
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
  MsImageSink sink = ms_image_sink_in_memory("image", content, cancellable);

  if (!check_options(&chosen, error))
    return NULL;
  if (chosen.format == MS_IMAGE_FORMAT_AUTO)
    chosen.format = MS_IMAGE_FORMAT_DEFAULT;
  if (!ms_codec_check_sides(ms_codec_get(chosen.format), sink.name, ms_image_get_width(image),
                            ms_image_get_height(image), error) ||
      !write_image(image, &sink, &chosen, notes, error))
    return NULL;
  return g_byte_array_free_to_bytes(g_steal_pointer(&content));
}
