/* SPDX-License-Identifier: MIT */
/* An image of which one band of rows is in memory. */
#pragma once

#include "core/image/common/image.h"

MsImage *ms_band_image_new(MsImage *band, int first_row, int height, GError **error);
