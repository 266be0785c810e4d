/* SPDX-License-Identifier: MIT */
/*
 * What a person reads about an image: figures of each channel and luma, and how two images differ; all from device
 * kernels.
 */
#pragma once

#include "core/reduce/bandwidth.h"
#include "core/reduce/histogram.h"

G_BEGIN_DECLS

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
gboolean ms_image_statistics(MsContext *context, MsImage *image, MsImageStatistics *statistics, MsTimingLog *log,
                             GCancellable *cancellable, GError **error);
gboolean ms_image_statistics_of_buffer(MsContext *context, cl_mem pixels, guint64 n_pixels,
                                       MsImageStatistics *statistics, MsTimingLog *log, GCancellable *cancellable,
                                       GError **error);
void ms_image_statistics_serial(const guint8 *pixels, guint64 n_pixels, MsImageStatistics *statistics);
char *ms_image_statistics_to_text(const MsImageStatistics *self);
void ms_image_statistics_add_json(const MsImageStatistics *self, JsonBuilder *builder);

/**
 * MsImageComparison: two images of one size; the figures over R, G and B, since alpha is not filtered.
 * @mean_absolute: mean of |a - b| over all pixels and the three colours
 * @psnr: 10 log10(255² / mean squared difference) in dB, +infinity for equal images
 * @changed: pixels of which any of the four channels differs
 * @max_difference: over all four channels
 */
typedef struct {
  guint64 pixels;
  guint64 absolute[4];
  guint64 squared[4];
  double mean_absolute;
  double psnr;
  guint64 changed;
  guint max_difference;
  double kernel_ms;
  double gb_per_s;
  double peak_share;
} MsImageComparison;

gboolean ms_image_comparison(MsContext *context, MsImage *a, MsImage *b, MsImageComparison *comparison,
                             MsTimingLog *log, GCancellable *cancellable, GError **error);
void ms_image_comparison_serial(const guint8 *a, const guint8 *b, guint64 n_pixels, MsImageComparison *comparison);
char *ms_image_comparison_to_text(const MsImageComparison *self);
void ms_image_comparison_add_json(const MsImageComparison *self, JsonBuilder *builder);

G_END_DECLS
