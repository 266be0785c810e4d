/* SPDX-License-Identifier: MIT */
#include "core/regions/region-queue.h"

/* Regions of fewer pixels are sorted by counting, which is faster than the heap; few regions have more. */
#define SORTED_SIZES 4096

/*
 * sorted: entries from the start, of which the first @taken have been taken
 * heap: entries from later on and of large regions, as a binary heap
 * An entry is the number of pixels << 32 | label.
 */
struct _MsRegionQueue {
  guint64 *sorted;
  gsize n_sorted;
  gsize taken;
  GArray *heap;
};

static guint64
entry_of(guint32 label, guint32 pixels)
{
  return (guint64)pixels << 32 | label;
}

static void
heap_push(GArray *heap, guint64 entry)
{
  guint at = heap->len;

  g_array_append_val(heap, entry);
  while (at > 0 && g_array_index(heap, guint64, (at - 1) / 2) > entry) {
    g_array_index(heap, guint64, at) = g_array_index(heap, guint64, (at - 1) / 2);
    at = (at - 1) / 2;
  }
  g_array_index(heap, guint64, at) = entry;
}

static guint64
heap_pop(GArray *heap)
{
  const guint64 least = g_array_index(heap, guint64, 0), entry = g_array_index(heap, guint64, heap->len - 1);
  guint at = 0;

  g_array_set_size(heap, heap->len - 1);
  for (guint child = 1; child < heap->len; child = 2 * at + 1) {
    if (child + 1 < heap->len && g_array_index(heap, guint64, child + 1) < g_array_index(heap, guint64, child))
      child++;
    if (g_array_index(heap, guint64, child) >= entry)
      break;
    g_array_index(heap, guint64, at) = g_array_index(heap, guint64, child);
    at = child;
  }
  if (heap->len > 0)
    g_array_index(heap, guint64, at) = entry;
  return least;
}

/* Counting keeps the order of labels among regions of one size. */
static void
sort_small(MsRegionQueue *self, const guint32 *pixels, guint32 n, guint limit)
{
  g_autofree gsize *starts = g_new0(gsize, limit + 1);

  for (guint32 i = 1; i <= n; i++)
    if (pixels[i] < limit)
      starts[pixels[i] + 1]++;
  for (guint i = 0; i < limit; i++)
    starts[i + 1] += starts[i];
  self->n_sorted = starts[limit];
  self->sorted = g_new(guint64, self->n_sorted + 1);
  for (guint32 i = 1; i <= n; i++)
    if (pixels[i] < limit)
      self->sorted[starts[pixels[i]]++] = entry_of(i, pixels[i]);
}

/** ms_region_queue_new: (transfer full): those of the labels 1 to @n that have fewer than @min_pixels pixels. */
MsRegionQueue *
ms_region_queue_new(const guint32 *pixels, guint32 n, guint min_pixels)
{
  MsRegionQueue *self = g_new0(MsRegionQueue, 1);
  const guint limit = MIN(min_pixels, SORTED_SIZES);

  self->heap = g_array_new(FALSE, FALSE, sizeof(guint64));
  sort_small(self, pixels, n, limit);
  for (guint32 i = 1; i <= n && min_pixels > limit; i++)
    if (pixels[i] >= limit && pixels[i] < min_pixels)
      heap_push(self->heap, entry_of(i, pixels[i]));
  return self;
}

void
ms_region_queue_free(MsRegionQueue *self)
{
  if (!self)
    return;
  g_free(self->sorted);
  g_array_unref(self->heap);
  g_free(self);
}

void
ms_region_queue_push(MsRegionQueue *self, guint32 label, guint32 pixels)
{
  heap_push(self->heap, entry_of(label, pixels));
}

/** ms_region_queue_pop: %FALSE where the queue is empty. */
gboolean
ms_region_queue_pop(MsRegionQueue *self, guint32 *label, guint32 *pixels)
{
  const gboolean has_sorted = self->taken<self->n_sorted, has_heap = self->heap->len> 0;
  guint64 entry;

  if (!has_sorted && !has_heap)
    return FALSE;
  if (has_sorted && (!has_heap || self->sorted[self->taken] <= g_array_index(self->heap, guint64, 0)))
    entry = self->sorted[self->taken++];
  else
    entry = heap_pop(self->heap);
  *label = (guint32)entry;
  *pixels = (guint32)(entry >> 32);
  return TRUE;
}
