/* SPDX-License-Identifier: MIT */
/* Bands: how the rows of a region are cut into stripes that fit the device and into launches short enough to cancel. */
#pragma once

#include "core/filter/plan.h"

G_BEGIN_DECLS

/** MsRows: rows @first to @first + @count - 1. */
typedef struct {
  int first;
  int count;
} MsRows;

int ms_bands_stripe_rows(const MsPlan *plan, guint64 budget);
void ms_bands_pipeline(MsPlan *plan, guint64 budget);
int ms_bands_band_rows(const MsPlan *plan, double samples_per_band);
MsRows ms_bands_next(MsRows whole, int done, int step);
MsRows ms_bands_with_halo(MsRows rows, int halo, int height);

G_END_DECLS
