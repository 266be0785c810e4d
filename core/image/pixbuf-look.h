/* SPDX-License-Identifier: MIT */
/*
 * MsPixbufLook: what the header of a file says before a module of gdk-pixbuf gets it: sizes that its bytes cannot hold,
 * kinds that the module reads wrongly, further pictures, and a PNG file inside.
 */
#pragma once

#include "core/image/common/image-file.h"

/**
 * MsPixbufLook:
 * @width: the claimed size with @height; 0 where the header does not say it plainly
 * @most_per_byte: how many pixels a byte of the file can stand for; 0 where there is no bound
 * @bits: a sample, where the header says more than 8
 * @has_exif: whether it holds EXIF data, which no module gives
 * @n_images: in the file; 0 for several of unknown number
 * @icc: (nullable): the colour profile, of formats whose module gives none
 * @refused: (nullable): why no module gets it
 * @content: (nullable): what the module gets instead of the file, or, with @is_png, the PNG file inside, which is read
 *   as it is
 */
typedef struct {
  guint64 width;
  guint64 height;
  guint64 most_per_byte;
  guint bits;
  gboolean has_exif;
  guint n_images;
  GBytes *icc;
  const char *refused;
  GBytes *content;
  gboolean is_png;
} MsPixbufLook;

gboolean ms_pixbuf_look(MsImageFile *file, MsPixbufLook *look);
