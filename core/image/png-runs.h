/* SPDX-License-Identifier: MIT */
/* Compresses filtered rows by runs of equal bytes and Huffman codes. */
#pragma once

#include <glib.h>

/** MS_PNG_MOST_SYMBOLS: of an alphabet: literals, the end of a block, and lengths. */
#define MS_PNG_MOST_SYMBOLS 286

void ms_png_huffman_lengths(const guint32 *counts, guint n, guint limit, guint8 *lengths);
GBytes *ms_png_runs_deflate(const guint8 *data, gsize n, gboolean is_last);
