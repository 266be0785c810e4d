/* SPDX-License-Identifier: MIT */
#include "core/lab/measure/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define OUTLIER_FENCE 3.0
#define DROP_MINIMUM_PART 3
#define DROP_MINIMUM_RATIO 1.03

static int
compare_doubles(gconstpointer a, gconstpointer b)
{
  double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

static double *
sorted_copy(const double *samples, gsize n)
{
  double *copy = g_memdup2(samples, n * sizeof *samples);

  qsort(copy, n, sizeof *copy, compare_doubles);
  return copy;
}

static double
quantile_of_sorted(const double *sorted, gsize n, double fraction)
{
  double place = fraction * (double)(n - 1);
  gsize below = (gsize)floor(place);

  if (below + 1 >= n)
    return sorted[n - 1];
  return sorted[below] + (place - (double)below) * (sorted[below + 1] - sorted[below]);
}

/**
 * ms_statistics_quantile:
 * @samples: @n values in any order
 * @fraction: 0 for the minimum, 0.5 for the median, 1 for the maximum
 *
 * Returns: the quantile by linear interpolation between order statistics; NAN when @n is 0
 */
double
ms_statistics_quantile(const double *samples, gsize n, double fraction)
{
  if (n == 0)
    return NAN;
  g_autofree double *sorted = sorted_copy(samples, n);
  return quantile_of_sorted(sorted, n, fraction);
}

static double
median_spread(const MsSummary *s)
{
  if (s->n < 3)
    return INFINITY;
  if (s->iqr == 0.0)
    return 0.0;
  return 1.57 * s->iqr / sqrt(s->n) / fabs(s->median);
}

/**
 * ms_statistics_summarise:
 * @samples: (array length=n): values in any order
 * @n: how many, 0 allowed
 *
 * Returns: order statistics and the spread of the median; see #MsSummary
 */
MsSummary
ms_statistics_summarise(const double *samples, gsize n)
{
  MsSummary s = {0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, INFINITY};

  if (n == 0)
    return s;
  g_autofree double *sorted = sorted_copy(samples, n);
  double sum = 0;
  for (gsize i = 0; i < n; i++)
    sum += sorted[i];
  s.n = (guint)n;
  s.minimum = sorted[0];
  s.q1 = quantile_of_sorted(sorted, n, 0.25);
  s.median = quantile_of_sorted(sorted, n, 0.5);
  s.q3 = quantile_of_sorted(sorted, n, 0.75);
  s.maximum = sorted[n - 1];
  s.mean = sum / (double)n;
  s.iqr = s.q3 - s.q1;
  s.spread = median_spread(&s);
  return s;
}

/**
 * ms_statistics_outliers:
 * @samples: @n values in any order
 * @flags: (nullable): set for each sample beyond three interquartile ranges outside the quartiles (Tukey's outer fence)
 *
 * Where the interquartile range is 0 (most samples tie), a sample more than 1 % from the median is an outlier.
 *
 * Returns: how many outliers there are; always 0 for fewer than 5 samples
 */
gsize
ms_statistics_outliers(const double *samples, gsize n, gboolean *flags)
{
  MsSummary s = ms_statistics_summarise(samples, n);
  double reach = MAX(OUTLIER_FENCE * s.iqr, 0.01 * fabs(s.median));
  gsize count = 0;

  if (flags)
    memset(flags, 0, n * sizeof *flags);
  if (n < 5)
    return 0;
  for (gsize i = 0; i < n; i++) {
    if (samples[i] >= s.q1 - reach && samples[i] <= s.q3 + reach)
      continue;
    count++;
    if (flags)
      flags[i] = TRUE;
  }
  return count;
}

static double
absolute_deviation(const double *samples, gsize n, double centre)
{
  double sum = 0;

  for (gsize i = 0; i < n; i++)
    sum += fabs(samples[i] - centre);
  return sum;
}

/**
 * ms_statistics_find_clock_drop:
 * @samples: @n times in the order they were taken
 *
 * Looks for the one place where the times step up for good, as they do when a device lowers its clock: of all places
 * that leave three samples on either side, the one where two medians describe the samples best. It counts as a drop
 * when the later part is at least 3 % slower and the middle halves of the two parts do not overlap.
 *
 * Returns: the place and the ratio of the medians, or found == FALSE
 */
MsDrift
ms_statistics_find_clock_drop(const double *samples, gsize n)
{
  MsDrift drift = {FALSE, 0, 1.0};
  double best = INFINITY;

  for (gsize k = DROP_MINIMUM_PART; k + DROP_MINIMUM_PART <= n; k++) {
    MsSummary before = ms_statistics_summarise(samples, k);
    MsSummary after = ms_statistics_summarise(samples + k, n - k);
    double cost = absolute_deviation(samples, k, before.median) + absolute_deviation(samples + k, n - k, after.median);
    if (cost >= best)
      continue;
    best = cost;
    drift.index = k;
    drift.ratio = after.median / before.median;
    drift.found = drift.ratio >= DROP_MINIMUM_RATIO && after.q1 > before.q3;
  }
  return drift.found ? drift : (MsDrift){FALSE, 0, 1.0};
}
