/* SPDX-License-Identifier: MIT */
/* Exact histograms of arrays on the device, with any number of bins and any range. */
#pragma once

#include "core/opencl/context.h"
#include "core/reduce/element-type.h"

/**
 * MsArrayHistogramSpec: whole-array histogram.
 * @bins: 1 to 2^22
 * @low: lower edge of the first bin
 * @high: upper edge of the last bin, which is closed, as in numpy; edges of integer types must be whole numbers
 *
 * The bin of v is floor((v - low) * bins / (high - low)), exact for integers; for floating-point types
 * (v - low) * (bins / (high - low)) in the type's own arithmetic, truncated.
 */
typedef struct {
  MsElementType type;
  guint bins;
  double low;
  double high;
} MsArrayHistogramSpec;

/**
 * MsArrayHistogram: @counts of @bins, and the numbers of elements outside them; together they sum to the array's
 * length.
 */
typedef struct {
  guint bins;
  guint64 *counts;
  guint64 below;
  guint64 above;
  guint64 nan;
} MsArrayHistogram;

gboolean ms_array_histogram_check(const MsArrayHistogramSpec *spec, guint64 n, const MsDeviceLimits *limits,
                                  GError **error);
MsArrayHistogram *ms_array_histogram(const MsDeviceRun *run, const MsArrayHistogramSpec *spec, const void *data,
                                     guint64 n, GError **error);
MsArrayHistogram *ms_array_histogram_serial(const MsArrayHistogramSpec *spec, const void *data, guint64 n,
                                            GError **error);
void ms_array_histogram_free(MsArrayHistogram *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsArrayHistogram, ms_array_histogram_free)
