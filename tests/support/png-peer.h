/* SPDX-License-Identifier: MIT */
/* PNG files by libpng's own encoder, which this program's is tested and measured against. */
#pragma once

#include <glib.h>
#include <png.h>

/**
 * MsPngPeer: what is written.
 * @stride: from one row to the next, in bytes
 * @without_fourth: whether rows have a fourth byte a pixel that is left out
 * @configure: (nullable): sets further chunks, filters and levels before the header is written
 */
typedef struct {
  const guint8 *rows;
  gsize stride;
  int width;
  int height;
  int depth;
  int colour_type;
  int interlace;
  gboolean without_fourth;
  void (*configure)(png_structp png, png_infop info, gpointer data);
  gpointer data;
} MsPngPeer;

GBytes *ms_png_peer_encode(const MsPngPeer *self);
