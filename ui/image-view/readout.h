/* SPDX-License-Identifier: MIT */
/* Readout: text about the pixel under the pointer: both values and the statistics of its filter window. */
#pragma once

#include "core/filter/settings/settings.h"
#include "core/image/common/image.h"

/**
 * MsWindowStatistics: the first step of the filter at one pixel.
 * @pixels: pixels of the window within the picture
 * @similar: those within the colour radius, which take part in the mean
 * @mean: their mean, R, G, B
 */
typedef struct {
  int pixels;
  int similar;
  double mean[3];
} MsWindowStatistics;

MsWindowStatistics ms_readout_window(MsImage *source, const MsParams *params, int x, int y);
char *ms_readout_format(MsImage *a, const guint8 *b, const MsParams *params, int x, int y);
