/* SPDX-License-Identifier: MIT */
/*
 * The pyramid of cv::pyrMeanShiftFiltering, as it is since OpenCV 4.7, in plain C: halving, enlarging, and marking the
 * pixels of the finer level that are filtered again.
 */
#pragma once

#include "core/filter/settings/params.h"

/** MsPyramidSize: columns and rows of one level. */
typedef struct {
  int width;
  int height;
} MsPyramidSize;

/** MsPyramidRows: the rows of a level from @first on, before @end. */
typedef struct {
  int first;
  int end;
} MsPyramidRows;

MsPyramidSize ms_pyramid_size(int width, int height, int level);
int ms_pyramid_edge(const MsParams *params);
int ms_pyramid_reflect(int at, int extent);
void ms_pyramid_halve_row(const guint8 *const rows[5], int width, guint8 *coarse);
void ms_pyramid_halve(const guint8 *fine, MsPyramidSize size, guint8 *coarse);
void ms_pyramid_enlarge(const guint8 *coarse, const guint8 *original, MsPyramidSize size, MsPyramidRows rows,
                        guint8 *fine);
void ms_pyramid_place_modes(const guint16 *coarse, MsPyramidSize size, guint16 *fine);
void ms_pyramid_mark(const guint8 *coarse, MsPyramidSize size, MsPyramidRows rows, int edge, guint8 *mask);
