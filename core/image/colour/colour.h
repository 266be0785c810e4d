/* SPDX-License-Identifier: MIT */
/*
 * MsColour: a conversion of 8-bit pixels from one colour profile to another, by Little CMS, and what the program needs
 * to know about a profile.
 */
#pragma once

#include <glib.h>

/**
 * MsColourPixels: the four bytes of a pixel that is converted.
 * @MS_COLOUR_RGBA: red, green, blue and alpha, which is kept
 * @MS_COLOUR_CMYK: the amounts of four inks
 * @MS_COLOUR_CMYK_LIGHT: 255 less these amounts, as JPEG files store them
 * @MS_COLOUR_LAB: L* from 0 to 100 in 255 steps, a* + 128 and b* + 128, and alpha, which is kept; white is that of D50
 */
typedef enum {
  MS_COLOUR_RGBA,
  MS_COLOUR_CMYK,
  MS_COLOUR_CMYK_LIGHT,
  MS_COLOUR_LAB,
} MsColourPixels;

/**
 * MsColourMatrix: a profile of three curves and a matrix.
 * @linear: the light of red, green and blue, 0 to 1, of each 8-bit value
 * @to_xyz: X, Y and Z, a row each, of these three; white is that of D50, as in every profile
 */
typedef struct {
  double linear[3][256];
  double to_xyz[3][3];
} MsColourMatrix;

typedef struct _MsColour MsColour;

MsColour *ms_colour_new(GBytes *from, MsColourPixels pixels, GBytes *to);
void ms_colour_free(MsColour *self);
void ms_colour_convert(const MsColour *self, guint8 *pixels, gsize n);
gboolean ms_colour_is_srgb(GBytes *icc);
gboolean ms_colour_get_matrix(GBytes *icc, MsColourMatrix *matrix);
gboolean ms_colour_has_tables(GBytes *icc);
gboolean ms_colour_by_tables(GBytes *icc, gboolean to_lab, double (*colours)[3], gsize n);
GBytes *ms_colour_grey_to_rgb(GBytes *icc);
char *ms_colour_dup_name(GBytes *icc);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsColour, ms_colour_free)
