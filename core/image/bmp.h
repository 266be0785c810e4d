/* SPDX-License-Identifier: MIT */
/* The codec of BMP files, as Windows and OS/2 have them, without compression or with runs of indices. */
#pragma once

#include "core/image/common/image-file.h"
#include "core/image/image-save.h"

void ms_bmp_open(MsImageFile *file);
void ms_bmp_close(MsImageFile *file);
gboolean ms_bmp_start_rows(MsImageFile *file);
void ms_bmp_read_row(MsImageFile *file, guint8 *row);
gboolean ms_bmp_write(MsImage *image, MsImageSink *sink, const MsSaveOptions *options, MsSaveNotes *notes,
                      GError **error);
