/* SPDX-License-Identifier: MIT */
/* PNG: reads images of every kind into 8-bit RGBA, and writes 8-bit RGBA images, with libpng. */
#pragma once

#include "core/image/codec.h"

extern const MsImageDecoder ms_png_decoder;
extern const MsImageEncoder ms_png_encoder;
