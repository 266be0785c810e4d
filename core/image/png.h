/* SPDX-License-Identifier: MIT */
/* Reads PNG images of every kind into 8-bit RGBA and writes 8-bit RGBA as PNG, with libpng. */
#pragma once

#include "core/image/image-sink.h"
#include "core/image/image-source.h"

G_BEGIN_DECLS

gboolean ms_png_peek(MsImageSource *source, MsImageHeader *header, GError **error);
MsImage *ms_png_read(MsImageSource *source, GError **error);
gboolean ms_png_write(MsImage *image, MsImageSink *sink, const MsSaveOptions *options, MsSaveNotes *notes,
                      GError **error);

G_END_DECLS
