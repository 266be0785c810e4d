/* SPDX-License-Identifier: MIT */
/* Compresses filtered rows by runs of equal bytes and Huffman codes. */
#pragma once

#include <glib.h>

GBytes *ms_png_runs_deflate(const guint8 *data, gsize n, gboolean is_last);
