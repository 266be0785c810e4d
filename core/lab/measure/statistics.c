/* SPDX-License-Identifier: MIT */
#include "core/lab/measure/statistics.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define OUTLIER_FENCE 3.0
#define DROP_MINIMUM_PART 3
#define DROP_MINIMUM_RATIO 1.03
#define FEWEST_FOR_A_VERDICT 5
#define FEWEST_PAIRS 8
#define Z_99_PERCENT 2.576
/* Of each of two runs, so that their differences fit into some megabytes. */
#define MOST_OF_A_RUN 1000

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
 * Returns: order statistics and the spread of the median; see #MsSummary. Those of no samples where one is NAN, since
 *   the median of the others would be that of a part.
 */
MsSummary
ms_statistics_summarise(const double *samples, gsize n)
{
  MsSummary s = {0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, INFINITY};

  for (gsize i = 0; i < n; i++)
    if (isnan(samples[i]))
      return s;
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

/** ms_statistics_summarise_array: @samples: (element-type double) */
MsSummary
ms_statistics_summarise_array(const GArray *samples)
{
  return ms_statistics_summarise((const double *)(const void *)samples->data, samples->len);
}

/**
 * ms_statistics_outliers:
 * @samples: @n values in any order
 *
 * Where the interquartile range is 0 (most samples tie), a sample more than 1 % from the median is an outlier.
 *
 * Returns: how many samples lie beyond three interquartile ranges outside the quartiles (Tukey's outer fence); always 0
 *   for fewer than 5 samples
 */
gsize
ms_statistics_outliers(const double *samples, gsize n)
{
  MsSummary s = ms_statistics_summarise(samples, n);
  double reach = MAX(OUTLIER_FENCE * s.iqr, 0.01 * fabs(s.median));
  gsize count = 0;

  for (gsize i = 0; n >= 5 && i < n; i++)
    count += samples[i] < s.q1 - reach || samples[i] > s.q3 + reach;
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

/* A centre with its interval; of logarithms, so that a ratio and its inverse are treated alike. */
typedef struct {
  double centre;
  double low;
  double high;
} Interval;

/* The means of all pairs of values, each value with itself included, in ascending order: n * (n + 1) / 2 of them. */
static double *
walsh_averages(const double *values, gsize n)
{
  double *averages = g_new(double, n *(n + 1) / 2);
  gsize k = 0;

  for (gsize i = 0; i < n; i++)
    for (gsize j = i; j < n; j++)
      averages[k++] = (values[i] + values[j]) / 2;
  qsort(averages, k, sizeof *averages, compare_doubles);
  return averages;
}

/*
 * The estimator of Hodges and Lehmann with the interval of Wilcoxon's signed ranks. It needs values that scatter
 * symmetrically, which the random order within rounds provides, and tolerates outliers in up to 29 % of them.
 */
static Interval
hodges_lehmann(const double *values, gsize n)
{
  gsize total = n * (n + 1) / 2;
  g_autofree double *averages = walsh_averages(values, n);
  double rank = (double)total / 2 - Z_99_PERCENT * sqrt((double)(n * (n + 1) * (2 * n + 1)) / 24);
  gsize below = rank > 0 ? (gsize)rank : 0;
  double centre = (averages[(total - 1) / 2] + averages[total / 2]) / 2;

  return (Interval){centre, averages[below], averages[total - 1 - below]};
}

/* Logarithms of a / b in the rounds that both have; @rounds receives the numbers of these rounds. */
static GArray *
log_ratios(const MsTimes *a, const MsTimes *b, GArray *rounds)
{
  GArray *ratios = g_array_new(FALSE, FALSE, sizeof(double));

  for (guint i = 0, k = 0; i < a->n && k < b->n;) {
    if (a->rounds[i] < b->rounds[k]) {
      i++;
    } else if (a->rounds[i] > b->rounds[k]) {
      k++;
    } else {
      double ratio = log(a->ns[i] / b->ns[k]);
      if (isfinite(ratio)) {
        g_array_append_val(ratios, ratio);
        g_array_append_val(rounds, a->rounds[i]);
      }
      i++, k++;
    }
  }
  return ratios;
}

/*
 * An odd round has the order of the even one before it reversed, so that the mean of the two is free of anything that
 * depends on the place within a round. Replaces such pairs by their means where enough are left.
 */
static void
join_mirrored_rounds(GArray *ratios, const GArray *rounds)
{
  g_autoptr(GArray) joined = g_array_new(FALSE, FALSE, sizeof(double));

  for (guint i = 0; i + 1 < ratios->len; i++) {
    guint round = g_array_index(rounds, guint, i);
    if (round % 2 == 1 || g_array_index(rounds, guint, i + 1) != round + 1)
      continue;
    double mean = (g_array_index(ratios, double, i) + g_array_index(ratios, double, i + 1)) / 2;
    g_array_append_val(joined, mean);
  }
  if (joined->len < FEWEST_PAIRS)
    return;
  g_array_set_size(ratios, 0);
  g_array_append_vals(ratios, joined->data, joined->len);
}

/* The interval of log(a / b); FALSE with fewer than FEWEST_FOR_A_VERDICT common rounds, only the centre is set then. */
static gboolean
compare_rounds(const MsTimes *a, const MsTimes *b, Interval *interval)
{
  g_autoptr(GArray) rounds = g_array_new(FALSE, FALSE, sizeof(guint));
  g_autoptr(GArray) ratios = log_ratios(a, b, rounds);
  guint common = ratios->len;

  *interval = (Interval){NAN, -INFINITY, INFINITY};
  if (common == 0)
    return FALSE;
  join_mirrored_rounds(ratios, rounds);
  *interval = hodges_lehmann((const double *)ratios->data, ratios->len);
  return common >= FEWEST_FOR_A_VERDICT;
}

static MsVerdict
judge(double low, double high, double noise)
{
  double least = 1.0 / (1.0 + noise);
  double most = 1.0 + noise;

  if (low > most)
    return MS_VERDICT_FASTER;
  if (high < least)
    return MS_VERDICT_SLOWER;
  if (low >= least && high <= most)
    return MS_VERDICT_SAME;
  return MS_VERDICT_UNCERTAIN;
}

static MsSpeedup
speedup_from(const Interval *log_interval, double noise)
{
  double low = exp(log_interval->low), high = exp(log_interval->high);

  return (MsSpeedup){judge(low, high, noise), exp(log_interval->centre), low, high};
}

/**
 * ms_speedup_side_by_side:
 * @baseline: times of the baseline
 * @candidate: times of the configuration to judge, measured in the same rounds
 * @noise: relative difference below which two times count as the same, 0.01 for 1 %
 *
 * Only ratios of two runs of the same round count, so that a change of the machine's speed between rounds cancels. The
 * ratio is their Hodges-Lehmann estimate, the interval that of Wilcoxon's signed ranks (Hollander, Wolfe:
 * Nonparametric Statistical Methods, chapter 3). "Faster" and "slower" require the whole interval beyond the noise,
 * "same" requires all of it within; anything else, and fewer than 5 common rounds, is uncertain.
 */
MsSpeedup
ms_speedup_side_by_side(const MsTimes *baseline, const MsTimes *candidate, double noise)
{
  Interval interval;

  if (!compare_rounds(baseline, candidate, &interval))
    return (MsSpeedup){MS_VERDICT_UNCERTAIN, exp(interval.centre), 0, INFINITY};
  return speedup_from(&interval, noise);
}

/** ms_times_median: NAN without times. */
double
ms_times_median(const MsTimes *times)
{
  return ms_statistics_quantile(times->ns, times->n, 0.5);
}

/**
 * ms_speedup_apart:
 * @old: times of a configuration in an earlier run
 * @new: times of the same configuration now
 * @noise: as in ms_speedup_side_by_side()
 *
 * The ratio is that of the medians; the interval is that of Mann and Whitney for the shift between two samples
 * (Hollander, Wolfe: chapter 4), of the logarithms. It knows how much the times of each run scatter, and not by how
 * much the machine has changed between the two.
 */
MsSpeedup
ms_speedup_apart(const MsTimes *old, const MsTimes *new, double noise)
{
  const double ratio = ms_times_median(old) / ms_times_median(new);
  const gsize n = MIN(old->n, MOST_OF_A_RUN), m = MIN(new->n, MOST_OF_A_RUN), total = n * m;
  g_autofree double *changes = g_new(double, total);

  if (MIN(n, m) < FEWEST_FOR_A_VERDICT)
    return (MsSpeedup){MS_VERDICT_UNCERTAIN, ratio, 0, INFINITY};
  for (gsize i = 0; i < total; i++)
    changes[i] = log(old->ns[i / m] / new->ns[i % m]);
  qsort(changes, total, sizeof *changes, compare_doubles);
  const double rank = (double)total / 2 - Z_99_PERCENT * sqrt((double)total * (double)(n + m + 1) / 12);
  const gsize outside = rank > 1 ? (gsize)rank - 1 : 0;
  return speedup_from(&(Interval){log(ratio), changes[outside], changes[total - 1 - outside]}, noise);
}

static const struct {
  const char *name;
  const char *description;
} verdicts[] = {
  [MS_VERDICT_UNCERTAIN] = {N_("uncertain"), "the samples do not decide"},
  [MS_VERDICT_SAME] = {N_("same"), "the same within noise"},
  [MS_VERDICT_FASTER] = {N_("faster"), "faster"},
  [MS_VERDICT_SLOWER] = {N_("slower"), "slower"},
};

/** ms_verdict_to_string: one word, as reports spell it; ms_text() translates it. */
const char *
ms_verdict_to_string(MsVerdict verdict)
{
  return verdicts[verdict].name;
}

/** ms_verdict_describe: a few words for the terminal. */
const char *
ms_verdict_describe(MsVerdict verdict)
{
  return verdicts[verdict].description;
}
