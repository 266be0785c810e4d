/* SPDX-License-Identifier: MIT */
#include "core/regions/segmentation.h"

#include "core/regions/merging.h"

/* What decides whether two neighbouring pixels are of one region. */
typedef struct {
  const guint8 *colours;
  const guint16 *modes;
  int width;
  int spatial;
  int isr2;
} Rule;

static gboolean
are_close(const Rule *rule, gsize a, gsize b)
{
  const guint8 *p = rule->colours + a * 4, *q = rule->colours + b * 4;
  const guint16 *m = rule->modes + a * 2, *o = rule->modes + b * 2;
  int d0 = p[0] - q[0], d1 = p[1] - q[1], d2 = p[2] - q[2];

  return ABS(m[0] - o[0]) <= rule->spatial && ABS(m[1] - o[1]) <= rule->spatial &&
         4 * (d0 * d0 + d1 * d1 + d2 * d2) <= rule->isr2;
}

/* The smallest pixel of the set so far; halves the path to it. */
static guint32
find(guint32 *parents, guint32 at)
{
  while (parents[at] != at) {
    parents[at] = parents[parents[at]];
    at = parents[at];
  }
  return at;
}

static void
join(guint32 *parents, guint32 a, guint32 b)
{
  guint32 p = find(parents, a), q = find(parents, b);

  parents[MAX(p, q)] = MIN(p, q);
}

/* Joins a pixel with those of its eight neighbours that come before it. */
static void
join_pixel(const Rule *rule, guint32 *parents, int x, int y)
{
  const gsize at = (gsize)y * rule->width + x, above = at - rule->width;

  if (x > 0 && are_close(rule, at, at - 1))
    join(parents, (guint32)at, (guint32)at - 1);
  if (y == 0)
    return;
  for (int i = MAX(x - 1, 0); i <= MIN(x + 1, rule->width - 1); i++)
    if (are_close(rule, at, above + i - x))
      join(parents, (guint32)at, (guint32)(above + i - x));
}

/* Replaces each pixel's set by a number, counted from 1 in the order of the first pixels; returns how many. */
static guint32
number_sets(guint32 *parents, gsize n)
{
  guint32 count = 0;

  for (gsize i = 0; i < n; i++)
    parents[i] = parents[i] == i ? ++count | 0x80000000u : parents[parents[i]];
  for (gsize i = 0; i < n; i++)
    parents[i] &= 0x7fffffffu;
  return count;
}

/* parents[i] becomes a smaller pixel of the same set whose own entry is the set's first pixel. */
static gboolean
find_sets(const Rule *rule, int height, guint32 *parents, GCancellable *cancellable, GError **error)
{
  const gsize n = (gsize)rule->width * height;

  for (gsize i = 0; i < n; i++)
    parents[i] = (guint32)i;
  for (int y = 0; y < height; y++) {
    if (g_cancellable_set_error_if_cancelled(cancellable, error))
      return FALSE;
    for (int x = 0; x < rule->width; x++)
      join_pixel(rule, parents, x, y);
  }
  for (gsize i = 0; i < n; i++)
    parents[i] = find(parents, (guint32)i);
  return TRUE;
}

static int
compare_pairs(gconstpointer a, gconstpointer b)
{
  guint64 p = *(const guint64 *)a, q = *(const guint64 *)b;

  return p < q ? -1 : p > q;
}

static void
add_pair(GArray *pairs, guint32 a, guint32 b)
{
  guint64 pair = (guint64)MIN(a, b) << 32 | MAX(a, b);

  if (a != b && (pairs->len == 0 || g_array_index(pairs, guint64, pairs->len - 1) != pair))
    g_array_append_val(pairs, pair);
}

/**
 * ms_segmentation_find_borders:
 * @n: (out): number of pairs
 *
 * Returns: (transfer full): each two regions with pixels that are among each other's eight neighbours, once and sorted:
 *   the smaller label in the upper 32 bits
 */
guint64 *
ms_segmentation_find_borders(const guint32 *labels, int width, int height, gsize *n)
{
  GArray *pairs = g_array_new(FALSE, FALSE, sizeof(guint64));
  guint64 *all;
  gsize kept = 0;

  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const guint32 *own = labels + (gsize)y * width + x;
      if (x > 0)
        add_pair(pairs, own[0], own[-1]);
      for (int i = MAX(x - 1, 0); y > 0 && i <= MIN(x + 1, width - 1); i++)
        add_pair(pairs, own[0], own[i - x - width]);
    }
  g_array_sort(pairs, compare_pairs);
  gsize count = pairs->len;
  all = (guint64 *)(gpointer)g_array_free(pairs, FALSE);
  for (gsize i = 0; i < count; i++)
    if (kept == 0 || all[kept - 1] != all[i])
      all[kept++] = all[i];
  *n = kept;
  return all;
}

/**
 * ms_segmentation_new:
 * @filtered: the result of the filter
 * @modes: column and row of each pixel's mode
 * @params: what @filtered was computed with
 * @min_pixels: regions with fewer pixels join a neighbour; 0 or 1 for none
 *
 * Two of eight neighbours are of one region where their modes differ by at most the spatial radius in column and in row
 * and their colours by at most half the colour radius; regions are what such neighbours connect. (With the whole colour
 * radius, small steps of colour from pixel to pixel would join most of a photograph.) Then, while there is a
 * region of fewer than @min_pixels that has a neighbour, the smallest (of several the one with the smallest label)
 * joins the neighbour whose mean colour is nearest (of several the one with the smallest label), which keeps its label.
 *
 * Returns: (transfer full): the regions, or %NULL with #MS_ERROR_MEMORY, #MS_ERROR_UNSUPPORTED or G_IO_ERROR_CANCELLED
 */
MsSegmentation *
ms_segmentation_new(MsImage *filtered, const guint16 *modes, const MsParams *params, guint min_pixels,
                    GCancellable *cancellable, GError **error)
{
  const int width = ms_image_get_width(filtered), height = ms_image_get_height(filtered);
  const gsize n = (gsize)width * height;
  const MsFilterNumbers numbers = ms_params_numbers(params);
  const Rule rule = {ms_image_get_pixels(filtered), modes, width, (int)numbers.sp, numbers.isr2};

  if (n > G_MAXINT32) {
    g_set_error(error, MS_ERROR, MS_ERROR_UNSUPPORTED, "Regions take up to %d pixels; this image has %dx%d.",
                G_MAXINT32, width, height);
    return NULL;
  }
  g_autofree guint32 *labels = g_try_new(guint32, n);
  if (!labels) {
    g_set_error(error, MS_ERROR, MS_ERROR_MEMORY, "There is not enough memory for the regions of %dx%d pixels.", width,
                height);
    return NULL;
  }
  if (!find_sets(&rule, height, labels, cancellable, error))
    return NULL;
  guint32 count = number_sets(labels, n);
  if (min_pixels > 1)
    count = ms_merge_small_regions(labels, filtered, count, min_pixels);
  MsSegmentation *self = g_new(MsSegmentation, 1);
  *self = (MsSegmentation){width, height, count, g_steal_pointer(&labels)};
  return self;
}

void
ms_segmentation_free(MsSegmentation *self)
{
  if (!self)
    return;
  g_free(self->labels);
  g_free(self);
}
