/* SPDX-License-Identifier: MIT */
/*
 * The regions of one size merge in the order of their labels, before all larger ones: a region that is joined is at
 * least as large as the one that joins it, so it has grown beyond the size that merges.
 */
#include "core/regions/merging.h"

#include "core/error.h"
#include "core/regions/region-pixels.h"
#include "core/regions/row-threads.h"

/* Means are compared in steps of 1/256 of a level, so that they are integers on every machine. */
#define MEAN_STEPS 256

/* Regions between two checks for cancellation. */
#define REGIONS_A_LOOK 4096

/* Neighbouring labels that are compared together. */
#define NEIGHBOURS 256

/* Pixels whose surroundings are loaded into the cache ahead of a region's turn. */
#define PLACES_AHEAD 64

/*
 * labels: of each pixel, the region that it belongs to now
 * pixels: of the regions; one that was merged has none, and the region that it was merged into as its @start
 * means: by label: those of three channels in steps of 1/MEAN_STEPS, in 16 bits each
 * waiting: the small regions that have not been merged, ascending
 * turn: those of the size that merges, ascending
 */
typedef struct {
  const MsCloseness *picture;
  GCancellable *cancellable;
  MsMemoryBudget *budget;
  guint32 *labels;
  gsize n_pixels;
  MsRegionPixels pixels;
  guint64 *means;
  guint32 *waiting;
  guint32 n_waiting;
  guint32 *turn;
  guint32 n_turn;
} Merging;

static void
set_mean(Merging *self, guint32 label)
{
  const guint64 *sums = self->pixels.regions[label].sums, pixels = self->pixels.counts[label];
  guint64 means = 0;

  for (int k = 0; k < 3; k++)
    means |= (MEAN_STEPS * sums[k] + pixels / 2) / pixels << 16 * k;
  self->means[label] = means;
}

/* Labels instead of rows, from 0 on. */
static void
set_means(int from, int to, int part, gpointer data)
{
  for (int i = from; i < to; i++)
    set_mean(data, (guint32)i + 1);
}

static gboolean
study(Merging *self, const MsLabelRequest *request, const MsLabels *labels)
{
  const gsize n = (gsize)labels->count + 1;
  /* What a thread notes of the regions of earlier ones has no bound that is known before. */
  const int n_parts = request->budget ? 1 : ms_row_threads_count(self->picture->width, self->picture->height);

  /* The last are the numbers of renumber(). */
  if (!ms_memory_budget_take(request->budget,
                             n * (sizeof *self->means + sizeof *self->waiting + sizeof *self->turn + sizeof(guint32))))
    return FALSE;
  self->means = g_try_new(guint64, n);
  self->waiting = g_try_new(guint32, n);
  self->turn = g_try_new(guint32, n);
  if (!self->means || !self->waiting || !self->turn || !ms_region_pixels_find(&self->pixels, request, labels, n_parts))
    return FALSE;
  ms_row_threads_run((int)labels->count, n_parts, set_means, self);
  for (guint32 label = 1; label < n; label++) {
    self->waiting[self->n_waiting] = label;
    self->n_waiting += ms_region_pixels_is_small(&self->pixels, label);
  }
  return TRUE;
}

/* How far a pixel's neighbours in the columns before and after it and in the rows above and below it are. */
typedef struct {
  gssize left;
  gssize right;
  gssize above;
  gssize below;
} Steps;

/* Neighbours outside of the picture are the pixel itself. */
static inline Steps
steps_from(const Merging *self, guint32 place)
{
  const guint32 width = (guint32)self->picture->width, at = place & ~MS_PIXEL_AT_SIDE;
  Steps steps = {-1, 1, at >= width ? -(gssize)width : 0, at + (gsize)width < self->n_pixels ? width : 0};

  if (place & MS_PIXEL_AT_SIDE) {
    steps.left = at % width > 0 ? -1 : 0;
    steps.right = at % width + 1 < width ? 1 : 0;
  }
  return steps;
}

/* Keeps @other in *@found, unless it is @label or @before; returns where the next one goes. */
static inline guint32 *
keep(guint32 *found, guint32 other, guint32 label, guint32 before)
{
  *found = other;
  return found + ((other != label) & (other != before));
}

/*
 * Writes the labels around one pixel to @found, without @label and without some of those that repeat; returns where the
 * next ones go. It has few branches, since these labels cannot be predicted.
 */
static inline guint32 *
look_around(const Merging *self, guint32 label, guint32 place, guint32 *found)
{
  const Steps steps = steps_from(self, place);
  const guint32 *at = self->labels + (place & ~MS_PIXEL_AT_SIDE), *above = at + steps.above, *below = at + steps.below;

  found = keep(found, above[steps.left], label, label);
  found = keep(found, above[0], label, above[steps.left]);
  found = keep(found, above[steps.right], label, above[0]);
  found = keep(found, at[steps.right], label, above[steps.right]);
  found = keep(found, below[steps.right], label, at[steps.right]);
  found = keep(found, below[0], label, below[steps.right]);
  found = keep(found, below[steps.left], label, below[0]);
  return keep(found, at[steps.left], label, below[steps.left]);
}

/* The nearest neighbour that a search has found so far, and its distance. */
typedef struct {
  guint64 distance;
  guint32 label;
} Nearest;

static gint64
difference(guint64 a, guint64 b, int channel)
{
  return (gint64)(a >> 16 * channel & 0xffff) - (gint64)(b >> 16 * channel & 0xffff);
}

static inline void
compare(const Merging *self, guint64 own, const guint32 *found, const guint32 *end, Nearest *nearest)
{
  Nearest best = *nearest;

  for (; found < end; found++) {
    const guint64 mean = self->means[*found];
    const gint64 x = difference(own, mean, 0), y = difference(own, mean, 1), z = difference(own, mean, 2);
    const guint64 distance = (guint64)(x * x + y * y + z * z);
    const gboolean is_nearer = (distance < best.distance) | ((distance == best.distance) & (*found < best.label));
    best.distance = is_nearer ? distance : best.distance;
    best.label = is_nearer ? *found : best.label;
  }
  *nearest = best;
}

/* The neighbour of @label nearest in colour, of several the one with the smallest label; 0 where there is none. */
static guint32
find_nearest(const Merging *self, guint32 label)
{
  const guint32 *places = self->pixels.places + self->pixels.regions[label].start,
                *end = places + self->pixels.counts[label];
  Nearest nearest = {G_MAXUINT64, 0};
  guint32 found[NEIGHBOURS], *last = found;

  while (places < end) {
    last = look_around(self, label, *places++, last);
    if (last > found + NEIGHBOURS - 8 || places == end) {
      compare(self, self->means[label], found, last, &nearest);
      last = found;
    }
  }
  return nearest.label;
}

static gboolean
merge(Merging *self, guint32 label, guint32 into)
{
  MsRegionEntry *from = &self->pixels.regions[label], *region = &self->pixels.regions[into];
  const guint32 *places = self->pixels.places + from->start, n = self->pixels.counts[label];
  guint32 *count = &self->pixels.counts[into];

  for (guint32 i = 0; i < n; i++)
    self->labels[places[i] & ~MS_PIXEL_AT_SIDE] = into;
  for (int k = 0; k < 3; k++)
    region->sums[k] += from->sums[k];
  *count += n;
  set_mean(self, into);
  if (*count < self->pixels.min_pixels && !ms_region_pixels_append(&self->pixels, into, *count - n, label))
    return FALSE;
  self->pixels.counts[label] = 0;
  from->start = into;
  return TRUE;
}

/*
 * Loads what the turns after number @i will read, in steps that each need what the step before has loaded, so that
 * merging takes about half the time. It must be inline: GCC removes calls of a function that only loads ahead.
 */
static inline __attribute__((always_inline)) void
load_ahead(const Merging *self, guint32 i, guint32 size)
{
  const guint32 n = MIN(size, PLACES_AHEAD);

  if (i + 40 >= self->n_turn)
    return;
  __builtin_prefetch(&self->pixels.regions[self->turn[i + 40]]);
  __builtin_prefetch(&self->pixels.places[self->pixels.regions[self->turn[i + 24]].start]);
  const guint32 *places = &self->pixels.places[self->pixels.regions[self->turn[i + 12]].start];
  for (guint32 k = 0; k < n; k++) {
    const Steps steps = steps_from(self, places[k]);
    const guint32 *at = self->labels + (places[k] & ~MS_PIXEL_AT_SIDE);
    __builtin_prefetch(at);
    __builtin_prefetch(at + steps.above);
    __builtin_prefetch(at + steps.below);
  }
  places = &self->pixels.places[self->pixels.regions[self->turn[i + 5]].start];
  for (guint32 k = 0; k < n; k++) {
    const Steps steps = steps_from(self, places[k]);
    const guint32 *at = self->labels + (places[k] & ~MS_PIXEL_AT_SIDE);
    __builtin_prefetch(&self->means[at[steps.above]]);
    __builtin_prefetch(&self->means[at[steps.below]]);
    __builtin_prefetch(&self->pixels.regions[at[steps.above]]);
    __builtin_prefetch(&self->pixels.regions[at[steps.below]]);
  }
}

/* Lists the regions of @size pixels in @turn; returns the next size that waits, or the least one allowed. */
static guint32
choose_turn(Merging *self, guint32 size)
{
  guint32 kept = 0, next = self->pixels.min_pixels;

  self->n_turn = 0;
  for (guint32 i = 0; i < self->n_waiting; i++) {
    const guint32 label = self->waiting[i], pixels = self->pixels.counts[label];
    /* No branches, since these cannot be predicted. */
    const guint32 waits = (pixels > size) & (pixels < self->pixels.min_pixels), later = waits ? pixels : next;
    self->waiting[kept] = label;
    kept += waits | (pixels == size);
    self->turn[self->n_turn] = label;
    self->n_turn += pixels == size;
    next = MIN(next, later);
  }
  self->n_waiting = kept;
  return next;
}

static gboolean
fail_for_memory(const Merging *self, GError **error)
{
  if (!ms_memory_budget_fail(self->budget, error))
    ms_set_error(error, MS_ERROR_MEMORY, "There is not enough memory for merging %u regions.", self->pixels.n);
  return FALSE;
}

/* Merges the regions of @size pixels; *@next becomes the size of a region that has grown, if it is less. */
static gboolean
merge_size(Merging *self, guint32 size, guint32 *next, GError **error)
{
  for (guint32 i = 0; i < self->n_turn; i++) {
    const guint32 label = self->turn[i];
    load_ahead(self, i, size);
    if (i % REGIONS_A_LOOK == 0 && g_cancellable_set_error_if_cancelled(self->cancellable, error))
      return FALSE;
    /* Regions that others of this size have joined have grown. */
    const guint32 into = self->pixels.counts[label] == size ? find_nearest(self, label) : 0;
    if (into == 0)
      continue;
    if (!merge(self, label, into))
      return fail_for_memory(self, error);
    *next = MIN(*next, self->pixels.counts[into]);
  }
  return TRUE;
}

static gboolean
merge_all(Merging *self, GError **error)
{
  guint32 size = 0, next = choose_turn(self, 0);

  while (next < self->pixels.min_pixels) {
    size = next;
    next = choose_turn(self, size);
    if (!merge_size(self, size, &next, error))
      return FALSE;
  }
  return TRUE;
}

typedef struct {
  guint32 *labels;
  gsize width;
  const guint32 *numbers;
} Renumbering;

static void
renumber_rows(int from, int to, int part, gpointer data)
{
  const Renumbering *self = data;

  for (gsize i = (gsize)from * self->width; i < (gsize)to * self->width; i++)
    self->labels[i] = self->numbers[self->labels[i]];
}

/*
 * Numbers the remaining regions from 1 on in the order of their first pixels, which is that of the smallest label that
 * was merged into each; returns how many there are.
 */
static guint32
renumber(Merging *self)
{
  const int width = self->picture->width, height = self->picture->height;
  g_autofree guint32 *numbers = g_new0(guint32, (gsize)self->pixels.n + 1);
  Renumbering renumbering = {self->labels, (gsize)width, numbers};
  guint32 count = 0;

  for (guint32 label = 1; label <= self->pixels.n; label++) {
    guint32 root = label;
    while (self->pixels.counts[root] == 0)
      root = self->pixels.regions[root].start;
    if (root != label)
      self->pixels.regions[label].start = root;
    if (numbers[root] == 0)
      numbers[root] = ++count;
  }
  ms_row_threads_run(height, ms_row_threads_count(width, height), renumber_rows, &renumbering);
  return count;
}

/**
 * ms_merge_small_regions:
 * @request: has the picture whose mean colours are compared, in steps of 1/256
 * @labels: (inout): the region of each pixel, numbered in the order of the regions' first pixels; these become the
 *   remaining ones in the same order
 *
 * The rule is that of ms_segmentation_new_on(). Each search looks at the eight neighbours of all pixels of a region; a
 * pixel is in at most log2(least number of pixels) regions that are searched, since each joins one at least as large.
 *
 * Returns: %FALSE with #MS_ERROR_MEMORY, #MS_ERROR_TOO_LARGE or G_IO_ERROR_CANCELLED
 */
gboolean
ms_merge_small_regions(const MsLabelRequest *request, MsLabels *labels, GError **error)
{
  const MsCloseness *picture = &request->closeness;
  Merging self = {.picture = picture,
                  .cancellable = request->cancellable,
                  .budget = request->budget,
                  .labels = labels->of_pixel,
                  .n_pixels = (gsize)picture->width * picture->height,
                  .pixels = {.n = labels->count}};
  const guint64 mark = ms_memory_budget_mark(request->budget);
  const gboolean good = study(&self, request, labels), merged = good && merge_all(&self, error);

  if (!good)
    fail_for_memory(&self, error);
  if (merged)
    labels->count = renumber(&self);
  ms_region_pixels_clear(&self.pixels);
  g_free(self.means);
  g_free(self.waiting);
  g_free(self.turn);
  ms_memory_budget_return(request->budget, mark);
  return merged;
}
