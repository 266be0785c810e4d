/* SPDX-License-Identifier: MIT */
/* The codec of PBM, PGM and PPM files, which are called PNM together, and of PAM files. */
#pragma once

#include "core/image/common/image-file.h"
#include "core/image/image-save.h"

void ms_pnm_open(MsImageFile *file);
void ms_pnm_close(MsImageFile *file);
gboolean ms_pnm_start_rows(MsImageFile *file);
void ms_pnm_read_row(MsImageFile *file, guint8 *row);
gboolean ms_ppm_write(MsImage *image, MsImageSink *sink, const MsSaveOptions *options, MsSaveNotes *notes,
                      GError **error);
gboolean ms_pam_write(MsImage *image, MsImageSink *sink, const MsSaveOptions *options, MsSaveNotes *notes,
                      GError **error);
guint64 ms_pnm_write_bytes(int width, int height, const MsSaveOptions *options);
