/* SPDX-License-Identifier: MIT */
/* Replaces png-deflate.c in a build without libdeflate. */
#include "core/image/png-deflate.h"

#include <zlib.h>

gboolean
ms_png_deflate_is_built(void)
{
  return FALSE;
}

GBytes *
ms_png_deflate(const guint8 *data, gsize size, int level)
{
  g_return_val_if_reached(NULL);
}

gboolean
ms_png_inflate(const guint8 *data, gsize size, guint8 *out, gsize out_size)
{
  g_return_val_if_reached(FALSE);
}

guint32
ms_png_checksum(const guint8 *data, gsize size)
{
  return (guint32)adler32_z(1, data, size);
}
