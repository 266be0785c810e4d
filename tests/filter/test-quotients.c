/* SPDX-License-Identifier: MIT */
/*
 * The means of kernels without doubles, compiled for the host, against the reference's: every sum that can occur. The
 * quotient in floats never falls where a sum or a reciprocal rises, so that the first and the last sum of each mean,
 * with the least and the greatest reciprocal that OpenCL permits, stand for all sums and reciprocals between; ties are
 * such sums.
 */
#include <math.h>
#include <string.h>

#include "core/filter/reference.h"
#include "tests/support/cases.h"
#include "tests/support/fixture.h"

#define N_MAX (129 * 129)
#define COLOURS 256
#define COORDINATES 65536
/* The longest side of an image, and sums that 32 bits hold. */
#define LONGEST 1000000
#define PERMITTED_ULPS 3

static inline int
convert_int(float v)
{
  return (int)v;
}

static inline float
convert_float(int v)
{
  return (float)v;
}

static inline int
as_int(float v)
{
  int bits;

  memcpy(&bits, &v, sizeof bits);
  return bits;
}

static inline float
as_float(int v)
{
  float number;

  memcpy(&number, &v, sizeof number);
  return number;
}

#define WORDS int
#define FLOATS float
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#include "kernels/prelude/names.cl"
#include "kernels/prelude/quotients.cl"
#pragma GCC diagnostic pop

/* 1 / n as the host rounds it, moved by so many of the least steps. */
static float
reciprocal_near(int n, int ulps)
{
  return as_float(as_int(1.0f / (float)n) + ulps);
}

/* The error of the double nearest to 1 / n, by its own bits: m * n - 2^(52 + l). */
static gint64
error_by_bits(int n)
{
  int exponent;
  const double fraction = frexp(1.0 / n, &exponent);
  const guint64 m = (guint64)ldexp(fraction, 53);

  /* Both numbers are taken modulo 2^64. */
  return (gint64)(m * (guint64)n - (53 - exponent < 64 ? G_GUINT64_CONSTANT(1) << (53 - exponent) : 0));
}

/** Divisor: a count with the least and the greatest reciprocal of it. */
typedef struct {
  int n;
  int error;
  float reciprocals[2];
} Divisor;

static void
check(gint64 sum, const Divisor *divisor, MsRule rule)
{
  if (sum < 0 || sum + divisor->n > G_MAXINT32)
    return;
  const int expected = ms_reference_mean(sum, divisor->n, rule);
  for (int i = 0; i < 2; i++) {
    const float reciprocal = divisor->reciprocals[i];
    const int mean = rule == MS_RULE_OPENCV ? nearest_of((int)sum, divisor->n, reciprocal, divisor->error)
                                            : floor_of((int)sum, divisor->n, reciprocal);
    if (mean != expected)
      g_error("The mean of %d values with sum %" G_GINT64_FORMAT " is %d, not %d.", divisor->n, sum, mean, expected);
  }
}

/* The sums between which the mean becomes `q`, and those between which it becomes q + 1 where it is rounded. */
static void
check_mean(int q, const Divisor *divisor)
{
  const gint64 whole = (gint64)q * divisor->n, tie = whole + divisor->n / 2;

  check(whole - 1, divisor, MS_RULE_TRUNCATE);
  check(whole, divisor, MS_RULE_TRUNCATE);
  for (int off = -1; off <= 1; off++)
    check(tie + off, divisor, MS_RULE_OPENCV);
}

/* The suite takes every colour, and every so many coordinates, other ones for each count; the long form takes all. */
static void
test_means(void)
{
  const int step = ms_fixture_form() >= MS_TEST_LONG ? 1 : ms_fixture_form() >= MS_TEST_CI ? 37 : 997;

  for (int n = 1; n <= N_MAX; n++) {
    const Divisor divisor = {
      n, (int)error_by_bits(n), {reciprocal_near(n, -PERMITTED_ULPS), reciprocal_near(n, PERMITTED_ULPS)}};

    for (int q = 0; q < COLOURS; q++)
      check_mean(q, &divisor);
    for (int q = COLOURS + n % step; q < COORDINATES; q += step)
      check_mean(q, &divisor);
    for (int q = COORDINATES + n % 97; q <= LONGEST && (gint64)q * n < G_MAXINT32; q += 97 * step)
      check_mean(q, &divisor);
  }
}

static void
test_errors(void)
{
  for (int n = 1; n <= N_MAX; n++)
    for (int ulps = -PERMITTED_ULPS; ulps <= PERMITTED_ULPS; ulps++)
      g_assert_cmpint(error_of(n, reciprocal_near(n, ulps)), ==, error_by_bits(n));
}

void
ms_test_quotients(void)
{
  g_test_add_func("/quotients/errors", test_errors);
  g_test_add_func("/quotients/means", test_means);
}
