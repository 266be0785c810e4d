/* SPDX-License-Identifier: MIT */
#include "core/image/png-deflate.h"

#include <libdeflate.h>

/**
 * ms_png_inflate:
 * @data: a zlib stream; bytes behind its end are ignored
 * @out: (out): @out_size bytes
 *
 * Returns: FALSE when the stream is damaged or has another size than @out_size, or there is not enough memory
 */
gboolean
ms_png_inflate(const guint8 *data, gsize size, guint8 *out, gsize out_size)
{
  struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();

  if (!decompressor)
    return FALSE;
  enum libdeflate_result result = libdeflate_zlib_decompress(decompressor, data, size, out, out_size, NULL);
  libdeflate_free_decompressor(decompressor);
  return result == LIBDEFLATE_SUCCESS;
}
