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

void
ms_borders_clear(MsBorders *self)
{
  g_free(self->pairs);
}
