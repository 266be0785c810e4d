/* SPDX-License-Identifier: MIT */
/* Blocks of runs and Huffman codes: zlib inflates them to the same bytes, and they are smaller than its own runs. */
#include <string.h>

#include <zlib.h>

#include "core/image/png-runs.h"
#include "tests/support/cases.h"

/* More than a block of png-runs.c, and no multiple of what it compares at once. */
#define MOST (130 * 1000 + 7)

typedef void (*Fill)(guint8 *data, gsize n);

static void
fill_flat(guint8 *data, gsize n)
{
  memset(data, 7, n);
}

static void
fill_noise(guint8 *data, gsize n)
{
  g_autoptr(GRand) random = g_rand_new_with_seed(5);

  for (gsize i = 0; i < n; i++)
    data[i] = (guint8)g_rand_int(random);
}

/* Small differences, most of them zero, as a filter leaves of a photograph. */
static void
fill_differences(guint8 *data, gsize n)
{
  g_autoptr(GRand) random = g_rand_new_with_seed(6);

  for (gsize i = 0; i < n; i++)
    data[i] = (guint8)(g_rand_int_range(random, 0, 5) > 0 ? 0 : g_rand_int_range(random, -9, 10));
}

/* Runs of every length from 1 to 600, of bytes that differ from the one before. */
static void
fill_runs(guint8 *data, gsize n)
{
  for (gsize i = 0, length = 1; i < n; length = length % 600 + 1)
    for (gsize j = 0; j < length && i < n; j++)
      data[i++] = (guint8)length;
}

/* Bytes whose counts are Fibonacci numbers, for which the best code is longer than the longest allowed. */
static void
fill_fibonacci(guint8 *data, gsize n)
{
  gsize count = 1, last = 1;

  for (gsize i = 0, byte = 0; i < n; byte++, count += last, last = count - last)
    for (gsize j = 0; j < count && i < n; j++)
      data[(i++ * 7919) % n] = (guint8)byte;
}

static const Fill fills[] = {fill_flat, fill_noise, fill_differences, fill_runs, fill_fibonacci};

/* Inflates two pieces of one stream, so that the end of the first is tested, too. */
static void
check(const guint8 *data, gsize first, gsize second)
{
  g_autofree guint8 *back = g_malloc(first + second + 1);
  z_stream z = {.next_out = back, .avail_out = (uInt)(first + second + 1)};
  int status = Z_OK;

  g_assert_cmpint(inflateInit2(&z, -MAX_WBITS), ==, Z_OK);
  for (int i = first > 0 ? 0 : 1; i < 2; i++) {
    g_autoptr(GBytes) piece = ms_png_runs_deflate(i > 0 ? data + first : data, i > 0 ? second : first, i > 0);
    gsize size;
    z.next_in = (Bytef *)g_bytes_get_data(piece, &size);
    z.avail_in = (uInt)size;
    status = inflate(&z, Z_NO_FLUSH);
    g_assert_cmpuint(z.avail_in, ==, 0);
  }
  g_assert_cmpint(status, ==, Z_STREAM_END);
  g_assert_cmpmem(back, z.total_out, data, first + second);
  inflateEnd(&z);
}

static void
test_inflates(void)
{
  static const gsize sizes[] = {1, 2, 8, 9, 10, 11, 17, 259, 4099, 61440, 61441, MOST};
  g_autofree guint8 *data = g_malloc(MOST);

  for (gsize f = 0; f < G_N_ELEMENTS(fills); f++)
    for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++) {
      fills[f](data, sizes[i]);
      check(data, 0, sizes[i]);
      if (sizes[i] > 1)
        check(data, sizes[i] / 3 + 1, sizes[i] - sizes[i] / 3 - 1);
    }
}

/* The size of @data by zlib's own search for runs. */
static gsize
size_by_zlib(guint8 *data, gsize n)
{
  g_autofree guint8 *out = g_malloc(2 * n);
  z_stream z = {.next_in = data, .avail_in = (uInt)n, .next_out = out, .avail_out = (uInt)(2 * n)};

  g_assert_cmpint(deflateInit2(&z, 3, Z_DEFLATED, -MAX_WBITS, 8, Z_RLE), ==, Z_OK);
  g_assert_cmpint(deflate(&z, Z_FINISH), ==, Z_STREAM_END);
  deflateEnd(&z);
  return z.total_out;
}

static void
test_size(void)
{
  g_autofree guint8 *data = g_malloc(MOST);

  for (gsize f = 0; fills[f] != fill_fibonacci; f++) {
    fills[f](data, MOST);
    g_autoptr(GBytes) ours = ms_png_runs_deflate(data, MOST, TRUE);
    g_assert_cmpuint(g_bytes_get_size(ours), <=, size_by_zlib(data, MOST) * 1.003 + 100);
  }
  fill_differences(data, MOST);
  g_autoptr(GBytes) differences = ms_png_runs_deflate(data, MOST, TRUE);
  g_assert_cmpuint(g_bytes_get_size(differences), <, size_by_zlib(data, MOST) * 0.95);
}

/* Of a complete code the shares of all lengths, each 2^-length, add up to one. */
static void
test_lengths(void)
{
  guint32 counts[MS_PNG_MOST_SYMBOLS];
  guint8 lengths[MS_PNG_MOST_SYMBOLS];
  gsize bits = 0, total = 0, share = 0;

  for (guint i = 0; i < G_N_ELEMENTS(counts); i++)
    counts[i] = i % 7 == 0 ? 0 : 1u << (i % 30);
  for (guint limit = 9; limit <= 15; limit++) {
    ms_png_huffman_lengths(counts, G_N_ELEMENTS(counts), limit, lengths);
    share = 0;
    for (guint i = 0; i < G_N_ELEMENTS(counts); i++) {
      g_assert_cmpuint(lengths[i], <=, limit);
      g_assert_true((lengths[i] > 0) == (counts[i] > 0));
      share += lengths[i] > 0 ? 1u << (15 - lengths[i]) : 0;
    }
    g_assert_cmpuint(share, ==, 1u << 15);
  }
  /* 1, 1, 2, 3, 5 occurrences take 4, 4, 3, 2, 1 bits. */
  ms_png_huffman_lengths((const guint32[]){5, 1, 3, 1, 2}, 5, 15, lengths);
  for (guint i = 0; i < 5; i++) {
    static const guint32 occurrences[] = {5, 1, 3, 1, 2};
    bits += occurrences[i] * lengths[i];
    total += lengths[i];
  }
  g_assert_cmpuint(bits, ==, 25);
  g_assert_cmpuint(total, ==, 14);
}

void
ms_test_png_runs(void)
{
  g_test_add_func("/png-runs/inflates", test_inflates);
  g_test_add_func("/png-runs/size", test_size);
  g_test_add_func("/png-runs/lengths", test_lengths);
}
