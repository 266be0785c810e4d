/* SPDX-License-Identifier: MIT */
/* Reads PNG images of every kind into 8-bit RGBA with libpng. */
#pragma once

#include "core/image/common/image-source.h"

gboolean ms_png_peek(MsImageSource *source, MsImageHeader *header, GError **error);
MsImage *ms_png_read(MsImageSource *source, GError **error);
MsImage *ms_png_read_preview(MsImageSource *source, GError **error);
