/* SPDX-License-Identifier: MIT */
/* Reads a PNG file that stores the rows of the upright image in order, row by row. */
#pragma once

#include "core/image/common/row-reader.h"

MsRowReader *ms_png_open_rows(MsImageSource *source, GError **error);
