/* SPDX-License-Identifier: MIT */
/*
 * Several threads each read some rows. Labels are in the order of first pixels, so the labels that begin in the rows of
 * one thread are a range that no other thread writes to; what a thread finds of earlier labels is added afterwards.
 */
#include "core/regions/region-pixels.h"

#include <string.h>

#include "core/regions/row-threads.h"

/* Regions of earlier parts whose pixels are added up together; a part meets few of them, in many runs. */
#define SLOTS 1024

/* Pixels of a region that began in the rows of an earlier part, or the number of one of them. */
typedef struct {
  guint64 sums[3];
  guint32 label;
  guint32 count;
} Earlier;

/*
 * first: the smallest label that begins in the rows of the part
 * earlier: of regions that began before
 */
typedef struct {
  guint32 first;
  GArray *earlier;
} Part;

typedef struct {
  MsRegionPixels *pixels;
  const MsCloseness *picture;
  const guint32 *labels;
  Part parts[MS_ROW_THREADS_MAX];
} Study;

/* Finds the last label of the part, after which those of the next one begin. */
static void
find_last_label(int from, int to, int part, gpointer data)
{
  Study *self = data;
  const guint32 *label = self->labels + (gsize)from * self->picture->width,
                *end = self->labels + (gsize)to * self->picture->width;
  guint32 last = 0;

  for (; label < end; label++)
    last = MAX(last, *label);
  if (part + 1 < MS_ROW_THREADS_MAX)
    self->parts[part + 1].first = last + 1;
}

static void
add_run(Earlier *sum, const Earlier *run)
{
  sum->label = run->label;
  sum->count += run->count;
  for (int k = 0; k < 3; k++)
    sum->sums[k] += run->sums[k];
}

/* Adds a run of an earlier region to those in its slot, after those of another region have left it. */
static void
add_to_slot(GArray *earlier, Earlier *slots, const Earlier *run)
{
  Earlier *slot = &slots[run->label % SLOTS];

  if (slot->count > 0 && slot->label != run->label) {
    g_array_append_val(earlier, *slot);
    *slot = (Earlier){.label = 0};
  }
  add_run(slot, run);
}

static void
add_to_region(MsRegionPixels *self, const Earlier *run)
{
  self->counts[run->label] += run->count;
  for (int k = 0; k < 3; k++)
    self->regions[run->label].sums[k] += run->sums[k];
}

/* Adds up the pixels of one label from number @at on, at most up to @end. */
static inline Earlier
read_run(const Study *self, gsize at, gsize end)
{
  const guint32 *labels = self->labels, label = labels[at];
  const guint8 *p = self->picture->colours + at * 4;
  guint64 red = 0, green = 0, blue = 0;
  guint32 count = 0;

  for (; at < end && labels[at] == label; at++, p += 4, count++) {
    red += p[0];
    green += p[1];
    blue += p[2];
  }
  return (Earlier){{red, green, blue}, label, count};
}

static void
add_rows(int from, int to, int part, gpointer data)
{
  Study *self = data;
  GArray *earlier = self->parts[part].earlier;
  const gsize end = (gsize)to * self->picture->width;
  g_autofree Earlier *slots = g_new0(Earlier, SLOTS);

  for (gsize i = (gsize)from * self->picture->width; i < end;) {
    const Earlier run = read_run(self, i, end);
    i += run.count;
    if (run.label < self->parts[part].first)
      add_to_slot(earlier, slots, &run);
    else
      add_to_region(self->pixels, &run);
  }
  for (int i = 0; i < SLOTS; i++)
    if (slots[i].count > 0)
      g_array_append_val(earlier, slots[i]);
}

static void
add_earlier(Study *self, int part)
{
  const GArray *earlier = self->parts[part].earlier;

  for (guint i = 0; i < earlier->len; i++)
    add_to_region(self->pixels, &g_array_index(earlier, Earlier, i));
}

static void
list_pixel(MsRegionPixels *self, guint32 label, guint32 place)
{
  MsRegionEntry *region = &self->regions[label];

  self->places[region->start + region->capacity++] = place;
}

/* Lists the pixels @x to @end - 1 of a row that begins with number @row; they are of one label, which is small. */
static void
list_run(const Study *self, const Part *part, guint32 row, guint32 x, guint32 end)
{
  const guint32 width = (guint32)self->picture->width, label = self->labels[row + x];

  for (; x < end; x++) {
    const Earlier earlier = {.label = label,
                             .count = x == 0 || x == width - 1 ? (row + x) | MS_PIXEL_AT_SIDE : row + x};
    if (label < part->first)
      g_array_append_val(part->earlier, earlier);
    else
      list_pixel(self->pixels, label, earlier.count);
  }
}

static void
list_rows(int from, int to, int number, gpointer data)
{
  Study *self = data;
  const guint32 width = (guint32)self->picture->width;

  for (guint32 y = (guint32)from, row = y * width; y < (guint32)to; y++, row += width)
    for (guint32 x = 0, end; x < width; x = end) {
      const guint32 label = self->labels[row + x];
      for (end = x + 1; end < width && self->labels[row + end] == label;)
        end++;
      if (ms_region_pixels_is_small(self->pixels, label))
        list_run(self, &self->parts[number], row, x, end);
    }
}

static void
list_earlier(Study *self, int part)
{
  const GArray *earlier = self->parts[part].earlier;

  for (guint i = 0; i < earlier->len; i++)
    list_pixel(self->pixels, g_array_index(earlier, Earlier, i).label, g_array_index(earlier, Earlier, i).count);
}

/* Calls @rows for the parts at once, then @earlier for one part after the other. */
static void
run_parts(Study *self, int n_parts, MsRowsFunc rows, void (*earlier)(Study *, int))
{
  for (int i = 0; i < n_parts; i++)
    g_array_set_size(self->parts[i].earlier, 0);
  ms_row_threads_run(self->picture->height, n_parts, rows, self);
  for (int i = 0; i < n_parts; i++)
    earlier(self, i);
}

static gboolean
make_lists(MsRegionPixels *self)
{
  gsize start = 0;

  for (guint32 label = 1; label <= self->n; label++) {
    self->regions[label].start = (guint32)start;
    start += ms_region_pixels_is_small(self, label) ? self->counts[label] : 0;
  }
  self->n_places = start;
  self->allocated = 2 * start + 1;
  if (ms_memory_budget_take(self->budget, self->allocated * sizeof *self->places))
    self->places = g_try_new(guint32, self->allocated);
  return self->places != NULL;
}

static void
begin(Study *self, int n_parts)
{
  ms_row_threads_run(self->picture->height, n_parts, find_last_label, self);
  self->parts[0].first = 1;
  for (int i = 1; i < n_parts; i++)
    self->parts[i].first = MAX(self->parts[i].first, self->parts[i - 1].first);
  for (int i = 0; i < n_parts; i++)
    self->parts[i].earlier = g_array_new(FALSE, FALSE, sizeof(Earlier));
}

/**
 * ms_region_pixels_find:
 * @self: (out caller-allocates): cleared by ms_region_pixels_clear() in any case
 * @labels: numbered in the order of the regions' first pixels
 * @n_parts: of the rows, each in a thread; from 1 to MS_ROW_THREADS_MAX. The result does not depend on it, except for
 *   the order of a region's pixels.
 *
 * Returns: %FALSE where there is not enough memory
 */
gboolean
ms_region_pixels_find(MsRegionPixels *self, const MsLabelRequest *request, const MsLabels *labels, int n_parts)
{
  const MsCloseness *picture = &request->closeness;
  Study study = {self, picture, labels->of_pixel, {{0, NULL}}};

  *self = (MsRegionPixels){.n = labels->count, .min_pixels = request->min_pixels, .budget = request->budget};
  if (!ms_memory_budget_take(self->budget, ((gsize)self->n + 1) * (sizeof *self->counts + sizeof *self->regions)))
    return FALSE;
  self->counts = g_try_new0(guint32, (gsize)self->n + 1);
  self->regions = g_try_new0(MsRegionEntry, (gsize)self->n + 1);
  if (!self->counts || !self->regions)
    return FALSE;
  begin(&study, n_parts);
  run_parts(&study, n_parts, add_rows, add_earlier);
  const gboolean good = make_lists(self);
  if (good)
    run_parts(&study, n_parts, list_rows, list_earlier);
  for (int i = 0; i < n_parts; i++)
    g_array_unref(study.parts[i].earlier);
  return good;
}

/* Moves the @used pixels of @label to where there is space for twice as many as it has. */
static gboolean
enlarge_list(MsRegionPixels *self, guint32 label, guint32 used)
{
  MsRegionEntry *region = &self->regions[label];
  const gsize capacity = 2 * (gsize)self->counts[label];

  if (self->n_places + capacity > G_MAXUINT32)
    return FALSE;
  if (self->n_places + capacity > self->allocated) {
    const gsize wanted = 2 * self->allocated + capacity;
    const gsize added = (wanted - self->allocated) * sizeof *self->places;
    guint32 *places = ms_memory_budget_take(self->budget, added) ? g_try_renew(guint32, self->places, wanted) : NULL;
    if (!places)
      return FALSE;
    self->places = places;
    self->allocated = wanted;
  }
  memcpy(self->places + self->n_places, self->places + region->start, used * sizeof *self->places);
  region->start = (guint32)self->n_places;
  region->capacity = (guint32)capacity;
  self->n_places += capacity;
  return TRUE;
}

/**
 * ms_region_pixels_append:
 * @label: a small region, whose number of pixels counts those of @from already
 * @used: the number of its pixels without them
 *
 * Appends the pixels of the region @from to those of @label.
 *
 * Returns: %FALSE where there is not enough memory
 */
gboolean
ms_region_pixels_append(MsRegionPixels *self, guint32 label, guint32 used, guint32 from)
{
  if (self->counts[label] > self->regions[label].capacity && !enlarge_list(self, label, used))
    return FALSE;
  memcpy(self->places + self->regions[label].start + used, self->places + self->regions[from].start,
         (self->counts[label] - used) * sizeof *self->places);
  return TRUE;
}

void
ms_region_pixels_clear(MsRegionPixels *self)
{
  g_free(self->counts);
  g_free(self->regions);
  g_free(self->places);
}
