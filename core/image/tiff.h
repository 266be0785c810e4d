/* SPDX-License-Identifier: MIT */
/* TIFF: reads images of every common layout into 8-bit RGBA, and writes 8-bit RGBA images, with libtiff. */
#pragma once

#include "core/image/codec.h"

extern const MsImageDecoder ms_tiff_decoder;

gboolean ms_tiff_write_is_big(int width, int height, guint samples, gsize profile);
extern const MsImageEncoder ms_tiff_encoder;
gboolean ms_tiff_numbers_are_big(int width, int height);
gboolean ms_tiff_write_numbers(const MsNumbers *image, MsImageSink *sink, GError **error);
