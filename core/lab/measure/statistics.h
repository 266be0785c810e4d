/* SPDX-License-Identifier: MIT */
/*
 * Statistics of timings: median and spread, outliers and clock drops, and verdicts between two configurations, from
 * runs that were taken side by side or one after the other.
 */
#pragma once

#include <glib.h>
#include <math.h>

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
MsSummary ms_statistics_summarise_array(const GArray *samples);
double ms_statistics_quantile(const double *samples, gsize n, double fraction);

/** MsDrift: a lasting increase of the times: @index is its first sample, @ratio how much slower it is from there. */
typedef struct {
  gboolean found;
  gsize index;
  double ratio;
} MsDrift;

gsize ms_statistics_outliers(const double *samples, gsize n);
MsDrift ms_statistics_find_clock_drop(const double *samples, gsize n);

typedef enum {
  MS_VERDICT_UNCERTAIN,
  MS_VERDICT_SAME,
  MS_VERDICT_FASTER,
  MS_VERDICT_SLOWER,
} MsVerdict;

/**
 * MsSpeedup: how many times faster a candidate is than a baseline, with a 99 % interval.
 * @ratio: time of the baseline / time of the candidate
 * @low: lower end of the interval; 0 when unknown
 * @high: upper end; infinite when unknown
 */
typedef struct {
  MsVerdict verdict;
  double ratio;
  double low;
  double high;
} MsSpeedup;

/**
 * MsTimes: the samples of one configuration.
 * @ns: (array length=n): times in nanoseconds
 * @rounds: (array length=n): the round in which each was taken, ascending
 */
typedef struct {
  const double *ns;
  const guint *rounds;
  guint n;
} MsTimes;

/** MS_SPEEDUP_UNKNOWN: no ratio and no verdict. */
#define MS_SPEEDUP_UNKNOWN ((MsSpeedup){MS_VERDICT_UNCERTAIN, NAN, 0, INFINITY})

double ms_times_median(const MsTimes *times);
MsSpeedup ms_speedup_side_by_side(const MsTimes *baseline, const MsTimes *candidate, double noise);
MsSpeedup ms_speedup_apart(const MsTimes *old, const MsTimes *new, double noise);
const char *ms_verdict_to_string(MsVerdict verdict);
const char *ms_verdict_describe(MsVerdict verdict);
