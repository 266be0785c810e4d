/* SPDX-License-Identifier: MIT */
/* Reads still WebP images into 8-bit RGBA with libwebp. */
#pragma once

#include "core/image/common/image-source.h"

gboolean ms_webp_peek(MsImageSource *source, MsImageHeader *header, GError **error);
MsImage *ms_webp_read(MsImageSource *source, GError **error);
