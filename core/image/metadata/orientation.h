/* SPDX-License-Identifier: MIT */
/* Turns pixels upright by the eight orientations of EXIF. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

gboolean ms_orientation_swaps_sides(int orientation);
gboolean ms_orientation_apply(guint8 **pixels, int *width, int *height, int orientation);

G_END_DECLS
