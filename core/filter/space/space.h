/* SPDX-License-Identifier: MIT */
/*
 * Conversion of 8-bit colours to the space in which they are filtered, and back, in plain C. The colours are those of
 * the picture's profile where that can be used, else of sRGB; the tables hold what differs. For a profile of three
 * curves and a matrix these are other numbers in the same places, for one of tables nodes, between which is
 * interpolated.
 */
#pragma once

#include <glib.h>

#include "core/filter/settings/settings.h"
#include "core/image/common/image.h"

void ms_space_convert(MsSpace space, const gint32 *tables, const guint8 *rgba, guint8 *converted, gsize n);
void ms_space_restore(MsSpace space, const gint32 *tables, const guint8 *converted, guint8 *rgba, gsize n);
MsImage *ms_space_convert_image(MsSpace space, MsImage *image, GError **error);

/* L*u*v* is interpolated between so many nodes along each of red, green and blue. */
#define MS_SPACE_NODES 33

/* So many nodes, 5 values apart, stand for the tables of a profile along each of three channels. */
#define MS_SPACE_SIDE 52

/**
 * MsSpaceTable: where each table begins in the array of ms_space_tables_get().
 * @MS_SPACE_LUV_NODES: L*, u*, v* and 0 in 14 bits for each node; red varies slowest
 * @MS_SPACE_LINEAR: 2040 times the linear light of an 8-bit value of red, then of green and of blue
 * @MS_SPACE_ROOT: the function of L*a*b* that is a cube root, of light in 2040ths, times 2^15
 * @MS_SPACE_LIGHT: Y and the cube root's value of an 8-bit L*, each times 2^14
 * @MS_SPACE_ENCODE: the 8-bit value of red, then of green and of blue, of linear light in 4096ths
 * @MS_SPACE_U: 9 (u* + L* u'n) times 2^4 for each pair of 8-bit L* and u*
 * @MS_SPACE_V: 1 / 4 (v* + L* v'n), at most 1/4, times 2^24 for each pair of 8-bit L* and v*
 * @MS_SPACE_TO_XYZ: 4096 times the matrix from linear light to X, Y and Z, each as a part of that of white
 * @MS_SPACE_FROM_PARTS: 4096 times its inverse
 * @MS_SPACE_FROM_XYZ: the same from X, Y and Z themselves
 * @MS_SPACE_BY_NODES: 1 where the array holds these two tables in the place of all others, of one space, else 0
 * @MS_SPACE_FROM_RGB: three numbers of the space, each 4 times its 8-bit value, in 10 bits each, for each node; red
 *   varies slowest
 * @MS_SPACE_TO_RGB: red, green and blue in the same way for each node in the space
 * @MS_SPACE_END: the number of entries
 */
typedef enum {
  MS_SPACE_LUV_NODES = 0,
  MS_SPACE_LINEAR = 4 * MS_SPACE_NODES * MS_SPACE_NODES * MS_SPACE_NODES,
  MS_SPACE_ROOT = MS_SPACE_LINEAR + 3 * 256,
  MS_SPACE_LIGHT = MS_SPACE_ROOT + 2041,
  MS_SPACE_ENCODE = MS_SPACE_LIGHT + 512,
  MS_SPACE_U = MS_SPACE_ENCODE + 3 * 4096,
  MS_SPACE_V = MS_SPACE_U + 65536,
  MS_SPACE_TO_XYZ = MS_SPACE_V + 65536,
  MS_SPACE_FROM_PARTS = MS_SPACE_TO_XYZ + 9,
  MS_SPACE_FROM_XYZ = MS_SPACE_FROM_PARTS + 9,
  MS_SPACE_BY_NODES = MS_SPACE_FROM_XYZ + 9,
  MS_SPACE_FROM_RGB = 0,
  MS_SPACE_TO_RGB = MS_SPACE_SIDE * MS_SPACE_SIDE * MS_SPACE_SIDE,
  MS_SPACE_END = MS_SPACE_BY_NODES + 1,
} MsSpaceTable;

#define MS_SPACE_TABLES_BYTES ((gsize)MS_SPACE_END * sizeof(gint32))

GBytes *ms_space_tables_get(MsSpace space, GBytes *icc);
gboolean ms_space_knows_profile(GBytes *icc);
char *ms_space_dup_profile(MsSpace space, GBytes *icc);
GBytes *ms_space_tables_of(MsSpace space, MsImage *image);
