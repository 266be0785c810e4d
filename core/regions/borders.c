/* SPDX-License-Identifier: MIT */
#include "core/regions/borders.h"

/*
 * last: for each label, the larger label of the last pair found in which it is the smaller one
 * failed: whether the budget has refused memory
 */
typedef struct {
  MsBorders *borders;
  guint32 *last;
  MsMemoryBudget *budget;
  gboolean failed;
} Collecting;

static gboolean
reserve(Collecting *self, gsize n)
{
  MsBorders *borders = self->borders;

  if (!ms_memory_budget_take(self->budget, (n - borders->allocated) * sizeof *borders->pairs))
    return FALSE;
  borders->allocated = n;
  borders->pairs = g_renew(guint64, borders->pairs, n);
  return TRUE;
}

/* Skips the pair found last, since most borders continue in the next row. */
static void
add_pair(gpointer data, guint32 later, guint32 earlier)
{
  Collecting *self = data;
  MsBorders *borders = self->borders;
  const guint32 a = MIN(later, earlier), b = MAX(later, earlier);

  if (self->last[a] == b || self->failed)
    return;
  self->last[a] = b;
  self->failed = borders->n == borders->allocated && !reserve(self, 2 * borders->allocated);
  if (self->failed)
    return;
  borders->pairs[borders->n++] = (guint64)a << 32 | b;
}

/**
 * ms_borders_new:
 * @budget: (nullable): for this memory; it holds that of the result, and of the search, afterwards
 *
 * Returns: (transfer full): each pair of labels from 1 to @n_labels that touch, at least once; %NULL where @budget does
 *   not suffice
 */
MsBorders *
ms_borders_new(const MsRuns *runs, guint32 n_labels, MsMemoryBudget *budget)
{
  if (!ms_memory_budget_take(budget, ((gsize)n_labels + 1) * sizeof(guint32)))
    return NULL;
  g_autoptr(MsBorders) self = g_new0(MsBorders, 1);
  g_autofree guint32 *last = g_new0(guint32, (gsize)n_labels + 1);
  Collecting collecting = {self, last, budget, FALSE};

  collecting.failed = !reserve(&collecting, 4 * (gsize)n_labels + 64);
  for (int y = 0; y < runs->height && !collecting.failed; y++)
    ms_runs_each_pair(runs, y, add_pair, &collecting);
  return collecting.failed ? NULL : g_steal_pointer(&self);
}

void
ms_borders_free(MsBorders *self)
{
  if (!self)
    return;
  g_free(self->pairs);
  g_free(self);
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
