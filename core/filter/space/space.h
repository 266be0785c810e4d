/* SPDX-License-Identifier: MIT */
/* Conversion of 8-bit colours from sRGB to the space in which they are filtered, and back, in plain C. */
#pragma once

#include "core/filter/settings/params.h"
#include "core/image/common/image.h"

void ms_space_convert(MsSpace space, const guint8 *rgba, guint8 *converted, gsize n);
void ms_space_restore(MsSpace space, const guint8 *converted, guint8 *rgba, gsize n);
MsImage *ms_space_convert_image(MsSpace space, MsImage *image, GError **error);
MsImage *ms_space_restore_image(MsSpace space, MsImage *image, GError **error);
