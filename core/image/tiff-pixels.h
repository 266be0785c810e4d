/* SPDX-License-Identifier: MIT */
/* Decodes the pixels of a TIFF file into 8-bit RGBA. */
#pragma once

#include "core/image/tiff-reader.h"

G_BEGIN_DECLS

gboolean ms_tiff_pixels_read(MsTiffReader *self);

G_END_DECLS
