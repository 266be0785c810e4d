/* SPDX-License-Identifier: MIT */
#include "core/regions/merging.h"

#include "core/regions/segmentation.h"

/* Means are compared in steps of 1/256 of a level, so that they are integers on every machine. */
#define MEAN_STEPS 256

/*
 * A region, or what remains of one that has joined another.
 * next, last: the list of regions that have joined this one; 0 ends it
 * means: in steps of 1/MEAN_STEPS, of the pixels counted so far
 */
typedef struct {
  guint32 next;
  guint32 last;
  guint32 pixels;
  gint32 means[3];
  guint64 sums[3];
} Node;

/*
 * nodes: by label, from 1 on
 * parents: of each label, itself or a region that it has joined; apart from the nodes, since most searches read no more
 * starts, neighbours: the neighbours of label i as it was at first are starts[i] to starts[i + 1] - 1
 * heap: regions that are too small as size << 32 | label, the smallest first; entries of an earlier size are skipped
 */
typedef struct {
  Node *nodes;
  guint32 *parents;
  gsize *starts;
  guint32 *neighbours;
  GArray *heap;
  guint min_pixels;
} Merging;

static void
set_means(Node *node)
{
  for (int k = 0; k < 3; k++)
    node->means[k] = (gint32)((MEAN_STEPS * node->sums[k] + node->pixels / 2) / node->pixels);
}

static void
count_pixels(Merging *self, const guint32 *labels, MsImage *filtered)
{
  const gsize n = (gsize)ms_image_get_width(filtered) * ms_image_get_height(filtered);
  const guint8 *p = ms_image_get_pixels(filtered);

  for (gsize i = 0; i < n; i++, p += 4) {
    Node *node = &self->nodes[labels[i]];
    node->pixels++;
    for (int k = 0; k < 3; k++)
      node->sums[k] += p[k];
  }
}

static void
find_neighbours(Merging *self, const guint32 *labels, int width, int height, guint32 n)
{
  gsize n_pairs;
  g_autofree guint64 *pairs = ms_segmentation_find_borders(labels, width, height, n, &n_pairs);
  g_autofree gsize *filled = NULL;

  self->starts = g_new0(gsize, n + 2);
  self->neighbours = g_new(guint32, 2 * n_pairs + 1);
  for (gsize i = 0; i < n_pairs; i++) {
    self->starts[(pairs[i] >> 32) + 1]++;
    self->starts[(guint32)pairs[i] + 1]++;
  }
  for (guint32 i = 0; i <= n; i++)
    self->starts[i + 1] += self->starts[i];
  filled = g_memdup2(self->starts, (n + 2) * sizeof *filled);
  for (gsize i = 0; i < n_pairs; i++) {
    self->neighbours[filled[pairs[i] >> 32]++] = (guint32)pairs[i];
    self->neighbours[filled[(guint32)pairs[i]]++] = (guint32)(pairs[i] >> 32);
  }
}

static guint32
find(Merging *self, guint32 label)
{
  while (self->parents[label] != label) {
    self->parents[label] = self->parents[self->parents[label]];
    label = self->parents[label];
  }
  return label;
}

static void
heap_push(GArray *heap, guint64 key)
{
  guint at = heap->len;

  g_array_append_val(heap, key);
  while (at > 0 && g_array_index(heap, guint64, (at - 1) / 2) > key) {
    g_array_index(heap, guint64, at) = g_array_index(heap, guint64, (at - 1) / 2);
    at = (at - 1) / 2;
  }
  g_array_index(heap, guint64, at) = key;
}

static guint64
heap_pop(GArray *heap)
{
  const guint64 least = g_array_index(heap, guint64, 0), key = g_array_index(heap, guint64, heap->len - 1);
  guint at = 0;

  g_array_set_size(heap, heap->len - 1);
  for (guint child = 1; child < heap->len; child = 2 * at + 1) {
    if (child + 1 < heap->len && g_array_index(heap, guint64, child + 1) < g_array_index(heap, guint64, child))
      child++;
    if (g_array_index(heap, guint64, child) >= key)
      break;
    g_array_index(heap, guint64, at) = g_array_index(heap, guint64, child);
    at = child;
  }
  if (heap->len > 0)
    g_array_index(heap, guint64, at) = key;
  return least;
}

static gint64
distance(const Node *a, const Node *b)
{
  gint64 sum = 0;

  for (int k = 0; k < 3; k++) {
    gint64 d = a->means[k] - b->means[k];
    sum += d * d;
  }
  return sum;
}

/* The neighbour of @label nearest in colour, of several the one with the smallest label; 0 where there is none. */
static guint32
nearest(Merging *self, guint32 label)
{
  guint32 best = 0;
  gint64 least = G_MAXINT64;

  for (guint32 member = label; member != 0; member = self->nodes[member].next)
    for (gsize i = self->starts[member]; i < self->starts[member + 1]; i++) {
      guint32 other = find(self, self->neighbours[i]);
      gint64 d = other == label ? G_MAXINT64 : distance(&self->nodes[label], &self->nodes[other]);
      if (other != label && (d < least || (d == least && other < best))) {
        least = d;
        best = other;
      }
    }
  return best;
}

static void
push_if_small(Merging *self, guint32 label)
{
  if (self->nodes[label].pixels < self->min_pixels)
    heap_push(self->heap, (guint64)self->nodes[label].pixels << 32 | label);
}

static void
merge(Merging *self, guint32 label, guint32 into)
{
  Node *from = &self->nodes[label], *to = &self->nodes[into];

  self->parents[label] = into;
  self->nodes[to->last].next = label;
  to->last = from->last;
  to->pixels += from->pixels;
  for (int k = 0; k < 3; k++)
    to->sums[k] += from->sums[k];
  set_means(to);
  push_if_small(self, into);
}

static void
merge_all(Merging *self, guint32 n)
{
  for (guint32 i = 1; i <= n; i++) {
    set_means(&self->nodes[i]);
    push_if_small(self, i);
  }
  while (self->heap->len > 0) {
    const guint64 key = heap_pop(self->heap);
    const guint32 label = (guint32)key;
    const Node *node = &self->nodes[label];
    guint32 into = self->parents[label] == label && node->pixels == key >> 32 ? nearest(self, label) : 0;
    if (into != 0)
      merge(self, label, into);
  }
}

/* Numbers the regions that are left from 1 on, in the order of their first pixels; returns how many there are. */
static guint32
renumber(Merging *self, guint32 *labels, gsize n_pixels, guint32 n)
{
  g_autofree guint32 *numbers = g_new0(guint32, (gsize)n + 1);
  guint32 count = 0;

  for (gsize i = 0; i < n_pixels; i++) {
    guint32 label = find(self, labels[i]);
    if (numbers[label] == 0)
      numbers[label] = ++count;
    labels[i] = numbers[label];
  }
  return count;
}

/**
 * ms_merge_small_regions:
 * @labels: (inout): the region of each pixel, from 1 to @n, numbered in the order of their first pixels, as they are
 *   numbered again afterwards
 * @filtered: the picture whose mean colours are compared, in steps of 1/256
 *
 * The rule is that of ms_segmentation_new().
 *
 * Returns: the number of regions that are left
 */
guint32
ms_merge_small_regions(guint32 *labels, MsImage *filtered, guint32 n, guint min_pixels)
{
  const int width = ms_image_get_width(filtered), height = ms_image_get_height(filtered);
  Merging self = {.nodes = g_new0(Node, (gsize)n + 1),
                  .parents = g_new0(guint32, (gsize)n + 1),
                  .heap = g_array_new(FALSE, FALSE, sizeof(guint64)),
                  .min_pixels = min_pixels};

  for (guint32 i = 1; i <= n; i++)
    self.parents[i] = self.nodes[i].last = i;
  count_pixels(&self, labels, filtered);
  find_neighbours(&self, labels, width, height, n);
  merge_all(&self, n);
  guint32 left = renumber(&self, labels, (gsize)width * height, n);
  g_free(self.nodes);
  g_free(self.parents);
  g_free(self.starts);
  g_free(self.neighbours);
  g_array_free(self.heap, TRUE);
  return left;
}
