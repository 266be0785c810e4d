/* SPDX-License-Identifier: MIT */
#include "core/regions/region-sums.h"

#include <string.h>

#include "core/opencl/transfers.h"
#include "core/regions/region-kernels.h"

/* The pixels @from to @to - 1 of row @y; @p is the first of them. */
static void
add_run(MsRegionSums *self, int from, int to, int y, const guint8 *p)
{
  const guint32 n = (guint32)(to - from);

  if (self->pixels == 0) {
    self->left = from;
    self->top = y;
  }
  self->pixels += n;
  self->left = MIN(self->left, from);
  self->right = MAX(self->right, to - 1);
  self->bottom = y;
  self->x += (guint64)(from + (gint64)to - 1) * n / 2;
  self->y += (guint64)y * n;
  for (guint32 i = 0; i < n; i++, p += 4)
    for (int k = 0; k < 3; k++) {
      self->sums[k] += p[k];
      self->squares[k] += (guint32)p[k] * p[k];
    }
}

/* How many edges of pixels of a run lie between its region and another one, or the outside of the picture. */
static guint64
edges_of(const MsSegmentation *segmentation, const guint32 *row, int from, int to, int y)
{
  const gboolean is_first = y == 0, is_last = y == segmentation->height - 1;
  const guint32 *above = is_first ? row : row - segmentation->width, *below = is_last ? row : row + segmentation->width;
  guint64 edges = 2;

  for (int x = from; x < to; x++)
    edges += (guint64)(is_first || above[x] != row[x]) + (guint64)(is_last || below[x] != row[x]);
  return edges;
}

/** ms_region_sums_find: @sums[i - 1] becomes those of label i. */
void
ms_region_sums_find(const MsSegmentation *segmentation, MsImage *original, MsRegionSums *sums)
{
  const guint8 *pixels = ms_image_get_pixels(original);
  const guint32 *row = segmentation->labels;
  const int width = segmentation->width;

  memset(sums, 0, segmentation->n * sizeof *sums);
  for (int y = 0; y < segmentation->height; y++, row += width, pixels += 4 * (gsize)width)
    for (int x = 0, end; x < width; x = end) {
      for (end = x + 1; end < width && row[end] == row[x];)
        end++;
      add_run(&sums[row[x] - 1], x, end, y, pixels + 4 * (gsize)x);
      sums[row[x] - 1].perimeter += edges_of(segmentation, row, x, end, y);
    }
}

/* The numbers of a region as the kernel writes them; see kernels/regions/table.cl. */
typedef struct {
  guint32 x[2];
  guint32 y[2];
  guint32 sums[3][2];
  guint32 squares[3][2];
  guint32 pixels;
  guint32 perimeter;
  guint32 from_right;
  guint32 from_bottom;
  guint32 right;
  guint32 bottom;
} Entry;

G_STATIC_ASSERT(sizeof(Entry) == MS_REGION_ENTRY_WORDS * sizeof(guint32));

static guint64
wide(const guint32 halves[2])
{
  return (guint64)halves[1] << 32 | halves[0];
}

static MsRegionSums
read_entry(const Entry *entry, const MsSegmentation *segmentation)
{
  MsRegionSums sums = {.x = wide(entry->x),
                       .y = wide(entry->y),
                       .pixels = entry->pixels,
                       .perimeter = entry->perimeter,
                       .left = segmentation->width - 1 - (int)entry->from_right,
                       .top = segmentation->height - 1 - (int)entry->from_bottom,
                       .right = (int)entry->right,
                       .bottom = (int)entry->bottom};

  for (int k = 0; k < 3; k++) {
    sums.sums[k] = wide(entry->sums[k]);
    sums.squares[k] = wide(entry->squares[k]);
  }
  return sums;
}

/* Takes the labels and the picture from where they are. */
static gboolean
place(MsRegionKernels *self, const MsSegmentation *segmentation, MsImage *original, GError **error)
{
  const gboolean is_there = segmentation->context == self->run.context;
  const gboolean has_labels = is_there && segmentation->on_device, has_picture = is_there && segmentation->source;

  if (has_labels)
    ms_region_kernels_place(self, MS_REGION_BUFFER_LABELS, segmentation->on_device);
  if (has_picture)
    ms_region_kernels_place(self, MS_REGION_BUFFER_COLOURS, segmentation->source);
  return ms_region_kernels_reserve(self, MS_REGION_BUFFER_COLOURS, MS_REGION_BUFFER_COLOURS, error) &&
         ms_region_kernels_reserve(self, MS_REGION_BUFFER_LABELS, MS_REGION_BUFFER_LABELS, error) &&
         ms_region_kernels_reserve(self, MS_REGION_BUFFER_TOTALS, MS_REGION_BUFFER_TOTALS, error) &&
         ms_region_kernels_reserve(self, MS_REGION_BUFFER_TABLE, MS_REGION_BUFFER_TABLE, error) &&
         (has_labels || ms_region_kernels_upload(self, MS_REGION_BUFFER_LABELS, segmentation->labels, error)) &&
         (has_picture ||
          ms_region_kernels_upload(self, MS_REGION_BUFFER_COLOURS, ms_image_get_pixels(original), error));
}

static gboolean
list_neighbours(MsRegionKernels *self, MsRegionTotals *totals, GError **error)
{
  do {
    if (!ms_region_kernels_list_neighbours(self, error) || !ms_region_kernels_read_totals(self, totals, 1, error))
      return FALSE;
  } while (ms_region_kernels_make_room(self, totals->n_edges));
  return TRUE;
}

static gboolean
read_borders(MsRegionKernels *self, guint32 n, MsBorders *borders, GError **error)
{
  const MsBufferRange range = {self->buffers[MS_REGION_BUFFER_DISTINCT], 0, n * sizeof(MsBorder)};

  if (!ms_region_kernels_check(self, n, 0, self->n_edges, error))
    return FALSE;
  if (!ms_borders_reserve(borders, n)) {
    ms_memory_budget_fail(borders->budget, error);
    return FALSE;
  }
  borders->n = n;
  if (n > 0 && !ms_context_download(self->run.context, &range, borders->pairs, self->run.log, error))
    return FALSE;
  for (guint32 i = 0; i < 2 * n; i++)
    if (!ms_region_kernels_check(self, borders->pairs[i / 2].labels[i % 2], 1, self->n_regions, error))
      return FALSE;
  return TRUE;
}

/* While the device adds up, the host puts the neighbours in order and writes to the pages of @sums. */
static gboolean
compute(MsRegionKernels *self, MsRegionSums *sums, Entry *entries, MsBorders *borders, GError **error)
{
  MsRegionTotals totals;

  if (!list_neighbours(self, &totals, error) || !read_borders(self, totals.n_distinct, borders, error) ||
      !ms_region_kernels_fill(self, MS_REGION_BUFFER_TABLE, error) ||
      !ms_region_kernels_launch(self, MS_REGION_STEP_SUM_TABLE, MS_REGION_STEP_SUM_TABLE, error))
    return FALSE;
  memset(sums, 0, self->n_regions * sizeof *sums);
  if (!ms_borders_order(borders, self->n_regions))
    return !ms_memory_budget_fail(borders->budget, error);
  const MsBufferRange range = {self->buffers[MS_REGION_BUFFER_TABLE], 0,
                               ms_region_kernels_bytes(self, MS_REGION_BUFFER_TABLE)};
  return ms_context_download(self->run.context, &range, entries, self->run.log, error);
}

static gboolean
find_on(MsRegionKernels *self, const MsSegmentation *segmentation, MsImage *original, MsRegionSums *sums,
        MsBorders *borders, GError **error)
{
  gboolean good = !g_cancellable_set_error_if_cancelled(self->run.cancellable, error) &&
                  ms_region_kernels_build(self, error) && place(self, segmentation, original, error);

  if (!good)
    return FALSE;
  /* Entries are shorter than sums and lie at the end of their memory, where each is read before it is overwritten. */
  G_STATIC_ASSERT(sizeof(Entry) <= sizeof(MsRegionSums));
  Entry *entries = (Entry *)(sums + segmentation->n) - segmentation->n;
  ms_context_lock_kernels(self->run.context);
  good = compute(self, sums, entries, borders, error);
  ms_context_unlock_kernels(self->run.context);
  for (guint32 i = 0; good && i < segmentation->n; i++) {
    Entry entry;
    memcpy(&entry, &entries[i], sizeof entry);
    sums[i] = read_entry(&entry, segmentation);
  }
  return good;
}

/** ms_region_sums_fit: whether the device has the memory for the sums of so many pixels and regions. */
gboolean
ms_region_sums_fit(MsContext *context, const MsSegmentation *segmentation)
{
  const MsDeviceLimits *limits = &context->device->limits;
  const guint64 pixel_bytes = (guint64)segmentation->width * (guint64)segmentation->height * 4,
                sum_bytes = segmentation->n * sizeof(Entry);

  return MAX(pixel_bytes, sum_bytes) <= limits->max_allocation &&
         2 * pixel_bytes + sum_bytes <= limits->global_memory / 2;
}

/**
 * ms_region_sums_find_on:
 * @sums: (out caller-allocates): of label 1 to the number of regions; the same numbers as ms_region_sums_find()
 * @borders: (inout): empty; gets each pair of labels that touch once, in order
 *
 * Adds up the pixels of each region of the whole picture on the device, and finds the neighbours.
 *
 * Returns: %FALSE with #MS_ERROR or G_IO_ERROR_CANCELLED
 */
gboolean
ms_region_sums_find_on(const MsDeviceRun *run, const MsSegmentation *segmentation, MsImage *original,
                       MsRegionSums *sums, MsBorders *borders, GError **error)
{
  g_auto(MsRegionKernels) self = {{NULL}};

  ms_region_kernels_init(&self, run, NULL, (cl_int4){{segmentation->width, segmentation->height, 0, 0}});
  self.budget = borders->budget;
  self.n_regions = segmentation->n;
  ms_region_kernels_expect_edges(&self);
  return find_on(&self, segmentation, original, sums, borders, error);
}
