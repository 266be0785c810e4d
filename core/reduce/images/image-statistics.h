/* SPDX-License-Identifier: MIT */
/* Statistics of each channel of an image and of its luma, computed from one histogram pass on the device. */
#pragma once

#include "core/reduce/images/histogram.h"

/**
 * MsChannelStatistics: exact, from the 256 counts.
 * @stddev: of the population (divided by the count)
 * @percentiles: 1, 5, 25, 75, 95, 99, interpolated linearly between neighbours of the sorted samples, as numpy does;
 *   so is
 *   @median
 */
typedef struct {
  guint64 count;
  guint min;
  guint max;
  guint64 sum;
  double mean;
  double stddev;
  double median;
  double percentiles[6];
  guint64 nonzero;
  guint64 clipped_low;
  guint64 clipped_high;
} MsChannelStatistics;

/**
 * MsImageStatistics:
 * @kernel_ms: device time of the pass over the image
 * @gb_per_s: image bytes over @kernel_ms
 * @peak_share: @gb_per_s over the measured read bandwidth of the device, 0 when that is not known
 */
typedef struct {
  MsChannelStatistics channels[MS_N_CHANNELS];
  MsHistogram histogram;
  double kernel_ms;
  double gb_per_s;
  double peak_share;
} MsImageStatistics;

extern const int ms_statistics_percentiles[6];

void ms_channel_statistics_from_counts(const guint64 counts[256], MsChannelStatistics *statistics);
gboolean ms_image_statistics(const MsDeviceRun *run, MsImage *image, MsImageStatistics *statistics, GError **error);
void ms_image_statistics_add(MsImageStatistics *self, const MsImageStatistics *other);
void ms_image_statistics_serial(const guint8 *pixels, guint64 n_pixels, MsImageStatistics *statistics);
