/* SPDX-License-Identifier: MIT */
/* MslabStatistics: the histogram and the statistics of each channel of an image. */
#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

/**
 * MslabChannel:
 * @MSLAB_CHANNEL_R: the first sample of a pixel
 * @MSLAB_CHANNEL_G: the second
 * @MSLAB_CHANNEL_B: the third
 * @MSLAB_CHANNEL_A: the fourth
 * @MSLAB_CHANNEL_LUMA: the luma of the pixel
 *
 * What a histogram counts. Luma is `(299 R + 587 G + 114 B + 500) / 1000` in integers.
 */
typedef enum {
  MSLAB_CHANNEL_R,
  MSLAB_CHANNEL_G,
  MSLAB_CHANNEL_B,
  MSLAB_CHANNEL_A,
  MSLAB_CHANNEL_LUMA,
} MslabChannel;

/**
 * MslabChannelStatistics:
 * @count: pixels
 * @min: the least sample
 * @max: the greatest sample
 * @sum: the sum of the samples
 * @mean: the mean
 * @stddev: the standard deviation of the population
 * @median: the median, interpolated linearly
 * @percentiles: the percentiles 1, 5, 25, 75, 95 and 99, interpolated linearly as numpy does
 * @nonzero: samples that are not 0
 *
 * Statistics of the samples of one channel.
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
} MslabChannelStatistics;

#define MSLAB_TYPE_STATISTICS (mslab_statistics_get_type())

G_DECLARE_FINAL_TYPE(MslabStatistics, mslab_statistics, MSLAB, STATISTICS, GObject)

void mslab_statistics_get_channel(MslabStatistics *self, MslabChannel channel, MslabChannelStatistics *statistics);
const guint64 *mslab_statistics_get_histogram(MslabStatistics *self, MslabChannel channel, gsize *n_bins);

G_END_DECLS
