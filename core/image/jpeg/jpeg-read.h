/* SPDX-License-Identifier: MIT */
/* Reads JPEG images of every colour space into 8-bit RGBA with libjpeg-turbo. */
#pragma once

#include "core/image/common/image-source.h"

gboolean ms_jpeg_peek(MsImageSource *source, MsImageHeader *header, GError **error);
MsImage *ms_jpeg_read(MsImageSource *source, GError **error);
MsImage *ms_jpeg_read_preview(MsImageSource *source, GError **error);
