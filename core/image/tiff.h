/* SPDX-License-Identifier: MIT */
/* Reads TIFF images of every common layout into 8-bit RGBA and writes 8-bit RGBA as TIFF, with libtiff. */
#pragma once

#include "core/image/image-sink.h"
#include "core/image/image-source.h"

G_BEGIN_DECLS

gboolean ms_tiff_peek(MsImageSource *source, MsImageHeader *header, GError **error);
MsImage *ms_tiff_read(MsImageSource *source, GError **error);
gboolean ms_tiff_write(MsImage *image, MsImageSink *sink, const MsSaveOptions *options, MsSaveNotes *notes,
                       GError **error);

G_END_DECLS
