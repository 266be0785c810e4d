/* SPDX-License-Identifier: MIT */
/* Huffman codes of limited length, as deflate writes them (RFC 1951, 3.2.2). */
#pragma once

#include <glib.h>

/* The most symbols of an alphabet: literals, the end of a block, and lengths. */
#define MS_HUFFMAN_MOST_SYMBOLS 286

void ms_huffman_lengths(const guint32 *counts, guint n, guint limit, guint8 *lengths);
void ms_huffman_codes(const guint8 *lengths, guint n, guint16 *codes);
