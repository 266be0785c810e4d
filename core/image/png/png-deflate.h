/* SPDX-License-Identifier: MIT */
/* Compresses a whole buffer into a zlib stream with libdeflate, where the build has it. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

gboolean ms_png_deflate_is_built(void);
GBytes *ms_png_deflate(const guint8 *data, gsize size, int level);

G_END_DECLS
