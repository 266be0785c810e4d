/* SPDX-License-Identifier: MIT */
/* MsRows: a range of image rows; ranges are cut into steps and extended by the halo of a window. */
#pragma once

#include <glib.h>

/** MsRows: rows @first to @first + @count - 1. */
typedef struct {
  int first;
  int count;
} MsRows;

MsRows ms_bands_next(MsRows whole, int done, int step);
MsRows ms_bands_with_halo(MsRows rows, int halo, int height);
MsRows ms_bands_coarser(MsRows rows, int height);
int ms_bands_coarser_most(int count, int height);
