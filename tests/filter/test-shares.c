/* SPDX-License-Identifier: MIT */
/* The division of rows among devices and its corrections, as pure functions. */
#include "core/filter/split/speeds.h"
#include "core/filter/split/split.h"
#include "tests/support/cases.h"

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

/* A left out device gets no rows and no probe, however many steps there are; an unknown one takes part. */
static void
test_slow_devices_are_left_out(void)
{
  const MsKnownSpeed speeds[] = {{100}, {1, TRUE}, {4, TRUE}};
  MsShares shares = ms_shares_from_speeds(speeds, 3);
  MsRows parts[3];

  ms_shares_leave_out(&shares, speeds);
  for (int step = 0; step < 100; step++) {
    ms_shares_cut(&shares, (MsRows){0, 1000}, parts);
    g_assert_cmpint(parts[0].count, >, 0);
    g_assert_cmpint(parts[1].count, ==, 0);
    g_assert_cmpint(parts[2].count, >, 0);
    const double ms[] = {parts[0].count / 100.0, 0, parts[2].count / 4.0};
    ms_shares_correct(&shares, ms_split_mode_policy(MS_SPLIT_ADAPTIVE), parts, ms);
  }
  g_assert_cmpfloat_with_epsilon(shares.share[2], 4.0 / 104, 0.01);

  const MsKnownSpeed unknown[] = {{100}, {0, TRUE}};
  shares = ms_shares_from_speeds(unknown, 2);
  ms_shares_leave_out(&shares, unknown);
  g_assert_false(shares.left_out[1]);
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
    ms_shares_correct(&shares, ms_split_mode_policy(MS_SPLIT_ADAPTIVE), parts, ms);
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

  ms_shares_correct(&shares, ms_split_mode_policy(MS_SPLIT_ADAPTIVE), parts, ms);
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
corrected(MsSplitMode mode, double share, double speed)
{
  MsShares shares = ms_shares_equal(2);
  MsRows parts[2];

  shares.share[0] = share;
  shares.share[1] = 1 - share;
  ms_shares_cut(&shares, (MsRows){0, 1000}, parts);
  ms_shares_correct(&shares, ms_split_mode_policy(mode), parts,
                    (const double[]){parts[0].count / speed, parts[1].count});
  return shares.share[0];
}

/* The original balancer of [LB] trusts the last step fully, ED scales a correction, MA also bounds it. */
static void
test_study_modes(void)
{
  static const MsSplitMode corrects[] = {MS_SPLIT_ADAPTIVE, MS_SPLIT_DYNAMIC, MS_SPLIT_EXPERIENCE, MS_SPLIT_BOUNDED};
  static const gboolean learned[] = {TRUE, FALSE, TRUE, FALSE};

  for (gsize i = 0; i < G_N_ELEMENTS(corrects); i++) {
    g_assert_true(ms_split_mode_policy(corrects[i])->corrected);
    g_assert_cmpint(ms_split_mode_policy(corrects[i])->learned, ==, learned[i]);
  }
  g_assert_cmpfloat_with_epsilon(corrected(MS_SPLIT_DYNAMIC, 0.5, 9), 0.9, 1e-12);
  g_assert_cmpfloat_with_epsilon(corrected(MS_SPLIT_EXPERIENCE, 0.5, 9), 0.6, 1e-12);
  g_assert_cmpfloat_with_epsilon(corrected(MS_SPLIT_BOUNDED, 0.5, 9), 0.6, 1e-12);
  g_assert_cmpfloat_with_epsilon(corrected(MS_SPLIT_EXPERIENCE, 0.1, 9), 0.1 + 0.8 / 4, 1e-12);
  g_assert_cmpfloat_with_epsilon(corrected(MS_SPLIT_BOUNDED, 0.1, 9), 0.15 / (0.15 + 0.7), 1e-12);
}

static void
test_partner_in_numbers(void)
{
  MsSplitPartner partner = {.ratio = 4};

  ms_split_partner_begin(&partner);
  g_assert_cmpfloat(ms_split_partner_take(&partner, 10, 0, 0), ==, 0);
  g_assert_cmpfloat_with_epsilon(ms_split_partner_take(&partner, 10, 100, 50), 10 * 0.5 * 4 * 0.8, 1e-12);
  g_assert_cmpfloat_with_epsilon(ms_split_partner_take(&partner, 10, 0, 0), 10 * 0.5 * 4 * 1.25, 1e-12);
  ms_split_partner_end_step(&partner, (const double[]){3, 7}, 2);
  ms_split_partner_end_step(&partner, (const double[]){5, 2}, 2);
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

  ms_shares_correct(&shares, ms_split_mode_policy(MS_SPLIT_ADAPTIVE), parts, (const double[]){1e9, 1});
  g_assert_cmpfloat(shares.share[0], >=, 0.2);
  ms_shares_correct(&shares, ms_split_mode_policy(MS_SPLIT_ADAPTIVE), parts, (const double[]){0, 1});
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
    ms_shares_correct(&shares, ms_split_mode_policy(MS_SPLIT_ADAPTIVE), parts, ms);
    assert_sum_is_one(&shares);
  }
  g_assert_cmpint(rows_while_slow, >, 0);
  g_assert_cmpint(rows_while_slow, <=, 8);
  g_assert_cmpfloat_with_epsilon(shares.share[1], 0.5, 0.06);
}

static void
test_modes_parse(void)
{
  MsSplitMode mode;
  g_autoptr(GError) error = NULL;

  static const char *const names[] = {"equal", "learned", "adaptive", "dynamic", "experience", "bounded"};
  for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
    g_assert_true(ms_split_mode_parse(names[i], &mode, &error));
    g_assert_cmpint(mode, ==, i);
  }
  g_assert_false(ms_split_mode_parse("half", &mode, &error));
  g_assert_error(error, MS_ERROR, MS_ERROR_USAGE);
}

static void
test_builds_are_no_speed(void)
{
  g_autoptr(MsTimingLog) log = ms_timing_log_new();
  const MsTiming kernel = {.stage = MS_STAGE_KERNEL, .kernel = "mean_shift", .ended_ns = 2000000};
  const MsTiming build = {.stage = MS_STAGE_BUILD, .kernel = "source", .ended_ns = 900000000};

  ms_timing_log_add(log, &kernel);
  g_assert_cmpfloat(ms_split_speed_ms(log, 3.5), ==, 3.5);
  ms_timing_log_add(log, &build);
  g_assert_cmpfloat(ms_split_speed_ms(log, 903.5), ==, 0);
}

/* The speed measured with a photograph is kept when a thumbnail follows. */
static void
test_small_images_weigh_little(void)
{
  g_assert_cmpfloat_with_epsilon(ms_learned_speeds_blend(1000, 10, 40 * 30), 1000, 10);
  g_assert_cmpfloat_with_epsilon(ms_learned_speeds_blend(10, 1000, 12e6), 1000, 30);
  g_assert_cmpfloat(ms_learned_speeds_blend(10, 10, 5), ==, 10);
}

/* A part of a device that overlaps transfers has 1 GiB or more, except where a first step corrects the shares. */
static void
test_steps_of_large_parts(void)
{
  const guint64 gib = (guint64)1 << 30;

  g_assert_cmpuint(ms_split_choose_steps(gib / 100, FALSE, 2, 8), ==, 1);
  g_assert_cmpuint(ms_split_choose_steps(gib / 100, TRUE, 2, 8), ==, 2);
  g_assert_cmpuint(ms_split_choose_steps(8 * gib, FALSE, 2, 8), ==, 4);
  g_assert_cmpuint(ms_split_choose_steps(12 * gib, TRUE, 4, 8), ==, 3);
  g_assert_cmpuint(ms_split_choose_steps(100 * gib, FALSE, 2, 8), ==, 8);
}

/* Three transfers a device with half as many threads together have as many threads as the host has processors. */
static void
test_processors_of_transfers(void)
{
  g_assert_cmpuint(ms_split_choose_processors(32, 0), ==, 32);
  g_assert_cmpuint(ms_split_choose_processors(32, 1), ==, 32);
  g_assert_cmpuint(ms_split_choose_processors(32, 2), ==, 10);
  g_assert_cmpuint(ms_split_choose_processors(128, 8), ==, 10);
  g_assert_cmpuint(ms_split_choose_processors(16, 4), ==, 8);
  g_assert_cmpuint(ms_split_choose_processors(4, 2), ==, 4);
}

void
ms_test_shares(void)
{
  g_test_add_func("/shares/cut-covers-all", test_cut_covers_all);
  g_test_add_func("/shares/processors-of-transfers", test_processors_of_transfers);
  g_test_add_func("/shares/unknown-device", test_unknown_device);
  g_test_add_func("/shares/slow-devices-are-left-out", test_slow_devices_are_left_out);
  g_test_add_func("/shares/corrections-are-scaled", test_corrections_are_scaled);
  g_test_add_func("/shares/study-modes", test_study_modes);
  g_test_add_func("/shares/partner-in-numbers", test_partner_in_numbers);
  g_test_add_func("/shares/shares-converge", test_shares_converge);
  g_test_add_func("/shares/one-bad-step-is-bounded", test_one_bad_step_is_bounded);
  g_test_add_func("/shares/starved-device-recovers", test_starved_device_recovers);
  g_test_add_func("/shares/modes-parse", test_modes_parse);
  g_test_add_func("/shares/builds-are-no-speed", test_builds_are_no_speed);
  g_test_add_func("/shares/small-images-weigh-little", test_small_images_weigh_little);
  g_test_add_func("/shares/steps-of-large-parts", test_steps_of_large_parts);
}
