/* SPDX-License-Identifier: MIT */
/* Reads the header of an image file: its format and size. */
#pragma once

#include "core/image/codec.h"

gboolean ms_image_peek_bytes(GBytes *bytes, const char *name, const MsImageLimits *limits, MsImageHeader *header,
                             GError **error);
gboolean ms_image_peek_size(const char *path, const MsImageLimits *limits, MsImageHeader *header, GError **error);
