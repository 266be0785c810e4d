/* SPDX-License-Identifier: MIT */
#include "band-image.h"

#include <string.h>
#include <sys/mman.h>

#include "core/error.h"

typedef struct {
  void *pages;
  gsize size;
} Mapping;

static void
mapping_free(gpointer data)
{
  Mapping *self = data;

  munmap(self->pages, self->size);
  g_free(self);
}

static GBytes *
map_zeros(gsize size, guint8 **pixels, GError **error)
{
  void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  Mapping *mapping = NULL;

  if (pages == MAP_FAILED) {
    g_set_error(error, MS_ERROR, MS_ERROR_MEMORY,
                "There are not enough addresses for an image of %" G_GSIZE_FORMAT " bytes.", size);
    return NULL;
  }
  *pixels = pages;
  mapping = g_new(Mapping, 1);
  *mapping = (Mapping){pages, size};
  return g_bytes_new_with_free_func(pages, size, mapping_free, mapping);
}

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
  gsize stride = ms_image_get_stride(band);
  guint8 *pixels = NULL;
  g_autoptr(GBytes) bytes = NULL;

  if (height == ms_image_get_height(band))
    return g_object_ref(band);
  bytes = map_zeros(stride * height, &pixels, error);
  if (!bytes)
    return NULL;
  memcpy(pixels + stride * first_row, ms_image_get_pixels(band), ms_image_get_byte_size(band));
  return ms_image_new(ms_image_get_width(band), height, bytes, ms_image_get_metadata(band));
}
