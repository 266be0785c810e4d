/* SPDX-License-Identifier: MIT */
/* Writes 8-bit RGBA images as TIFF with libtiff. */
#pragma once

#include "core/image/image-sink.h"

G_BEGIN_DECLS

gboolean ms_tiff_write(MsImage *image, MsImageSink *sink, const MsSaveOptions *options, MsSaveNotes *notes,
                       GError **error);

G_END_DECLS
