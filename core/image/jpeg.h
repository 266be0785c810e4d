/* SPDX-License-Identifier: MIT */
/* Reads JPEG images of every colour space into 8-bit RGBA and writes 8-bit RGBA as JPEG, with libjpeg-turbo. */
#pragma once

#include "core/image/image-sink.h"
#include "core/image/image-source.h"

G_BEGIN_DECLS

/** MS_JPEG_MOST_SIDE: the longest side that libjpeg writes, in pixels; the format allows 65535. */
#define MS_JPEG_MOST_SIDE 65500

gboolean ms_jpeg_peek(MsImageSource *source, MsImageHeader *header, GError **error);
MsImage *ms_jpeg_read(MsImageSource *source, GError **error);
gboolean ms_jpeg_write(MsImage *image, MsImageSink *sink, const MsSaveOptions *options, MsSaveNotes *notes,
                       GError **error);

G_END_DECLS
