/* SPDX-License-Identifier: MIT */
#include "ui/image-view/pixbuf.h"

#include <string.h>

/** ms_pixbuf_from_image: (transfer full): shares the pixels. */
GdkPixbuf *
ms_pixbuf_from_image(MsImage *image)
{
  return gdk_pixbuf_new_from_bytes(ms_image_get_bytes(image), GDK_COLORSPACE_RGB, TRUE, 8, ms_image_get_width(image),
                                   ms_image_get_height(image), (int)ms_image_get_stride(image));
}

/** ms_pixbuf_to_image: (transfer full): a copy; without an alpha channel everything is opaque. */
MsImage *
ms_pixbuf_to_image(GdkPixbuf *pixbuf)
{
  int width = gdk_pixbuf_get_width(pixbuf), height = gdk_pixbuf_get_height(pixbuf);
  int channels = gdk_pixbuf_get_n_channels(pixbuf), stride = gdk_pixbuf_get_rowstride(pixbuf);
  const guint8 *from = gdk_pixbuf_read_pixels(pixbuf);
  guint8 *pixels = g_malloc((gsize)width * height * 4), *p = pixels;

  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++, p += 4) {
      const guint8 *q = from + (gsize)y * stride + (gsize)x * channels;
      memcpy(p, q, 3);
      p[3] = channels == 4 ? q[3] : 255;
    }
  return ms_image_new_take(width, height, pixels, NULL);
}
