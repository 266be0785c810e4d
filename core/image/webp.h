/* SPDX-License-Identifier: MIT */
/* WebP: reads still images into 8-bit RGBA, and writes 8-bit RGBA images, with libwebp. */
#pragma once

#include "core/image/codec.h"

extern const MsImageDecoder ms_webp_decoder;

extern const MsImageEncoder ms_webp_encoder;
