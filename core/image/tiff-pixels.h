/* SPDX-License-Identifier: MIT */
/* Decodes the pixels of a TIFF file into 8-bit RGBA, as a whole or row by row. */
#pragma once

#include "core/image/tiff-reader.h"

gboolean ms_tiff_pixels_read(MsTiffReader *self);
gboolean ms_tiff_pixels_are_rows(const MsTiffReader *self);
guint64 ms_tiff_pixels_begin_rows(MsTiffReader *self);
gboolean ms_tiff_pixels_read_row(MsTiffReader *self, guint32 y, guint8 *out);
