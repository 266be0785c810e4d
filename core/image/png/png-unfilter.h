/* SPDX-License-Identifier: MIT */
/* Turns the filtered rows of a PNG file back into RGBA pixels. */
#pragma once

#include <glib.h>

/* Bytes behind the last row that ms_png_unfilter_row() may read. */
#define MS_PNG_UNFILTER_SLACK 4

void ms_png_unfilter_row(guint8 *row, const guint8 *above, guint samples, gsize width);
void ms_png_expand_row(const guint8 *row, guint samples, gsize width, guint8 *out);
