/* SPDX-License-Identifier: MIT */
/*
 * Exact histograms and statistics of the channels of an image and of its luma, computed from one pass on the device,
 * and as tables for people and JSON for programs; numbers in the C locale.
 */
#pragma once

#include "core/image/common/image.h"
#include "core/reduce/bandwidth.h"

typedef enum {
  MS_CHANNEL_R,
  MS_CHANNEL_G,
  MS_CHANNEL_B,
  MS_CHANNEL_A,
  MS_CHANNEL_LUMA,
  MS_N_CHANNELS,
} MsImageChannel;

/** MS_LUMA: luma in integers: 0.299 R + 0.587 G + 0.114 B rounded to the nearest, halves upwards. */
#define MS_LUMA(r, g, b) ((299u * (guint)(r) + 587u * (guint)(g) + 114u * (guint)(b) + 500u) / 1000u)

/** MsHistogram: 256 exact counts for each channel and luma; every row sums to @pixels, those that have data. */
typedef struct {
  guint64 pixels;
  guint64 counts[MS_N_CHANNELS][256];
} MsHistogram;

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

/** MsImageStatistics: @timed is the pass over the image, of its bytes; all zero for a result of the host. */
typedef struct {
  MsChannelStatistics channels[MS_N_CHANNELS];
  MsHistogram histogram;
  MsTimedPass timed;
} MsImageStatistics;

extern const int ms_statistics_percentiles[6];

const char *ms_image_channel_name(MsImageChannel channel);

gboolean ms_histogram_of_image(const MsDeviceRun *run, MsImage *image, MsHistogram *histogram, GError **error);
void ms_histogram_add(MsHistogram *self, const MsHistogram *other);
void ms_histogram_serial(const guint8 *pixels, guint64 n_pixels, MsHistogram *histogram);
char *ms_histogram_to_text(const MsHistogram *self);
void ms_histogram_add_json(const MsHistogram *self, JsonBuilder *builder);

void ms_channel_statistics_from_counts(const guint64 counts[256], MsChannelStatistics *statistics);
gboolean ms_image_statistics(const MsDeviceRun *run, MsImage *image, MsImageStatistics *statistics, GError **error);
void ms_image_statistics_add(MsImageStatistics *self, const MsImageStatistics *other);
char *ms_image_statistics_to_text(const MsImageStatistics *self);
void ms_image_statistics_add_json(const MsImageStatistics *self, JsonBuilder *builder);
