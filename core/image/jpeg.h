/* SPDX-License-Identifier: MIT */
/* JPEG: reads images of every colour space into 8-bit RGBA, and writes 8-bit RGBA images, with libjpeg-turbo. */
#pragma once

#include "core/image/codec.h"

extern const MsImageDecoder ms_jpeg_decoder;

extern const MsImageEncoder ms_jpeg_encoder;
