/* SPDX-License-Identifier: MIT */
#include "core/image/codec.h"

#include "core/error.h"
#include "core/image/exif.h"
#include "core/image/icc.h"
#include "core/image/orientation.h"

/* Below this many bytes of pixels a bogus header does no harm, so that no odd but valid small file is turned away. */
#define SMALL_PIXELS (G_GUINT64_CONSTANT(64) << 20)

/* So that width * height * 4 fits everywhere, whatever limit the caller sets. */
#define MOST_PIXELS (G_GUINT64_CONSTANT(1) << 60)

/** ms_image_limits_default: one gigapixel, 100 scans, 32 MiB of metadata. */
MsImageLimits
ms_image_limits_default(void)
{
  return (MsImageLimits){
    .max_pixels = MS_IMAGE_DEFAULT_MAX_PIXELS,
    .max_scans = 100,
    .max_metadata = 32 << 20,
  };
}

/**
 * ms_save_options_default:
 *
 * Level 3 is the last of zlib's fast ones: photographs take a third of the time of its own default of 6 for files
 * five per cent larger.
 *
 * Returns: format by extension, JPEG quality 92, PNG level 3, no file is overwritten
 */
MsSaveOptions
ms_save_options_default(void)
{
  return (MsSaveOptions){
    .format = MS_IMAGE_FORMAT_AUTO,
    .quality = 92,
    .compression = 3,
    .overwrite = FALSE,
  };
}

/**
 * ms_image_source_read:
 * @size: bytes wanted
 * @got: (out): bytes read, less than @size only at the end of the file
 *
 * Returns: FALSE when the file cannot be read or the call was cancelled
 */
gboolean
ms_image_source_read(MsImageSource *self, void *buffer, gsize size, gsize *got, GError **error)
{
  g_autoptr(GError) reason = NULL;

  if (g_input_stream_read_all(self->stream, buffer, size, got, self->cancellable, &reason))
    return TRUE;
  if (g_error_matches(reason, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    g_propagate_error(error, g_steal_pointer(&reason));
  else
    g_set_error(error, MS_ERROR, MS_ERROR_IO, "Cannot read '%s': %s; check the disk and try again.", self->name,
                reason->message);
  return FALSE;
}

/**
 * ms_image_source_check_size:
 * @width: pixels in a row, as the header says
 * @height: rows, as the header says
 * @least_bytes: a file with that picture cannot be smaller, however well it compresses
 *
 * Refuses what is above the limit, and a header that promises more than the file can hold: such a file would
 * make the program allocate gigabytes only to find the data missing.
 *
 * Returns: FALSE with %MS_ERROR_TOO_LARGE or %MS_ERROR_FORMAT
 */
gboolean
ms_image_source_check_size(MsImageSource *self, guint64 width, guint64 height, guint64 least_bytes, GError **error)
{
  guint64 pixels = width * height;

  if (pixels > self->limits->max_pixels || pixels > MOST_PIXELS) {
    g_set_error(error, MS_ERROR, MS_ERROR_TOO_LARGE,
                "'%s' is too large: %" G_GUINT64_FORMAT " x %" G_GUINT64_FORMAT
                " pixels, the limit is %" G_GUINT64_FORMAT " pixels; scale it down or raise the limit.",
                self->name, width, height, self->limits->max_pixels);
    return FALSE;
  }
  if (pixels * 4 > SMALL_PIXELS && least_bytes > self->size) {
    g_set_error(error, MS_ERROR, MS_ERROR_FORMAT,
                "'%s' is damaged: it claims %" G_GUINT64_FORMAT " x %" G_GUINT64_FORMAT
                " pixels, but its %" G_GUINT64_FORMAT " bytes cannot hold them; get a fresh copy of it.",
                self->name, width, height, self->size);
    return FALSE;
  }
  return TRUE;
}

/**
 * ms_image_source_alloc_pixels:
 *
 * Returns: (transfer full): width * height * 4 bytes, not cleared, or %NULL with %MS_ERROR_MEMORY
 */
guint8 *
ms_image_source_alloc_pixels(MsImageSource *self, guint64 width, guint64 height, GError **error)
{
  guint8 *pixels = g_try_malloc(width * height * 4);

  if (pixels == NULL)
    g_set_error(error, MS_ERROR, MS_ERROR_MEMORY,
                "Not enough memory for '%s': its %" G_GUINT64_FORMAT " x %" G_GUINT64_FORMAT
                " pixels need %" G_GUINT64_FORMAT " MiB; close other programs or scale it down.",
                self->name, width, height, (width * height * 4) >> 20);
  return pixels;
}

/**
 * ms_image_source_finish:
 * @pixels: (transfer full): the pixels as stored in the file
 * @raw: (transfer none): the metadata as stored in the file
 *
 * The last step of both decoders: turns the picture upright, and keeps of the metadata what is still true of it. A
 * profile that is not one for RGB does not describe the pixels any more (grey and CMYK became RGB) and is left behind.
 *
 * Returns: (transfer full): the image
 */
MsImage *
ms_image_source_finish(MsImageSource *self, guint8 *pixels, int width, int height, MsMetadata *raw, GError **error)
{
  int orientation = 1;
  guint32 x_resolution = raw->x_pixels_per_metre;
  guint32 y_resolution = raw->y_pixels_per_metre;
  g_autoptr(GBytes) exif = raw->exif ? ms_exif_make_upright(raw->exif, &orientation) : NULL;
  GBytes *icc = raw->icc && ms_icc_is_rgb(raw->icc) ? raw->icc : NULL;

  if (exif != NULL && x_resolution == 0)
    ms_exif_get_resolution(raw->exif, &x_resolution, &y_resolution);
  if (!ms_orientation_apply(&pixels, &width, &height, orientation)) {
    g_free(pixels);
    g_set_error(error, MS_ERROR, MS_ERROR_MEMORY,
                "Not enough memory to turn '%s' upright; close other programs or scale it down.", self->name);
    return NULL;
  }
  if (ms_orientation_swaps_sides(orientation)) {
    guint32 swap = x_resolution;
    x_resolution = y_resolution;
    y_resolution = swap;
  }
  g_autoptr(MsMetadata) metadata = ms_metadata_new(icc, exif, x_resolution, y_resolution);
  return ms_image_new_take(width, height, pixels, metadata);
}
