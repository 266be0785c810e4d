/* SPDX-License-Identifier: MIT */
#include "core/error.h"
#include "core/image/atomic-file.h"
#include "core/image/image-io.h"
#include "core/image/jpeg.h"
#include "core/image/png.h"

static gboolean
check_options(const MsSaveOptions *options, GError **error)
{
  if (options->quality < 1 || options->quality > 100) {
    g_set_error(error, MS_ERROR, MS_ERROR_USAGE, "A JPEG quality of %d is not possible; choose 1 to 100.",
                options->quality);
    return FALSE;
  }
  if (options->compression < 0 || options->compression > 9) {
    g_set_error(error, MS_ERROR, MS_ERROR_USAGE, "A PNG compression of %d is not possible; choose 0 to 9.",
                options->compression);
    return FALSE;
  }
  return TRUE;
}

static gboolean
write_image(MsImage *image, MsImageSink *sink, const MsSaveOptions *options, MsSaveNotes *notes_out, GError **error)
{
  MsSaveNotes notes = {FALSE};
  gboolean ok = options->format == MS_IMAGE_FORMAT_PNG ? ms_png_write(image, sink, options, &notes, error)
                                                       : ms_jpeg_write(image, sink, options, &notes, error);

  if (notes_out != NULL)
    *notes_out = notes;
  return ok;
}

static gboolean
write_to_file(MsImageSink *sink, const void *data, gsize size, GError **error)
{
  return ms_atomic_file_write(sink->target, data, size, error);
}

/**
 * ms_image_save:
 * @path: the file to make
 * @options: (nullable): %NULL for ms_save_options_default()
 * @notes: (out) (optional): what the format could not hold
 * @cancellable: (nullable): looked at for every row
 *
 * Writes a temporary file in the folder of @path, puts it on the disk and then under its name: nobody ever sees half a
 * file, and when the call fails nothing of it is left. Without options.overwrite a file of that name stays, also one
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
  g_autofree char *name = g_filename_display_name(path);

  if (!check_options(&chosen, error))
    return FALSE;
  if (chosen.format == MS_IMAGE_FORMAT_AUTO)
    chosen.format = ms_image_format_from_path(path);
  if (chosen.format == MS_IMAGE_FORMAT_AUTO) {
    g_set_error(error, MS_ERROR, MS_ERROR_USAGE,
                "Cannot tell the format of '%s'; end its name in .png or .jpg or choose a format.", name);
    return FALSE;
  }
  g_autoptr(MsAtomicFile) file = ms_atomic_file_open(path, chosen.overwrite, error);
  if (file == NULL)
    return FALSE;
  MsImageSink sink = {name, write_to_file, file, cancellable};
  return write_image(image, &sink, &chosen, notes, error) && ms_atomic_file_commit(file, error);
}

static gboolean
write_to_memory(MsImageSink *sink, const void *data, gsize size, GError **error)
{
  GByteArray *content = sink->target;

  if (size > G_MAXUINT - content->len) {
    g_set_error(error, MS_ERROR, MS_ERROR_TOO_LARGE, "The encoded image has more than 4 GiB; save it to a file.");
    return FALSE;
  }
  g_byte_array_append(content, data, size);
  return TRUE;
}

/**
 * ms_image_encode:
 * @options: (nullable): %NULL for ms_save_options_default(); AUTO means PNG here
 * @notes: (out) (optional): what the format could not hold
 *
 * Like ms_image_save(), for standard output and everything else that is no file.
 *
 * Returns: (transfer full): the content of the file, or %NULL with %MS_ERROR_USAGE, %MS_ERROR_TOO_LARGE or
 *   %G_IO_ERROR_CANCELLED
 */
GBytes *
ms_image_encode(MsImage *image, const MsSaveOptions *options, MsSaveNotes *notes, GCancellable *cancellable,
                GError **error)
{
  MsSaveOptions chosen = options ? *options : ms_save_options_default();
  g_autoptr(GByteArray) content = g_byte_array_new();
  MsImageSink sink = {"image", write_to_memory, content, cancellable};

  if (!check_options(&chosen, error))
    return NULL;
  if (chosen.format == MS_IMAGE_FORMAT_AUTO)
    chosen.format = MS_IMAGE_FORMAT_PNG;
  if (!write_image(image, &sink, &chosen, notes, error))
    return NULL;
  return g_byte_array_free_to_bytes(g_steal_pointer(&content));
}
