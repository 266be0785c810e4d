/* SPDX-License-Identifier: MIT */
/* WebP: reads still images into 8-bit RGBA, and writes 8-bit RGBA images, with libwebp. */
#pragma once

#include "core/image/codec.h"

void ms_webp_open(MsImageFile *file);
void ms_webp_close(MsImageFile *file);
MsImage *ms_webp_read(MsImageFile *file);

extern const MsImageEncoder ms_webp_encoder;
