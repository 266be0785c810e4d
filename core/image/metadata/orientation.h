/* SPDX-License-Identifier: MIT */
/* Turns pixels upright by the eight orientations of EXIF. */
#pragma once

#include <glib.h>

/**
 * MsStoredPixels: an image as a file stores it.
 * @pixels: width * height * 4 bytes
 * @orientation: the value of the EXIF tag, 1 to 8; any other counts as 1, upright
 */
typedef struct {
  guint8 *pixels;
  int width;
  int height;
  int orientation;
} MsStoredPixels;

/** MsOrientationStep: called with the number of bytes that were read or written since the last call. */
typedef void (*MsOrientationStep)(gsize bytes, gpointer data);

gboolean ms_orientation_swaps_sides(int orientation);
void ms_orientation_turn(const MsStoredPixels *stored, guint8 *target, MsOrientationStep step, gpointer data);
