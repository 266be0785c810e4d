/* SPDX-License-Identifier: MIT */
/* Compresses, inflates and checks whole zlib streams with libdeflate, where the build has it. */
#pragma once

#include <glib.h>

/* The largest ratio of deflate, which stores at most 258 bytes in two bits. */
#define MS_PNG_DEFLATE_MOST 1032

gboolean ms_png_deflate_is_built(void);
GBytes *ms_png_deflate(const guint8 *data, gsize size, int level);
gboolean ms_png_inflate(const guint8 *data, gsize size, guint8 *out, gsize out_size);
guint32 ms_png_checksum(const guint8 *data, gsize size);
