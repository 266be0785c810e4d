/* SPDX-License-Identifier: MIT */
#include "core/image/png-deflate.h"

#include <libdeflate.h>

/*
 * Up to this level libdeflate's first level is used: on filtered rows its files are as small as those of zlib's third.
 */
#define FAST_LEVEL 3

/** ms_png_deflate_is_built: whether ms_png_deflate() and ms_png_inflate() can be called. */
gboolean
ms_png_deflate_is_built(void)
{
  return TRUE;
}

/**
 * ms_png_deflate:
 * @level: 0 to 9, as zlib's levels
 *
 * Returns: (transfer full) (nullable): a whole zlib stream; %NULL when there is not enough memory
 */
GBytes *
ms_png_deflate(const guint8 *data, gsize size, int level)
{
  struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(level > 0 && level <= FAST_LEVEL ? 1 : level);
  gsize most = compressor ? libdeflate_zlib_compress_bound(compressor, size) : 0;
  guint8 *out = most > 0 ? g_try_malloc(most) : NULL;
  gsize n = out ? libdeflate_zlib_compress(compressor, data, size, out, most) : 0;

  libdeflate_free_compressor(compressor);
  if (n > 0)
    return g_bytes_new_take(g_realloc(out, n), n);
  g_free(out);
  return NULL;
}

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

/** ms_png_checksum: the Adler-32 of @data, which zlib computes at a tenth of the speed. */
guint32
ms_png_checksum(const guint8 *data, gsize size)
{
  return libdeflate_adler32(1, data, size);
}
