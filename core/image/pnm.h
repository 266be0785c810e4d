/* SPDX-License-Identifier: MIT */
/* The codec of PBM, PGM and PPM files, which are called PNM together, and of PAM files. */
#pragma once

#include "core/image/common/image-file.h"
#include "core/image/image-save.h"

void ms_pnm_open(MsImageFile *file);
void ms_pnm_close(MsImageFile *file);
gboolean ms_pnm_start_rows(MsImageFile *file);
void ms_pnm_read_row(MsImageFile *file, guint8 *row);
extern const MsImageEncoder ms_ppm_encoder;
extern const MsImageEncoder ms_pam_encoder;
