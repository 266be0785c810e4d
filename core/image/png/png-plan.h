/* SPDX-License-Identifier: MIT */
/* How the pixels of a PNG file are compressed: as a whole or in bands, and by how many threads. */
#pragma once

#include "core/image/png/png-filter.h"

/**
 * MsPngPlan: how an image is compressed.
 * @is_whole: as one buffer by libdeflate if that makes the file no larger; otherwise in bands
 * @band_rows: rows of a band
 * @threads: how many bands are compressed at once
 */
typedef struct {
  gboolean is_whole;
  gsize band_rows;
  guint threads;
} MsPngPlan;

MsPngPlan ms_png_plan(const MsPngRows *rows, guint threads);
gsize ms_png_plan_bands_in_flight(const MsPngPlan *self);
guint64 ms_png_plan_bytes(const MsPngPlan *self, const MsPngRows *rows);
