/* SPDX-License-Identifier: MIT */
#include "core/reduce/images/image-statistics.h"

#include <math.h>
#include <string.h>

#include "core/reduce/images/timed-pass.h"

const int ms_statistics_percentiles[6] = {1, 5, 25, 75, 95, 99};

/* The sample of rank @rank, from 0, in sorted order. */
static guint
sample_at(const guint64 counts[256], guint64 rank)
{
  guint64 passed = 0;

  for (guint v = 0; v < 256; v++) {
    passed += counts[v];
    if (rank < passed)
      return v;
  }
  return 255;
}

/*
 * Interpolates between the two samples around rank (n - 1) p / 100; the rank is computed in integers, so only the
 * interpolation rounds.
 */
static double
percentile(const guint64 counts[256], guint64 n, guint percent)
{
  guint64 hundredths = (n - 1) * percent, rank = hundredths / 100;
  double low = sample_at(counts, rank), high = sample_at(counts, MIN(rank + 1, n - 1));

  return low + (high - low) * ((double)(hundredths % 100) / 100.0);
}

static double
deviation(const guint64 counts[256], guint64 n, guint64 sum)
{
  G_GNUC_EXTENSION unsigned __int128 squares = 0, scaled;

  for (guint v = 0; v < 256; v++)
    squares += (guint64)v * v * counts[v];
  scaled = squares * n - (G_GNUC_EXTENSION(unsigned __int128) sum) * sum;
  return sqrt((double)scaled) / (double)n;
}

/**
 * ms_channel_statistics_from_counts:
 * @counts: of the values 0 to 255; an image has at least one pixel
 *
 * Every number is exact, or correct up to the rounding of the last operations in double.
 */
void
ms_channel_statistics_from_counts(const guint64 counts[256], MsChannelStatistics *statistics)
{
  MsChannelStatistics s = {.clipped_low = counts[0], .clipped_high = counts[255]};

  for (guint v = 0; v < 256; v++) {
    s.count += counts[v];
    s.sum += v * counts[v];
  }
  *statistics = s;
  if (s.count == 0)
    return;
  s.min = sample_at(counts, 0);
  s.max = sample_at(counts, s.count - 1);
  s.mean = (double)s.sum / (double)s.count;
  s.stddev = deviation(counts, s.count, s.sum);
  s.median = percentile(counts, s.count, 50);
  for (guint i = 0; i < G_N_ELEMENTS(s.percentiles); i++)
    s.percentiles[i] = percentile(counts, s.count, (guint)ms_statistics_percentiles[i]);
  s.nonzero = s.count - counts[0];
  *statistics = s;
}

static void
derive(MsImageStatistics *statistics)
{
  for (int c = 0; c < MS_N_CHANNELS; c++)
    ms_channel_statistics_from_counts(statistics->histogram.counts[c], &statistics->channels[c]);
}

/**
 * ms_image_statistics:
 *
 * One pass over the image on the device. Measures the device's bandwidth first when it is not known.
 */
gboolean
ms_image_statistics(const MsDeviceRun *run, MsImage *image, MsImageStatistics *statistics, GError **error)
{
  g_autoptr(MsTimingLog) own = ms_timing_log_new();
  const MsDeviceRun pass = {run->context, own, run->cancellable};
  MsTimedPass timed;

  memset(statistics, 0, sizeof *statistics);
  if (!ms_histogram_of_image(&pass, image, &statistics->histogram, error) || !ms_time_pass(run, own, &timed, error))
    return FALSE;
  statistics->kernel_ms = timed.kernel_ms;
  statistics->gb_per_s = timed.gb_per_s;
  statistics->peak_share = timed.peak_share;
  derive(statistics);
  return TRUE;
}

/** ms_image_statistics_serial: the same statistics on the host; the times are 0. */
void
ms_image_statistics_serial(const guint8 *pixels, guint64 n_pixels, MsImageStatistics *statistics)
{
  memset(statistics, 0, sizeof *statistics);
  ms_histogram_serial(pixels, n_pixels, &statistics->histogram);
  derive(statistics);
}

/** ms_image_statistics_add: merges @other into @self, as if their pixels were one image. */
void
ms_image_statistics_add(MsImageStatistics *self, const MsImageStatistics *other)
{
  MsTimedPass joined = ms_timed_pass_join((MsTimedPass){self->kernel_ms, self->gb_per_s, self->peak_share},
                                          (MsTimedPass){other->kernel_ms, other->gb_per_s, other->peak_share});

  ms_histogram_add(&self->histogram, &other->histogram);
  self->kernel_ms = joined.kernel_ms;
  self->gb_per_s = joined.gb_per_s;
  self->peak_share = joined.peak_share;
  derive(self);
}
