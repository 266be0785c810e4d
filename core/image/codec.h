/* SPDX-License-Identifier: MIT */
/* The formats of image files: told apart by content, asked for by extension. */
#pragma once

#include "core/image/codec.h"

G_BEGIN_DECLS

MsImageFormat ms_image_sniff(const guint8 *data, gsize size);
MsImageFormat ms_image_format_from_path(const char *path);
const char *ms_image_format_extension(MsImageFormat format);

G_END_DECLS
