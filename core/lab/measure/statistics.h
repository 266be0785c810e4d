/* SPDX-License-Identifier: MIT */
/* Statistics of timings: median and spread, outliers and clock drops. */
#pragma once

#include <glib.h>

/**
 * MsSummary:
 * @n: number of samples; everything below is NAN when it is 0
 * @q1: first quartile, linear interpolation between order statistics (numpy's default)
 * @q3: third quartile, likewise
 * @iqr: @q3 - @q1
 * @spread: relative half-width of the median's ~95 % interval, 1.57 * iqr / sqrt(n) / median (McGill's notch); infinite
 *   for fewer than 3 samples
 */
typedef struct {
  guint n;
  double minimum;
  double q1;
  double median;
  double q3;
  double maximum;
  double mean;
  double iqr;
  double spread;
} MsSummary;

MsSummary ms_statistics_summarise(const double *samples, gsize n);
double ms_statistics_quantile(const double *samples, gsize n, double fraction);

/** MsDrift: a lasting increase of the times: @index is its first sample, @ratio how much slower it is from there. */
typedef struct {
  gboolean found;
  gsize index;
  double ratio;
} MsDrift;

gsize ms_statistics_outliers(const double *samples, gsize n, gboolean *flags);
MsDrift ms_statistics_find_clock_drop(const double *samples, gsize n);
