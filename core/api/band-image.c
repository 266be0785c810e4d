/* SPDX-License-Identifier: MIT */
#include "band-image.h"

#include <string.h>

#include "core/image/stream/row-window.h"

/**
 * ms_band_image_new:
 * @band: rows of the image, all of its columns
 * @first_row: where they lie in the image
 * @height: rows of the image
 *
 * The rows outside the band are pages that take no memory until they are read, and then hold zeros.
 *
 * Returns: (transfer full): an image of @height rows, or %NULL with #MS_ERROR_MEMORY
 */
MsImage *
ms_band_image_new(MsImage *band, int first_row, int height, GError **error)
{
  if (height == ms_image_get_height(band))
    return g_object_ref(band);
  g_autoptr(MsRowWindow) window = ms_row_window_new(ms_image_get_width(band), height, error);
  if (!window || !ms_row_window_hold(window, first_row + ms_image_get_height(band), error))
    return NULL;
  memcpy(ms_row_window_get_row(window, first_row), ms_image_get_pixels(band), ms_image_get_byte_size(band));
  return ms_image_new(ms_image_get_width(band), height, ms_row_window_get_bytes(window), ms_image_get_metadata(band));
}
