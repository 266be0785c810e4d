/* SPDX-License-Identifier: MIT */
/* Writes 8-bit RGBA images as TIFF with libtiff. */
#pragma once

#include "core/image/common/image-sink.h"

gboolean ms_tiff_write_is_big(int width, int height, guint samples, gsize profile);
gboolean ms_tiff_write(MsImage *image, MsImageSink *sink, const MsSaveOptions *options, MsSaveNotes *notes,
                       GError **error);
guint64 ms_tiff_write_bytes(int width, int height, const MsSaveOptions *options);
