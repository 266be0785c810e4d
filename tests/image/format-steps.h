/* SPDX-License-Identifier: MIT */
/* What is the same for every format: round trips, rows, metadata, limits, and damage in every bit. */
#pragma once

#include "core/image/image-io.h"

void format_assert_pixels(GBytes *file, int width, int height, int bits, const char *pixels);
void format_assert_rows(GBytes *file, MsImage *image);
void format_assert_round_trips(MsImageFormat format, int longest, int most_level);
void format_assert_metadata(MsImageFormat format, gboolean with_exif);
void format_assert_longest_side(MsImageFormat format, int longest);
void format_assert_pixel_limit(MsImageFormat format);
guint format_flip_every_bit(GBytes *file, void (*on_loaded)(MsImage *image));
