/* SPDX-License-Identifier: MIT */
/* Merges regions that are too small with the neighbour nearest in colour. */
#pragma once

#include "core/image/image.h"

G_BEGIN_DECLS

guint32 ms_merge_small_regions(guint32 *labels, MsImage *filtered, guint32 n, guint min_pixels);

G_END_DECLS
