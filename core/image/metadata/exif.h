/* SPDX-License-Identifier: MIT */
/* Reads and patches the tags of a raw EXIF block that become wrong when a picture is turned upright. */
#pragma once

#include <glib.h>

GBytes *ms_exif_new_resolution(guint32 x_pixels_per_metre, guint32 y_pixels_per_metre);
GBytes *ms_exif_make_upright(GBytes *exif, int *orientation);
int ms_exif_get_orientation(GBytes *exif);
gboolean ms_exif_get_resolution(GBytes *exif, guint32 *x_pixels_per_metre, guint32 *y_pixels_per_metre);
