/* SPDX-License-Identifier: MIT */
#include "core/regions/borders.h"

/** ms_borders_reserve: has space for @n pairs; %FALSE where the budget does not suffice. */
gboolean
ms_borders_reserve(MsBorders *self, gsize n)
{
  if (n <= self->allocated)
    return TRUE;
  if (!ms_memory_budget_take(self->budget, (n - self->allocated) * sizeof *self->pairs))
    return FALSE;
  self->allocated = n;
  self->pairs = g_renew(guint64, self->pairs, n);
  return TRUE;
}

static gboolean
add_pair(MsBorders *self, guint32 a, guint32 b)
{
  if (a == b)
    return TRUE;
  if (self->n == self->allocated && !ms_borders_reserve(self, 2 * self->allocated + 64))
    return FALSE;
  self->pairs[self->n++] = (guint64)MIN(a, b) << 32 | MAX(a, b);
  return TRUE;
}

/* The pairs of a pixel and of those of its eight neighbours that come before it. */
static gboolean
add_pixel(MsBorders *self, const MsSegmentation *segmentation, int x, int y)
{
  const guint32 *own = segmentation->labels + (gsize)y * segmentation->width + x, *above = own - segmentation->width;

  if (x > 0 && !add_pair(self, own[0], own[-1]))
    return FALSE;
  if (y == 0)
    return TRUE;
  return (x == 0 || add_pair(self, own[0], above[-1])) && add_pair(self, own[0], above[0]) &&
         (x + 1 == segmentation->width || add_pair(self, own[0], above[1]));
}

/** ms_borders_find: adds each pair of labels that touch, at least once; %FALSE where the budget does not suffice. */
gboolean
ms_borders_find(MsBorders *self, const MsSegmentation *segmentation)
{
  for (int y = 0; y < segmentation->height; y++)
    for (int x = 0; x < segmentation->width; x++)
      if (!add_pixel(self, segmentation, x, y))
        return FALSE;
  return TRUE;
}

void
ms_borders_clear(MsBorders *self)
{
  g_free(self->pairs);
}

/* Sorts the pairs by one of their labels; stable. */
static void
sort_by_label(const guint64 *from, guint64 *to, gsize count, guint shift, guint32 n)
{
  g_autofree gsize *starts = g_new0(gsize, (gsize)n + 2);

  for (gsize i = 0; i < count; i++)
    starts[(guint32)(from[i] >> shift) + 1]++;
  for (guint32 i = 0; i <= n; i++)
    starts[i + 1] += starts[i];
  for (gsize i = 0; i < count; i++)
    to[starts[(guint32)(from[i] >> shift)]++] = from[i];
}

/** ms_borders_sort_bytes: what ms_borders_sort() allocates and frees. */
guint64
ms_borders_sort_bytes(const MsBorders *self, guint32 n_labels)
{
  return (self->n + 1) * sizeof *self->pairs + ((guint64)n_labels + 2) * sizeof(gsize);
}

/** ms_borders_sort: puts the pairs into ascending order and keeps each once. */
void
ms_borders_sort(MsBorders *self, guint32 n_labels)
{
  g_autofree guint64 *sorted = g_new(guint64, self->n + 1);
  gsize kept = 0;

  sort_by_label(self->pairs, sorted, self->n, 0, n_labels);
  sort_by_label(sorted, self->pairs, self->n, 32, n_labels);
  for (gsize i = 0; i < self->n; i++)
    if (kept == 0 || self->pairs[kept - 1] != self->pairs[i])
      self->pairs[kept++] = self->pairs[i];
  self->n = kept;
}
