/* SPDX-License-Identifier: MIT */
#include "core/regions/borders.h"

#include <string.h>

/** ms_borders_reserve: has space for @n pairs; %FALSE where the budget does not suffice. */
gboolean
ms_borders_reserve(MsBorders *self, gsize n)
{
  if (n <= self->allocated)
    return TRUE;
  if (!ms_memory_budget_take(self->budget, (n - self->allocated) * sizeof *self->pairs))
    return FALSE;
  self->allocated = n;
  self->pairs = g_renew(MsBorder, self->pairs, n);
  return TRUE;
}

static gboolean
add_pair(MsBorders *self, guint32 a, guint32 b)
{
  if (a == b)
    return TRUE;
  if (self->n == self->allocated && !ms_borders_reserve(self, 2 * self->allocated + 64))
    return FALSE;
  self->pairs[self->n++] = (MsBorder){{a, b}};
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

/* Keeps each neighbour of a region once, which are in order, and gives back the memory of the others. */
static void
keep_distinct(MsBorders *self, guint32 n_regions)
{
  guint32 *neighbours = self->neighbours;
  gsize from = 0, kept = 0;

  for (guint32 i = 0; i < n_regions; i++) {
    const gsize first = kept, end = self->starts[i + 1];
    for (; from < end; from++)
      if (kept == first || neighbours[kept - 1] != neighbours[from])
        neighbours[kept++] = neighbours[from];
    self->starts[i] = first;
  }
  self->starts[n_regions] = kept;
  self->neighbours = g_renew(guint32, neighbours, MAX(kept, 1));
}

/**
 * ms_borders_order:
 *
 * Makes the lists of neighbours from the pairs, whose memory they take: first in any order; then each region in turn
 * enters itself in the lists of its neighbours, which puts them in order.
 *
 * Returns: %FALSE where the budget does not suffice
 */
gboolean
ms_borders_order(MsBorders *self, guint32 n_regions)
{
  const gsize n = self->n, index_bytes = (n_regions + (gsize)1) * sizeof(gsize);

  if (!ms_memory_budget_take(self->budget, n * (guint64)sizeof(MsBorder) + 2 * (guint64)index_bytes))
    return FALSE;
  g_autofree guint32 *unordered = g_new(guint32, 2 * n + 1);
  gsize *starts = self->starts = g_malloc0(index_bytes);
  for (gsize i = 0; i < n; i++)
    for (int side = 0; side < 2; side++)
      starts[self->pairs[i].labels[side]]++;
  for (guint32 i = 0; i < n_regions; i++)
    starts[i + 1] += starts[i];
  g_autofree gsize *next = g_memdup2(starts, index_bytes);
  for (gsize i = 0; i < n; i++)
    for (int side = 0; side < 2; side++)
      unordered[next[self->pairs[i].labels[side] - 1]++] = self->pairs[i].labels[1 - side];
  memcpy(next, starts, index_bytes);
  self->neighbours = (guint32 *)g_steal_pointer(&self->pairs);
  for (guint32 i = 0; i < n_regions; i++)
    for (gsize k = starts[i]; k < starts[i + 1]; k++)
      self->neighbours[next[unordered[k] - 1]++] = i + 1;
  keep_distinct(self, n_regions);
  return TRUE;
}

void
ms_borders_clear(MsBorders *self)
{
  g_free(self->pairs);
  g_free(self->neighbours);
  g_free(self->starts);
}
