/* SPDX-License-Identifier: MIT */
/* Writes 8-bit RGBA images as PNG with libpng. */
#pragma once

#include "core/image/common/image-sink.h"

gboolean ms_png_write(MsImage *image, MsImageSink *sink, const MsSaveOptions *options, MsSaveNotes *notes,
                      GError **error);
guint64 ms_png_write_bytes(int width, int height, const MsSaveOptions *options);
