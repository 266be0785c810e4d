/* SPDX-License-Identifier: MIT */
#include "core/regions/merging.h"

#include "core/error.h"
#include "core/regions/borders.h"
#include "core/regions/region-queue.h"

/* Means are compared in steps of 1/256 of a level, so that they are integers on every machine. */
#define MEAN_STEPS 256

/* Regions between two checks for cancellation. */
#define REGIONS_A_LOOK 4096

/*
 * The fields of a region that the search for the nearest neighbour reads, in 16 bytes.
 * parent: the label itself, or a region that it was merged into
 * seen: the number of the last search that visited this region
 * means: in steps of 1/MEAN_STEPS
 */
typedef struct {
  guint32 parent;
  guint32 seen;
  guint16 means[3];
} Node;

/*
 * The original neighbours of a label, numbers @start to @start + @count - 1 of the array. A region has those of its
 * label and of the labels in the chain that begins with @next; 0 ends it. @last is the last label of the chain, or the
 * label itself.
 */
typedef struct {
  gsize start;
  guint32 count;
  guint32 next;
  guint32 last;
} List;

/*
 * nodes, pixels, sums, lists: by label, from 1 on; only regions that are too small have lists
 * neighbours: of all lists
 */
typedef struct {
  const MsRuns *runs;
  const guint8 *colours;
  guint32 n;
  guint min_pixels;
  Node *nodes;
  guint32 *pixels;
  guint64 (*sums)[3];
  List *lists;
  guint32 *neighbours;
  guint32 n_searches;
} Merging;

static void
count_pixels(Merging *self)
{
  const MsRuns *runs = self->runs;

  for (int y = 0; y < runs->height; y++)
    for (gsize i = runs->starts[y]; i < runs->starts[y + 1]; i++)
      self->pixels[runs->runs[i].label] += ms_runs_end(runs, y, i) - runs->runs[i].x;
}

/* Runs in a thread while neighbours are searched. */
static gpointer
add_colours(gpointer data)
{
  Merging *self = data;
  const MsRuns *runs = self->runs;
  const guint8 *row = self->colours;

  for (int y = 0; y < runs->height; y++, row += 4 * (gsize)runs->width)
    for (gsize i = runs->starts[y]; i < runs->starts[y + 1]; i++) {
      guint64 *sums = self->sums[runs->runs[i].label];
      const guint8 *end = row + 4 * (gsize)ms_runs_end(runs, y, i);
      for (const guint8 *p = row + 4 * (gsize)runs->runs[i].x; p < end; p += 4)
        for (int k = 0; k < 3; k++)
          sums[k] += p[k];
    }
  return NULL;
}

static gboolean
is_small(const Merging *self, guint32 label)
{
  return self->pixels[label] < self->min_pixels;
}

static void
fill_lists(Merging *self, const MsBorders *borders)
{
  for (gsize i = 0; i < borders->n; i++) {
    const guint32 a = (guint32)(borders->pairs[i] >> 32), b = (guint32)borders->pairs[i];
    List *of_a = &self->lists[a], *of_b = &self->lists[b];
    if (is_small(self, a))
      self->neighbours[of_a->start + of_a->count++] = b;
    if (is_small(self, b))
      self->neighbours[of_b->start + of_b->count++] = a;
  }
}

static gboolean
find_neighbours(Merging *self)
{
  g_autoptr(MsBorders) borders = ms_borders_new(self->runs, self->n);
  gsize start = 0;

  for (gsize i = 0; i < borders->n; i++) {
    self->lists[borders->pairs[i] >> 32].count++;
    self->lists[(guint32)borders->pairs[i]].count++;
  }
  for (guint32 i = 1; i <= self->n; i++) {
    List *list = &self->lists[i];
    list->start = start;
    list->last = i;
    start += is_small(self, i) ? list->count : 0;
    list->count = 0;
  }
  self->neighbours = g_try_new(guint32, start + 1);
  if (self->neighbours)
    fill_lists(self, borders);
  return self->neighbours != NULL;
}

static gboolean
allocate(Merging *self, GError **error)
{
  const gsize n = (gsize)self->n + 1;

  self->nodes = g_try_new0(Node, n);
  self->pixels = g_try_new0(guint32, n);
  self->sums = g_try_malloc0_n(n, sizeof *self->sums);
  self->lists = g_try_new0(List, n);
  if (self->nodes && self->pixels && self->sums && self->lists)
    return TRUE;
  ms_set_error(error, MS_ERROR_MEMORY, "There is not enough memory for merging %u regions.", self->n);
  return FALSE;
}

/* Fills the sums and the lists of neighbours, the former in a thread if there is one. */
static gboolean
study(Merging *self, GError **error)
{
  count_pixels(self);
  GThread *thread = g_thread_try_new("ms-sums", add_colours, self, NULL);
  if (!thread)
    add_colours(self);
  const gboolean found = find_neighbours(self);
  if (thread)
    g_thread_join(thread);
  if (!found)
    ms_set_error(error, MS_ERROR_MEMORY, "There is not enough memory for the neighbours of %u regions.", self->n);
  return found;
}

static void
set_means(Merging *self, guint32 label)
{
  const guint32 pixels = self->pixels[label];

  for (int k = 0; k < 3; k++)
    self->nodes[label].means[k] = (guint16)((MEAN_STEPS * self->sums[label][k] + pixels / 2) / pixels);
}

static guint32
find(Node *nodes, guint32 label)
{
  while (nodes[label].parent != label) {
    nodes[label].parent = nodes[nodes[label].parent].parent;
    label = nodes[label].parent;
  }
  return label;
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

/* The nearest neighbour that a search has found so far, and its distance. */
typedef struct {
  guint32 label;
  gint64 distance;
} Nearest;

/*
 * Searches the neighbours of one label of the region @label. Removes from the list the labels that belong to the region
 * itself and those that this search has met before, so that the next search is shorter.
 */
static void
search_list(Merging *self, guint32 label, List *list, Nearest *best)
{
  Node *nodes = self->nodes;
  guint32 *neighbours = self->neighbours + list->start, kept = 0;

  for (guint32 i = 0; i < list->count; i++) {
    const guint32 other = find(nodes, neighbours[i]);
    if (other == label || nodes[other].seen == self->n_searches)
      continue;
    nodes[other].seen = self->n_searches;
    neighbours[kept++] = other;
    const gint64 d = distance(&nodes[label], &nodes[other]);
    if (d < best->distance || (d == best->distance && other < best->label))
      *best = (Nearest){other, d};
  }
  list->count = kept;
}

/*
 * The neighbour of @label nearest in colour, of several the one with the smallest label; 0 where there is none. Labels
 * with an empty list are removed from the chain.
 */
static guint32
nearest(Merging *self, guint32 label)
{
  Nearest best = {0, G_MAXINT64};
  guint32 before = label;

  self->n_searches++;
  search_list(self, label, &self->lists[label], &best);
  for (guint32 at = self->lists[label].next; at != 0; at = self->lists[at].next) {
    search_list(self, label, &self->lists[at], &best);
    self->lists[before].next = at;
    if (self->lists[at].count > 0)
      before = at;
  }
  self->lists[before].next = 0;
  self->lists[label].last = before;
  return best.label;
}

static void
merge(Merging *self, guint32 label, guint32 into, MsRegionQueue *queue)
{
  self->nodes[label].parent = into;
  self->pixels[into] += self->pixels[label];
  for (int k = 0; k < 3; k++)
    self->sums[into][k] += self->sums[label][k];
  set_means(self, into);
  if (self->pixels[into] >= self->min_pixels)
    return;
  self->lists[self->lists[into].last].next = label;
  self->lists[into].last = self->lists[label].last;
  ms_region_queue_push(queue, into, self->pixels[into]);
}

/* Skips entries of regions that were merged into another or have grown since. */
static gboolean
merge_all(Merging *self, GCancellable *cancellable, GError **error)
{
  g_autoptr(MsRegionQueue) queue = ms_region_queue_new(self->pixels, self->n, self->min_pixels);
  guint32 label, pixels;

  for (guint32 i = 1; i <= self->n; i++) {
    self->nodes[i].parent = i;
    set_means(self, i);
  }
  for (guint64 i = 0; ms_region_queue_pop(queue, &label, &pixels); i++) {
    if (i % REGIONS_A_LOOK == 0 && g_cancellable_set_error_if_cancelled(cancellable, error))
      return FALSE;
    const gboolean current = self->nodes[label].parent == label && self->pixels[label] == pixels;
    const guint32 into = current ? nearest(self, label) : 0;
    if (into != 0)
      merge(self, label, into, queue);
  }
  return TRUE;
}

/*
 * A number for each label: its region's, from 1 on in the order of first pixels, which is that of the smallest label of
 * each region.
 */
static guint32 *
number_regions(Merging *self, guint32 *count)
{
  guint32 *numbers = g_new0(guint32, (gsize)self->n + 1);
  g_autofree guint32 *of_root = g_new0(guint32, (gsize)self->n + 1);

  *count = 0;
  for (guint32 i = 1; i <= self->n; i++) {
    guint32 *number = &of_root[find(self->nodes, i)];
    if (*number == 0)
      *number = ++*count;
    numbers[i] = *number;
  }
  return numbers;
}

/**
 * ms_merge_small_regions:
 * @runs: the regions, with labels from 1 to @count in the order of the regions' first pixels
 * @request: has the picture whose mean colours are compared, in steps of 1/256
 * @count: (inout): the number of regions, which becomes the number of the remaining ones
 *
 * The rule is that of ms_segmentation_new_on().
 *
 * Returns: (transfer full): by label, the number of the region to which it belongs now, in the same order; or %NULL
 *   with #MS_ERROR_MEMORY or G_IO_ERROR_CANCELLED
 */
guint32 *
ms_merge_small_regions(const MsRuns *runs, const MsLabelRequest *request, guint32 *count, GError **error)
{
  Merging self = {.runs = runs, .colours = request->closeness.colours, .n = *count, .min_pixels = request->min_pixels};
  const gboolean good = allocate(&self, error) && study(&self, error) && merge_all(&self, request->cancellable, error);
  guint32 *numbers = good ? number_regions(&self, count) : NULL;

  g_free(self.nodes);
  g_free(self.pixels);
  g_free(self.sums);
  g_free(self.lists);
  g_free(self.neighbours);
  return numbers;
}
