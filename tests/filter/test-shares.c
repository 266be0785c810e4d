/* SPDX-License-Identifier: MIT */
/* The division of rows among devices and its corrections, as pure functions. */
#include "core/filter/shares.h"
#include "core/opencl/timing.h"
#include "tests/support/cases.h"

static const MsSharesPolicy *
policy(const char *name)
{
  return ms_shares_policy_find(name, NULL);
}

static void
assert_sum_is_one(const MsShares *shares)
{
  double sum = 0;

  for (guint i = 0; i < shares->n; i++) {
    g_assert_cmpfloat(shares->share[i], >, 0);
    sum += shares->share[i];
  }
  g_assert_cmpfloat_with_epsilon(sum, 1, 1e-12);
}

static void
test_cut_covers_all(void)
{
  for (int count = 0; count < 50; count++) {
    const MsKnownSpeed speeds[] = {{1}, {7}, {0}, {2.5}};
    MsShares shares = ms_shares_from_speeds(speeds, 4);
    MsRows parts[4];
    int next = 3;
    assert_sum_is_one(&shares);
    ms_shares_cut(&shares, (MsRows){3, count}, parts);
    for (int i = 0; i < 4; i++) {
      g_assert_cmpint(parts[i].first, ==, next);
      g_assert_cmpint(parts[i].count, >=, 0);
      next += parts[i].count;
    }
    g_assert_cmpint(next, ==, 3 + count);
  }
}

static void
assert_first_share(const MsKnownSpeed *speeds, guint n, double expected)
{
  MsShares shares = ms_shares_from_speeds(speeds, n);

  g_assert_cmpfloat_with_epsilon(shares.share[0], expected, 1e-12);
}

/*
 * A device of unknown speed gets the mean of the known devices of its kind; a processor a 64th of other devices' speed.
 */
static void
test_unknown_device(void)
{
  assert_first_share((const MsKnownSpeed[]){{3}, {0}, {1}}, 3, 3.0 / 6);
  assert_first_share((const MsKnownSpeed[]){{0}, {3}, {1}}, 3, 2.0 / 6);
  assert_first_share((const MsKnownSpeed[]){{0, TRUE}, {0, TRUE}}, 2, 0.5);
  assert_first_share((const MsKnownSpeed[]){{0}, {0, TRUE}}, 2, 64.0 / 65);
  assert_first_share((const MsKnownSpeed[]){{100}, {0, TRUE}}, 2, 64.0 / 65);
  assert_first_share((const MsKnownSpeed[]){{0}, {2, TRUE}}, 2, 64.0 / 65);
  assert_first_share((const MsKnownSpeed[]){{100}, {0, TRUE}, {50, TRUE}}, 3, 0.5);
}

/* Devices of fixed speeds: after some steps both take equally long, and no share ever leaves its bounds. */
static void
converge(double fast, double slow)
{
  MsShares shares = ms_shares_equal(2);
  MsRows parts[2];

  for (int step = 0; step < 60; step++) {
    ms_shares_cut(&shares, (MsRows){0, 10000}, parts);
    const double ms[] = {parts[0].count / fast, parts[1].count / slow};
    ms_shares_correct(&shares, policy("adaptive"), parts, ms);
    assert_sum_is_one(&shares);
    g_assert_cmpfloat(MIN(shares.share[0], shares.share[1]), >, 0.0098); /* no device starves */
  }
  g_assert_cmpfloat_with_epsilon(shares.share[0], MIN(fast / (fast + slow), 0.9902), 0.01);
}

static double
share_after_one_step(double fast)
{
  MsShares shares = ms_shares_equal(2);
  const MsRows parts[] = {{0, 100}, {100, 100}};
  const double ms[] = {100 / fast, 100};

  ms_shares_correct(&shares, policy("adaptive"), parts, ms);
  return shares.share[0];
}

/* [LB]: a correction is scaled by the slowest over the fastest speed, but never below a quarter. */
static void
test_corrections_are_scaled(void)
{
  g_assert_cmpfloat_with_epsilon(share_after_one_step(2), 0.5 + (2.0 / 3 - 0.5) / 2, 1e-12);
  g_assert_cmpfloat_with_epsilon(share_after_one_step(4), 0.5 + (4.0 / 5 - 0.5) / 4, 1e-12);
  g_assert_cmpfloat_with_epsilon(share_after_one_step(9), 0.5 + (9.0 / 10 - 0.5) / 4, 1e-12);
}

/* Share of a device that has @share of the rows and runs at @speed times the speed of the other, after one step. */
static double
corrected(const char *name, double share, double speed)
{
  MsShares shares = ms_shares_equal(2);
  MsRows parts[2];

  shares.share[0] = share;
  shares.share[1] = 1 - share;
  ms_shares_cut(&shares, (MsRows){0, 1000}, parts);
  ms_shares_correct(&shares, policy(name), parts, (const double[]){parts[0].count / speed, parts[1].count});
  return shares.share[0];
}

/* The original balancer of [LB] trusts the last step fully, ED scales a correction, MA also bounds it. */
static void
test_study_modes(void)
{
  static const char *const corrects[] = {"adaptive", "dynamic", "experience", "bounded"};
  static const gboolean learned[] = {TRUE, FALSE, TRUE, FALSE};

  for (gsize i = 0; i < G_N_ELEMENTS(corrects); i++) {
    g_assert_true(policy(corrects[i])->corrected);
    g_assert_cmpint(policy(corrects[i])->learned, ==, learned[i]);
  }
  g_assert_cmpfloat_with_epsilon(corrected("dynamic", 0.5, 9), 0.9, 1e-12);
  g_assert_cmpfloat_with_epsilon(corrected("experience", 0.5, 9), 0.6, 1e-12);
  g_assert_cmpfloat_with_epsilon(corrected("bounded", 0.5, 9), 0.6, 1e-12);
  g_assert_cmpfloat_with_epsilon(corrected("experience", 0.1, 9), 0.1 + 0.8 / 4, 1e-12);
  g_assert_cmpfloat_with_epsilon(corrected("bounded", 0.1, 9), 0.15 / (0.15 + 0.7), 1e-12);
}

static void
test_partner_in_numbers(void)
{
  MsPartner partner = {.ratio = 4};

  ms_partner_begin(&partner);
  g_assert_cmpfloat(ms_partner_take(&partner, 10, 0, 0), ==, 0);
  g_assert_cmpfloat_with_epsilon(ms_partner_take(&partner, 10, 100, 50), 10 * 0.5 * 4 * 0.8, 1e-12);
  g_assert_cmpfloat_with_epsilon(ms_partner_take(&partner, 10, 0, 0), 10 * 0.5 * 4 * 1.25, 1e-12);
  ms_partner_end_step(&partner, (const double[]){3, 7}, 2);
  ms_partner_end_step(&partner, (const double[]){5, 2}, 2);
  g_assert_cmpfloat(partner.total_ms, ==, 12);
}

static void
test_shares_converge(void)
{
  converge(1, 1);
  converge(2, 1);
  converge(9.6, 1);
  converge(1, 3);
  converge(1000, 1);
}

static void
test_one_bad_step_is_bounded(void)
{
  MsShares shares = ms_shares_equal(2);
  const MsRows parts[] = {{0, 50}, {50, 50}};

  ms_shares_correct(&shares, policy("adaptive"), parts, (const double[]){1e9, 1});
  g_assert_cmpfloat(shares.share[0], >=, 0.2);
  ms_shares_correct(&shares, policy("adaptive"), parts, (const double[]){0, 1});
  g_assert_cmpfloat(shares.share[0], >=, 0.2);
}

/* Steps of 13 rows: a device that was slow for a while gets few rows meanwhile, and its half again soon afterwards. */
static void
test_starved_device_recovers(void)
{
  MsShares shares = ms_shares_equal(2);
  MsRows parts[2];
  int rows_while_slow = 0;

  for (int step = 0; step < 200; step++) {
    double speed = step < 100 ? 0.01 : 1;
    ms_shares_cut(&shares, (MsRows){0, 13}, parts);
    rows_while_slow += step >= 20 && step < 100 ? parts[1].count : 0;
    const double ms[] = {parts[0].count, parts[1].count / speed};
    ms_shares_correct(&shares, policy("adaptive"), parts, ms);
    assert_sum_is_one(&shares);
  }
  g_assert_cmpint(rows_while_slow, >, 0);
  g_assert_cmpint(rows_while_slow, <=, 8);
  g_assert_cmpfloat_with_epsilon(shares.share[1], 0.5, 0.06);
}

static void
test_unknown_policy(void)
{
  g_autoptr(GError) error = NULL;

  g_assert_cmpstr(ms_shares_policy_find("equal", NULL)->name, ==, "equal");
  g_assert_null(ms_shares_policy_find("half", &error));
  g_assert_error(error, MS_ERROR, MS_ERROR_USAGE);
}

static void
test_builds_are_no_speed(void)
{
  g_autoptr(MsTimingLog) log = ms_timing_log_new();
  const MsTiming kernel = {.stage = MS_STAGE_KERNEL, .kernel = "mean_shift", .ended_ns = 2000000};
  const MsTiming build = {.stage = MS_STAGE_BUILD, .kernel = "source", .ended_ns = 900000000};

  ms_timing_log_add(log, &kernel);
  g_assert_false(ms_timing_log_has_built(log));
  ms_timing_log_add(log, &build);
  g_assert_true(ms_timing_log_has_built(log));
}

/* Three transfers a device with half as many threads together have as many threads as the host has processors. */
static void
test_processors_of_transfers(void)
{
  g_assert_cmpuint(ms_shares_choose_processors(32, 0), ==, 32);
  g_assert_cmpuint(ms_shares_choose_processors(32, 1), ==, 32);
  g_assert_cmpuint(ms_shares_choose_processors(32, 2), ==, 10);
  g_assert_cmpuint(ms_shares_choose_processors(128, 8), ==, 10);
  g_assert_cmpuint(ms_shares_choose_processors(16, 4), ==, 8);
  g_assert_cmpuint(ms_shares_choose_processors(4, 2), ==, 4);
}

void
ms_test_shares(void)
{
  g_test_add_func("/shares/cut-covers-all", test_cut_covers_all);
  g_test_add_func("/shares/processors-of-transfers", test_processors_of_transfers);
  g_test_add_func("/shares/unknown-device", test_unknown_device);
  g_test_add_func("/shares/corrections-are-scaled", test_corrections_are_scaled);
  g_test_add_func("/shares/study-modes", test_study_modes);
  g_test_add_func("/shares/partner-in-numbers", test_partner_in_numbers);
  g_test_add_func("/shares/shares-converge", test_shares_converge);
  g_test_add_func("/shares/one-bad-step-is-bounded", test_one_bad_step_is_bounded);
  g_test_add_func("/shares/starved-device-recovers", test_starved_device_recovers);
  g_test_add_func("/shares/unknown-policy", test_unknown_policy);
  g_test_add_func("/shares/builds-are-no-speed", test_builds_are_no_speed);
}
