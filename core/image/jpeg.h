/* SPDX-License-Identifier: MIT */
/* JPEG: reads images of every colour space into 8-bit RGBA, and writes 8-bit RGBA images, with libjpeg-turbo. */
#pragma once

#include "core/image/codec.h"

void ms_jpeg_open(MsImageFile *file);
void ms_jpeg_close(MsImageFile *file);
MsImage *ms_jpeg_read(MsImageFile *file);
MsImage *ms_jpeg_read_preview(MsImageFile *file);
gboolean ms_jpeg_start_rows(MsImageFile *file);
void ms_jpeg_read_row(MsImageFile *file, guint8 *row);

extern const MsImageEncoder ms_jpeg_encoder;
