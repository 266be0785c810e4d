/* SPDX-License-Identifier: MIT */
/* Writes 8-bit RGBA images as JPEG with libjpeg-turbo. */
#pragma once

#include "core/image/common/image-sink.h"

/** MS_JPEG_MOST_SIDE: the longest side that libjpeg writes, in pixels; the format allows 65535. */
#define MS_JPEG_MOST_SIDE 65500

gboolean ms_jpeg_write(MsImage *image, MsImageSink *sink, const MsSaveOptions *options, MsSaveNotes *notes,
                       GError **error);
guint64 ms_jpeg_write_bytes(int width, int height, const MsSaveOptions *options);
