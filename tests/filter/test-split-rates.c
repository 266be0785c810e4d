/* SPDX-License-Identifier: MIT */
/* Whether devices filter together or the fastest alone: both ways are timed, then the faster one is used. */
#include <glib/gstdio.h>

#include "core/filter/split/speeds.h"
#include "tests/support/cases.h"

/* Speeds of both ways in pixels a millisecond, 0 where they are not known. */
typedef struct {
  const char *why;
  double together;
  double alone;
  double kernels; /* of the device alone */
  guint image;
  gboolean prefers_alone;
} Choice;

static const Choice choices[] = {
  {"nothing is known, and the first image compiles", 0, 0, 0, 1, FALSE},
  {"all devices together are not timed yet", 0, 0, 0, 2, FALSE},
  {"one device alone is not timed yet", 5, 0, 0, 3, TRUE},
  {"one device alone is faster", 5, 6, 0, 4, TRUE},
  {"all devices together are faster", 6, 5, 0, 4, FALSE},
  {"the first image of a process uses what is known", 5, 6, 0, 1, TRUE},
  {"the first image of a process times nothing", 5, 0, 0, 1, FALSE},
  {"the slower way is tried again: together", 5, 6, 0, 32, FALSE},
  {"the slower way is tried again: alone", 6, 5, 0, 64, TRUE},
  {"the kernels alone are slower than all together: not timed", 6, 0, 5, 3, FALSE},
  {"the kernels alone are slower than all together: not tried again", 6, 5, 5, 64, FALSE},
  {"the kernels alone are faster than all together", 6, 0, 7, 3, TRUE},
};

static void
test_both_ways_are_timed(void)
{
  for (gsize i = 0; i < G_N_ELEMENTS(choices); i++) {
    const Choice *c = &choices[i];

    g_test_message("%s", c->why);
    g_assert_cmpint(ms_split_rates_prefer_alone(c->together, c->alone, c->kernels, c->image), ==, c->prefers_alone);
  }
}

static MsSplitRates
make_rates(MsLearnedSpeeds *speeds, GPtrArray *devices, guint64 pixels, guint image)
{
  return (MsSplitRates){speeds, devices, "rule0-sp10", pixels, image};
}

static void
test_times_are_kept_by_size(void)
{
  g_autofree char *folder = g_dir_make_tmp("split-rates-XXXXXX", NULL);
  g_autofree char *store = g_build_filename(folder, "speeds.ini", NULL);
  g_autoptr(GPtrArray) devices = g_ptr_array_new();
  g_autoptr(MsLearnedSpeeds) speeds = ms_learned_speeds_new(store);
  MsShares both = ms_shares_equal(2), second, chosen;

  g_ptr_array_add(devices, (gpointer) "a");
  g_ptr_array_add(devices, (gpointer) "b");
  both.share[0] = 0.4;
  both.share[1] = 0.6;
  second = both;
  ms_shares_keep_fastest(&second);
  g_assert_true(second.left_out[0] && !second.left_out[1]);
  g_assert_cmpfloat(second.share[1], ==, 1);

  MsSplitRates small = make_rates(speeds, devices, 1000000, 2), large = make_rates(speeds, devices, 100000000, 2);
  ms_split_rates_keep(&small, &both, 20);
  ms_split_rates_keep(&small, &second, 10);
  ms_split_rates_keep(&large, &both, 100);
  ms_split_rates_keep(&large, &second, 150);
  chosen = both;
  ms_split_rates_choose(&small, &chosen);
  g_assert_cmpuint(ms_shares_count_active(&chosen), ==, 1);
  chosen = both;
  ms_split_rates_choose(&large, &chosen);
  g_assert_cmpuint(ms_shares_count_active(&chosen), ==, 2);

  /* The first image of a process keeps no time: it compiles kernels. */
  MsSplitRates first = make_rates(speeds, devices, 10000, 1), next = make_rates(speeds, devices, 10000, 2);
  ms_split_rates_keep(&first, &both, 1);
  chosen = both;
  ms_split_rates_choose(&next, &chosen);
  g_assert_cmpuint(ms_shares_count_active(&chosen), ==, 2);
  g_clear_pointer(&speeds, ms_learned_speeds_free);
  g_assert_cmpint(g_unlink(store), ==, 0);
  g_assert_cmpint(g_rmdir(folder), ==, 0);
}

/*
 * Filters images on two devices that take 100 ms alone each, their kernels @kernels_ms, and @together_ms side by side;
 * the shares change a little from image to image. Returns the images up to the 31st that one device filtered alone.
 */
static guint
count_alone(double together_ms, double kernels_ms)
{
  g_autofree char *folder = g_dir_make_tmp("split-rates-XXXXXX", NULL);
  g_autofree char *store = g_build_filename(folder, "speeds.ini", NULL);
  g_autoptr(GPtrArray) devices = g_ptr_array_new();
  g_autoptr(MsLearnedSpeeds) speeds = ms_learned_speeds_new(store);
  const guint64 pixels = 100000000;
  guint alone = 0;

  g_ptr_array_add(devices, (gpointer) "a");
  g_ptr_array_add(devices, (gpointer) "b");
  for (guint image = 1; image < MS_SPLIT_IMAGES_UNTIL_TRIAL; image++) {
    const MsSplitRates rates = make_rates(speeds, devices, pixels, image);
    MsShares shares = ms_shares_equal(2);

    shares.share[0] = image % 2 ? 0.49 : 0.51;
    shares.share[1] = 1 - shares.share[0];
    ms_split_rates_choose(&rates, &shares);
    const gboolean single = ms_shares_count_active(&shares) == 1;
    alone += single;
    ms_split_rates_keep(&rates, &shares, single ? 100 : together_ms);
    for (guint i = 0; i < 2; i++)
      if (shares.share[i] > 0)
        ms_split_rates_keep_kernels(&rates, i, shares.share[i] * (double)pixels, shares.share[i] * kernels_ms);
  }
  g_clear_pointer(&speeds, ms_learned_speeds_free);
  g_assert_cmpint(g_unlink(store), ==, 0);
  g_assert_cmpint(g_rmdir(folder), ==, 0);
  return alone;
}

/* Two devices of one kind, whose measured speeds take turns in being a little higher. */
static void
test_equal_devices(void)
{
  /* Side by side they are faster: the first one is timed alone once, and not at all if its kernels exclude a gain. */
  g_assert_cmpuint(count_alone(60, 40), ==, 1);
  g_assert_cmpuint(count_alone(60, 80), ==, 0);
  /* Side by side they are slower: used together twice, then one alone. */
  g_assert_cmpuint(count_alone(110, 40), ==, MS_SPLIT_IMAGES_UNTIL_TRIAL - 3);
}

/* Of two processes with one file each keeps what the other has saved meanwhile. */
static void
test_two_processes_share_a_file(void)
{
  g_autofree char *folder = g_dir_make_tmp("split-rates-XXXXXX", NULL);
  g_autofree char *store = g_build_filename(folder, "speeds.ini", NULL);
  MsLearnedSpeeds *one = ms_learned_speeds_new(store), *other = ms_learned_speeds_new(store);

  ms_learned_speeds_save(one);
  g_assert_false(g_file_test(store, G_FILE_TEST_EXISTS));
  ms_learned_speeds_add(one, "a", "rule0-sp5", 1000, 10);
  ms_learned_speeds_add(other, "b", "rule0-sp5", 1000, 20);
  g_assert_cmpfloat(ms_learned_speeds_get(one, "a", "rule0-sp5"), ==, 100);
  ms_learned_speeds_save(one);
  ms_learned_speeds_free(other);
  ms_learned_speeds_free(one);

  g_autoptr(MsLearnedSpeeds) next = ms_learned_speeds_new(store);
  g_assert_cmpfloat(ms_learned_speeds_get(next, "a", "rule0-sp5"), ==, 100);
  g_assert_cmpfloat(ms_learned_speeds_get(next, "b", "rule0-sp5"), ==, 50);
  g_assert_cmpfloat(ms_learned_speeds_get(next, "b", "rule0-sp9"), ==, 0);
  g_assert_cmpint(g_unlink(store), ==, 0);
  g_assert_cmpint(g_rmdir(folder), ==, 0);
}

void
ms_test_split_rates(void)
{
  g_test_add_func("/split-rates/both-ways-are-timed", test_both_ways_are_timed);
  g_test_add_func("/split-rates/times-are-kept-by-size", test_times_are_kept_by_size);
  g_test_add_func("/split-rates/equal-devices", test_equal_devices);
  g_test_add_func("/split-rates/two-processes-share-a-file", test_two_processes_share_a_file);
}
