/* SPDX-License-Identifier: MIT */
#include "tests/support/png-peer.h"

static void
append(png_structp png, png_bytep data, size_t size)
{
  g_byte_array_append(png_get_io_ptr(png), data, size);
}

static void
flush(png_structp png)
{
}

/** ms_png_peer_encode: (transfer full): the file. */
GBytes *
ms_png_peer_encode(const MsPngPeer *self)
{
  GByteArray *file = g_byte_array_new();
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
  png_infop info = png_create_info_struct(png);
  g_autofree png_bytep *rows = g_new(png_bytep, self->height);

  for (int y = 0; y < self->height; y++)
    rows[y] = (png_bytep)self->rows + y * self->stride;
  png_set_write_fn(png, file, append, flush);
  png_set_IHDR(png, info, self->width, self->height, self->depth, self->colour_type, self->interlace, 0, 0);
  if (self->configure)
    self->configure(png, info, self->data);
  png_write_info(png, info);
  if (self->without_fourth)
    png_set_filler(png, 0, PNG_FILLER_AFTER);
  png_write_image(png, rows);
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  return g_byte_array_free_to_bytes(file);
}
