/* SPDX-License-Identifier: MIT */
/* Turns pixels upright by the eight orientations of EXIF. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

gboolean ms_orientation_swaps_sides(int orientation);
/** MsOrientationStep: called with the number of bytes that were read or written since the last call. */
typedef void (*MsOrientationStep)(gsize bytes, gpointer data);

void ms_orientation_turn(guint8 *pixels, int width, int height, int orientation, guint8 *target, MsOrientationStep step,
                         gpointer data);
gboolean ms_orientation_apply(guint8 **pixels, int *width, int *height, int orientation);

G_END_DECLS
