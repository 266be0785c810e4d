/* SPDX-License-Identifier: MIT */
/* MsRows: a range of image rows; ranges are cut into steps and extended by the halo of a window. */
#pragma once

#include <glib.h>

#include "core/filter/settings/settings.h"

/** MsRows: rows @first to @first + @count - 1. */
typedef struct {
  int first;
  int count;
} MsRows;

MsRows ms_bands_next(MsRows whole, int done, int step);
MsRows ms_bands_with_halo(MsRows rows, int halo, int height);
MsRows ms_bands_finer(MsRows rows, int height);
MsRows ms_bands_coarser(MsRows rows, int height);
int ms_bands_coarser_most(int count, int height);

/** MsPyramidSize: columns and rows of one level. */
typedef struct {
  int width;
  int height;
} MsPyramidSize;

MsPyramidSize ms_pyramid_size(int width, int height, int level);
int ms_pyramid_edge(const MsParams *params);
void ms_pyramid_halve(const guint8 *fine, MsRows held, MsPyramidSize size, MsRows rows, guint8 *coarse);
void ms_pyramid_enlarge(const guint8 *coarse, const guint8 *original, MsPyramidSize size, MsRows rows, guint8 *fine);
void ms_pyramid_place_modes(const guint16 *coarse, MsPyramidSize size, guint16 *fine);
void ms_pyramid_mark(const guint8 *coarse, MsPyramidSize size, MsRows rows, int edge, guint8 *mask);
