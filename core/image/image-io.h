/* SPDX-License-Identifier: MIT */
/* Loads images: recognises formats by content and checks limits before it allocates. */
#pragma once

#include "core/image/codec.h"

MsImage *ms_image_load(const char *path, const MsImageLimits *limits, GCancellable *cancellable, GError **error);
MsImage *ms_image_load_rows(const char *path, const MsImageLimits *limits, const MsRowReport *report,
                            GCancellable *cancellable, GError **error);
MsImage *ms_image_load_preview(const char *path, const MsImageLimits *limits, GCancellable *cancellable,
                               GError **error);
MsImage *ms_image_load_bytes(GBytes *bytes, const char *name, const MsImageLimits *limits, GCancellable *cancellable,
                             GError **error);
int ms_image_open_file(const char *path, const char *name, GError **error);
GInputStream *ms_image_buffered_stream(GInputStream *base);
const MsCodec *ms_image_find_codec(MsImageSource *source, GError **error);
