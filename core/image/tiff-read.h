/* SPDX-License-Identifier: MIT */
/* Reads TIFF images of every common layout into 8-bit RGBA with libtiff. */
#pragma once

#include "core/image/common/row-reader.h"

gboolean ms_tiff_peek(MsImageSource *source, MsImageHeader *header, GError **error);
MsRowReader *ms_tiff_open_rows(MsImageSource *source, GError **error);
MsImage *ms_tiff_read(MsImageSource *source, GError **error);
