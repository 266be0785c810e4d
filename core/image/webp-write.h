/* SPDX-License-Identifier: MIT */
/* Writes 8-bit RGBA images as WebP with libwebp. */
#pragma once

#include "core/image/common/image-sink.h"

/** MS_WEBP_MOST_SIDE: the longest side that the format can store, in pixels. */
#define MS_WEBP_MOST_SIDE 16383

gboolean ms_webp_write(MsImage *image, MsImageSink *sink, const MsSaveOptions *options, MsSaveNotes *notes,
                       GError **error);
