/* SPDX-License-Identifier: MIT */
/* Reads still WebP images into 8-bit RGBA and writes 8-bit RGBA as WebP, with libwebp. */
#pragma once

#include "core/image/image-sink.h"
#include "core/image/image-source.h"

G_BEGIN_DECLS

/** MS_WEBP_MOST_SIDE: the longest side that the format can store, in pixels. */
#define MS_WEBP_MOST_SIDE 16383

gboolean ms_webp_peek(MsImageSource *source, MsImageHeader *header, GError **error);
MsImage *ms_webp_read(MsImageSource *source, GError **error);
gboolean ms_webp_write(MsImage *image, MsImageSink *sink, const MsSaveOptions *options, MsSaveNotes *notes,
                       GError **error);

G_END_DECLS
