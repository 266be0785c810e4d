/* SPDX-License-Identifier: MIT */
/* PNG: reads images of every kind into 8-bit RGBA, and writes 8-bit RGBA images, with libpng. */
#pragma once

#include "core/image/codec.h"

void ms_png_open(MsImageFile *file);
void ms_png_close(MsImageFile *file);
MsImage *ms_png_read(MsImageFile *file);
MsImage *ms_png_read_preview(MsImageFile *file);
gboolean ms_png_start_rows(MsImageFile *file);
void ms_png_read_row(MsImageFile *file, guint8 *row);

extern const MsImageEncoder ms_png_encoder;
