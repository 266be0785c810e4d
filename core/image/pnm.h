/* SPDX-License-Identifier: MIT */
/* The codec of PBM, PGM and PPM files, which are called PNM together, and of PAM files. */
#pragma once

#include "core/image/common/image-file.h"
#include "core/image/image-save.h"

extern const MsImageDecoder ms_pnm_decoder;
extern const MsImageEncoder ms_ppm_encoder;
extern const MsImageEncoder ms_pam_encoder;
