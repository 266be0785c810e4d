/* SPDX-License-Identifier: MIT */
/* Reads TIFF images of every common layout into 8-bit RGBA with libtiff. */
#pragma once

#include "core/image/image-source.h"

G_BEGIN_DECLS

gboolean ms_tiff_peek(MsImageSource *source, MsImageHeader *header, GError **error);
MsImage *ms_tiff_read(MsImageSource *source, GError **error);

G_END_DECLS
