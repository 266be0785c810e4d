/* SPDX-License-Identifier: MIT */
/* The list of tiles: each row goes to one device, and devices of any speed end at about the same time. */
#include "core/filter/tiles.h"
#include "tests/support/cases.h"

#define ROWS 1000

/* Takes tiles by devices in a random order until there are none for any, and notes who took each row. */
static void
take_all(MsTiles *tiles, GRand *rand, int most, int *takers)
{
  gboolean has_ended[MS_DEVICES_MAX] = {FALSE};
  guint idle = 0;
  MsRows tile;

  for (int y = 0; y < ROWS; y++)
    takers[y] = -1;
  while (idle < tiles->n_devices) {
    const guint device = (guint)g_rand_int_range(rand, 0, (gint32)tiles->n_devices);
    if (has_ended[device])
      continue;
    if (!ms_tiles_take(tiles, device, most, &tile)) {
      has_ended[device] = TRUE;
      idle++;
      continue;
    }
    g_assert_cmpint(tile.count, >, 0);
    g_assert_cmpint(tile.count, <=, most);
    if (g_rand_int_range(rand, 0, 4) == 0) {
      ms_tiles_return(tiles, device, tile, NULL);
      continue;
    }
    for (int y = tile.first - 7; y < tile.first - 7 + tile.count; y++) {
      g_assert_cmpint(y, >=, 0);
      g_assert_cmpint(y, <, ROWS);
      g_assert_cmpint(takers[y], ==, -1);
      takers[y] = (int)device;
    }
    ms_tiles_count(tiles, device, tile.count);
  }
}

static void
note_progress(int done, int total, gpointer last)
{
  g_assert_cmpint(total, ==, ROWS);
  g_assert_cmpint(done, >, *(int *)last);
  g_assert_cmpint(done, <=, ROWS);
  *(int *)last = done;
}

static void
test_each_row_once(void)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed(5);

  for (guint n = 1; n <= 5; n++)
    for (int most = 1; most < 3 * ROWS; most = most * 3 + 1) {
      g_auto(MsTiles) tiles = {0};
      int takers[ROWS], last = 0;
      ms_tiles_init(&tiles, (MsRows){7, ROWS}, n);
      tiles.progress = note_progress;
      tiles.progress_data = &last;
      take_all(&tiles, rand, most, takers);
      for (int y = 0; y < ROWS; y++)
        g_assert_cmpint(takers[y], >=, 0);
      g_assert_cmpint(last, ==, ROWS);
    }
}

static void
test_shares_that_are_handed_out(void)
{
  const MsRows shares[] = {{7, 400}, {407, 0}, {407, 600}};
  g_autoptr(GRand) rand = g_rand_new_with_seed(6);

  for (int most = 1; most < 3 * ROWS; most = most * 3 + 1) {
    g_auto(MsTiles) tiles = {0};
    int takers[ROWS];
    ms_tiles_init(&tiles, (MsRows){7, ROWS}, 3);
    ms_tiles_hand_out(&tiles, shares);
    take_all(&tiles, rand, most, takers);
    for (int y = 0; y < ROWS; y++)
      g_assert_cmpint(takers[y], ==, y < 400 ? 0 : 2);
  }
}

static void
test_stopped(void)
{
  g_auto(MsTiles) tiles = {0};
  MsRows tile;

  ms_tiles_init(&tiles, (MsRows){0, ROWS}, 2);
  g_assert_true(ms_tiles_take(&tiles, 0, 10, &tile));
  ms_tiles_return(&tiles, 0, tile, NULL);
  ms_tiles_stop(&tiles);
  for (guint device = 0; device < 2; device++)
    g_assert_false(ms_tiles_take(&tiles, device, 10, &tile));
}

/*
 * The time of a picture on devices of these speeds, each of which takes the next tile when it is done, in terms of the
 * time of all of them if none ever waited.
 */
static double
time_of(const double *speeds, guint n, int most, gboolean known)
{
  double told[MS_DEVICES_MAX] = {0}, busy_until[MS_DEVICES_MAX] = {0}, sum = 0, end = 0;
  gboolean is_done[MS_DEVICES_MAX] = {FALSE};
  int left = ROWS;

  for (guint i = 0; i < n; i++) {
    told[i] = known ? speeds[i] : 0;
    sum += speeds[i];
  }
  for (;;) {
    guint next = n;
    for (guint i = 0; i < n; i++)
      if (!is_done[i] && (next == n || busy_until[i] < busy_until[next]))
        next = i;
    if (left == 0 || next == n)
      break;
    if (busy_until[next] > 0)
      told[next] = speeds[next];
    const int rows = ms_tiles_choose_rows(left, most, told, n, next);
    g_assert_cmpint(rows, <=, MIN(left, most));
    is_done[next] = rows == 0;
    busy_until[next] += rows / speeds[next];
    left -= rows;
    end = MAX(end, busy_until[next]);
  }
  g_assert_cmpint(left, ==, 0);
  return end / (ROWS / sum);
}

static void
test_devices_end_together(void)
{
  for (double ratio = 1; ratio < 300; ratio *= 1.3) {
    const double two[] = {ratio, 1}, reverse[] = {1, ratio}, three[] = {ratio, ratio, 1};
    g_test_message("ratio %.1f: %.3f, unknown %.3f, three %.3f", ratio, time_of(two, 2, 32, TRUE),
                   time_of(two, 2, 32, FALSE), time_of(three, 3, 32, TRUE));
    g_assert_cmpfloat(time_of(two, 2, 32, TRUE), <, 1.07);
    g_assert_cmpfloat(time_of(reverse, 2, 32, TRUE), <, 1.07);
    g_assert_cmpfloat(time_of(three, 3, 32, TRUE), <, 1.07);
    /* A slow device of unknown speed takes one small tile at the worst. */
    g_assert_cmpfloat(time_of(two, 2, 32, FALSE), <, 1.07 + 0.016 * ratio);
  }
}

/* A processor beside a GPU that is a thousand times as fast gets nothing once that is known. */
static void
test_slow_device_is_left_out(void)
{
  const double speeds[] = {1000, 1};

  g_assert_cmpint(ms_tiles_choose_rows(ROWS, 32, speeds, 2, 1), ==, 0);
  g_assert_cmpint(ms_tiles_choose_rows(ROWS, 32, speeds, 2, 0), ==, 32);
  g_assert_cmpint(ms_tiles_choose_rows(ROWS, 64, (const double[]){3, 0}, 2, 1), ==, 16);
}

/* Tiles that are computed one after the other are an eighth of a share, unless they would be mostly halo. */
static void
test_even_rows(void)
{
  g_auto(MsTiles) tiles = {0};

  ms_tiles_init(&tiles, (MsRows){0, ROWS}, 2);
  g_assert_cmpint(ms_tiles_even_rows(&tiles, ROWS, 0), ==, ROWS / 16);
  g_assert_cmpint(ms_tiles_even_rows(&tiles, ROWS, 25), ==, 100);
  g_assert_cmpint(ms_tiles_even_rows(&tiles, 30, 25), ==, 30);
  ms_tiles_hand_out(&tiles, (const MsRows[]){{0, ROWS}, {ROWS, 0}});
  g_assert_cmpint(ms_tiles_even_rows(&tiles, ROWS, 25), ==, ROWS);
}

/* A device that is alone takes what its plan says. */
static void
test_one_device(void)
{
  g_assert_cmpint(ms_tiles_choose_rows(ROWS, 64, (const double[]){0}, 1, 0), ==, 64);
  g_assert_cmpint(ms_tiles_choose_rows(3, 64, (const double[]){5}, 1, 0), ==, 3);
}

void
ms_test_tiles(void)
{
  g_test_add_func("/tiles/each-row-once", test_each_row_once);
  g_test_add_func("/tiles/shares-that-are-handed-out", test_shares_that_are_handed_out);
  g_test_add_func("/tiles/stopped", test_stopped);
  g_test_add_func("/tiles/devices-end-together", test_devices_end_together);
  g_test_add_func("/tiles/slow-device-is-left-out", test_slow_device_is_left_out);
  g_test_add_func("/tiles/one-device", test_one_device);
  g_test_add_func("/tiles/even-rows", test_even_rows);
}
