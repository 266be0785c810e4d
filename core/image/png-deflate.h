/* SPDX-License-Identifier: MIT */
/* Inflates whole zlib streams with libdeflate. */
#pragma once

#include <glib.h>

/* The largest ratio of deflate, which stores at most 258 bytes in two bits. */
#define MS_PNG_DEFLATE_MOST 1032

gboolean ms_png_inflate(const guint8 *data, gsize size, guint8 *out, gsize out_size);
