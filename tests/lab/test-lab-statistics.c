/* SPDX-License-Identifier: MIT */
/* The statistics of timings against cases computed by hand. */
#include <math.h>

#include "core/lab/measure/statistics.h"
#include "tests/support/cases.h"

#define SUMMARY(...)                                                                                                   \
  ms_statistics_summarise((const double[]){__VA_ARGS__}, sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

#define assert_near(a, b) g_assert_cmpfloat_with_epsilon(a, b, 1e-12)

static void
test_nothing(void)
{
  MsSummary s = ms_statistics_summarise(NULL, 0);

  g_assert_cmpuint(s.n, ==, 0);
  g_assert_true(isnan(s.median));
  g_assert_true(isnan(s.minimum));
  g_assert_true(isinf(s.spread));
}

static void
test_unknown_sample(void)
{
  g_assert_cmpuint(SUMMARY(NAN).n, ==, 0);
  g_assert_cmpuint(SUMMARY(1, NAN, 3).n, ==, 0);
  g_assert_true(isnan(SUMMARY(1, 2, 3, NAN).median));
}

static void
test_one_sample(void)
{
  MsSummary s = SUMMARY(7.5);

  g_assert_cmpuint(s.n, ==, 1);
  g_assert_cmpfloat(s.minimum, ==, 7.5);
  g_assert_cmpfloat(s.q1, ==, 7.5);
  g_assert_cmpfloat(s.median, ==, 7.5);
  g_assert_cmpfloat(s.q3, ==, 7.5);
  g_assert_cmpfloat(s.maximum, ==, 7.5);
  g_assert_cmpfloat(s.iqr, ==, 0);
  g_assert_true(isinf(s.spread)); /* one sample says nothing about its spread */
}

static void
test_two_samples(void)
{
  MsSummary s = SUMMARY(10, 20);

  assert_near(s.median, 15);
  assert_near(s.q1, 12.5);
  assert_near(s.q3, 17.5);
  g_assert_true(isinf(s.spread));
}

static void
test_odd_count(void)
{
  /* sorted 1 2 3 4 100; quartiles at places 1 and 3 */
  MsSummary s = SUMMARY(3, 100, 1, 4, 2);

  assert_near(s.median, 3);
  assert_near(s.q1, 2);
  assert_near(s.q3, 4);
  assert_near(s.iqr, 2);
  assert_near(s.minimum, 1);
  assert_near(s.maximum, 100);
  assert_near(s.mean, 22);
  assert_near(s.spread, 1.57 * 2 / sqrt(5) / 3);
}

static void
test_even_count(void)
{
  /* sorted 1 2 3 4: places 0.75, 1.5, 2.25 */
  MsSummary s = SUMMARY(4, 1, 3, 2);

  assert_near(s.q1, 1.75);
  assert_near(s.median, 2.5);
  assert_near(s.q3, 3.25);
}

static void
test_ties(void)
{
  /* sorted 5 5 5 5 9: the ties carry both quartiles */
  MsSummary s = SUMMARY(5, 9, 5, 5, 5);

  assert_near(s.q1, 5);
  assert_near(s.median, 5);
  assert_near(s.q3, 5);
  assert_near(s.iqr, 0);
  g_assert_cmpfloat(s.spread, ==, 0);
}

static void
test_zero_variance(void)
{
  MsSummary s = SUMMARY(2, 2, 2);

  g_assert_cmpfloat(s.iqr, ==, 0);
  g_assert_cmpfloat(s.spread, ==, 0);
  g_assert_cmpfloat(s.mean, ==, 2);
}

static void
test_quantiles(void)
{
  const double samples[] = {40, 10, 30, 20, 50};

  assert_near(ms_statistics_quantile(samples, 5, 0), 10);
  assert_near(ms_statistics_quantile(samples, 5, 1), 50);
  assert_near(ms_statistics_quantile(samples, 5, 0.1), 14);
  assert_near(ms_statistics_quantile(samples, 5, 0.95), 48);
}

static void
test_outliers(void)
{
  const double clean[] = {10, 11, 12, 11, 10, 12};
  const double dirty[] = {10, 11, 12, 11, 30, 10, 12};
  const double few[] = {1, 100, 1, 1};
  const double tied[] = {10, 10, 10, 10, 10, 10, 10, 10.2};
  /* Quartiles 2 and 4: two ranges beyond is within Tukey's outer fence, four is not. */
  const double fenced[] = {1, 2, 3, 4, 8}, outside[] = {1, 2, 3, 4, 12};

  g_assert_cmpuint(ms_statistics_outliers(fenced, 5), ==, 0);
  g_assert_cmpuint(ms_statistics_outliers(outside, 5), ==, 1);
  g_assert_cmpuint(ms_statistics_outliers(clean, 6), ==, 0);
  g_assert_cmpuint(ms_statistics_outliers(dirty, 7), ==, 1);
  g_assert_cmpuint(ms_statistics_outliers(few, 4), ==, 0);
  g_assert_cmpuint(ms_statistics_outliers(tied, 8), ==, 1);
  g_assert_cmpuint(ms_statistics_outliers(NULL, 0), ==, 0);
}

static void
test_clock_drop(void)
{
  const double drop[] = {100, 101, 99, 100, 130, 131, 129, 130, 131};
  const double steady[] = {100, 101, 99, 100, 102, 98, 100, 101, 99};
  const double one_spike[] = {100, 101, 99, 100, 200, 100, 99, 101, 100};
  const double rise[] = {130, 131, 129, 130, 100, 101, 99, 100, 100};
  const double slight[] = {100, 100, 100, 100, 102, 102, 102, 102, 102};
  const double overlapping[] = {100, 130, 100, 130, 100, 125, 135, 110, 135, 110};
  MsDrift drift = ms_statistics_find_clock_drop(drop, 9);

  g_assert_true(drift.found);
  g_assert_cmpuint(drift.index, ==, 4);
  assert_near(drift.ratio, 1.30);
  g_assert_false(ms_statistics_find_clock_drop(steady, 9).found);
  g_assert_false(ms_statistics_find_clock_drop(slight, 9).found);
  g_assert_false(ms_statistics_find_clock_drop(overlapping, 10).found);
  g_assert_false(ms_statistics_find_clock_drop(one_spike, 9).found);
  g_assert_false(ms_statistics_find_clock_drop(rise, 9).found); /* getting faster is no drop */
  g_assert_false(ms_statistics_find_clock_drop(drop, 5).found);
}

void
ms_test_lab_statistics(void)
{
  g_test_add_func("/lab/statistics/nothing", test_nothing);
  g_test_add_func("/lab/statistics/unknown-sample", test_unknown_sample);
  g_test_add_func("/lab/statistics/one-sample", test_one_sample);
  g_test_add_func("/lab/statistics/two-samples", test_two_samples);
  g_test_add_func("/lab/statistics/odd-count", test_odd_count);
  g_test_add_func("/lab/statistics/even-count", test_even_count);
  g_test_add_func("/lab/statistics/ties", test_ties);
  g_test_add_func("/lab/statistics/zero-variance", test_zero_variance);
  g_test_add_func("/lab/statistics/quantiles", test_quantiles);
  g_test_add_func("/lab/statistics/outliers", test_outliers);
  g_test_add_func("/lab/statistics/clock-drop", test_clock_drop);
}
