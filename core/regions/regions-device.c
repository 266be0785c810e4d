/* SPDX-License-Identifier: MIT */
/*
 * The regions by kernels: connected pixels first, then rounds over a list of the regions that touch, which no longer
 * read the pixels. Between launches that others wait for, the host looks for cancellation.
 */
#include "core/opencl/transfers.h"
#include "core/regions/regions.h"

#include "core/error.h"
#include "core/regions/region-kernels.h"

/*
 * Labels have 30 bits in kernels/regions/merge.cl, and lists of regions that touch have up to four times as many; those
 * of a processor's work-items, which all have the length of the longest, up to five times.
 */
#define MOST_PIXELS ((gsize)1 << 30)
#define MOST_PIXELS_OF_PROCESSOR (MOST_PIXELS / 4 * 3)

/* With more regions the host waits for each round, so that a cancellation is noticed soon. */
#define MOST_REGIONS_AT_ONCE ((guint32)1 << 20)

/* Bytes a pixel: colours, modes, parents, labels, and an eighth of a word for counts. */
#define MOST_BYTES_A_PIXEL 17

/** ms_device_regions_fit: whether the device has enough memory to connect the pixels. */
gboolean
ms_device_regions_fit(MsContext *context, gsize n_pixels)
{
  const MsDeviceLimits *limits = &context->device->limits;
  const gsize most = limits->type == MS_DEVICE_TYPE_CPU ? MOST_PIXELS_OF_PROCESSOR : MOST_PIXELS;

  return n_pixels < most && n_pixels * 4 <= limits->max_allocation &&
         n_pixels * MOST_BYTES_A_PIXEL <= limits->global_memory / 2;
}

/* Takes colours and modes from where they are; on a processor, the labels come into the memory of the caller. */
static gboolean
place_picture(MsRegionKernels *self, const MsLabelRequest *request, guint32 *labels, GError **error)
{
  g_auto(cl_mem) shared =
    ms_context_share_memory(self->run.context, labels, ms_region_kernels_bytes(self, MS_REGION_BUFFER_PARENTS));

  if (shared)
    ms_region_kernels_place(self, MS_REGION_BUFFER_PARENTS, shared);
  if (request->on_device.colours) {
    ms_region_kernels_place(self, MS_REGION_BUFFER_COLOURS, request->on_device.colours);
    ms_region_kernels_place(self, MS_REGION_BUFFER_MODES, request->on_device.modes);
  }
  return ms_region_kernels_reserve(self, MS_REGION_BUFFER_COLOURS, MS_REGION_BUFFER_TOTALS, error) &&
         (request->on_device.colours ||
          (ms_region_kernels_upload(self, MS_REGION_BUFFER_COLOURS, request->closeness.colours, error) &&
           ms_region_kernels_upload(self, MS_REGION_BUFFER_MODES, request->closeness.modes, error)));
}

static gboolean
is_going_on(const MsRegionKernels *self, GError **error)
{
  return !g_cancellable_set_error_if_cancelled(self->run.cancellable, error);
}

/*
 * Numbers the regions, and adds them up where some may be small. The labels come into the memory of the parents,
 * because that of the labels has the ranks that others read meanwhile.
 */
static gboolean
connect(MsRegionKernels *self, GError **error)
{
  MsRegionStep first = MS_REGION_STEP_NUMBER_PIXELS, last = first;

  if (!ms_region_kernels_launch(self, MS_REGION_STEP_LINK, MS_REGION_STEP_COUNT_PIXELS, error) ||
      !ms_region_kernels_add_up_counts(self, MS_REGION_STEP_COUNT_PIXELS, &self->n_regions, error))
    return FALSE;
  ms_region_kernels_drop(self, MS_REGION_BUFFER_MODES);
  if (self->min_pixels > 1) {
    first = MS_REGION_STEP_START_REGIONS;
    last = MS_REGION_STEP_SUM;
    if (!ms_region_kernels_reserve(self, MS_REGION_BUFFER_SUMS, MS_REGION_BUFFER_JOINED, error))
      return FALSE;
  }
  if (!ms_region_kernels_launch(self, first, last, error))
    return FALSE;
  ms_region_kernels_drop(self, MS_REGION_BUFFER_LABELS);
  self->buffers[MS_REGION_BUFFER_LABELS] = g_steal_pointer(&self->buffers[MS_REGION_BUFFER_PARENTS]);
  self->is_placed[MS_REGION_BUFFER_LABELS] = self->is_placed[MS_REGION_BUFFER_PARENTS];
  return TRUE;
}

/* Lists the regions that touch for the first round. */
static gboolean
study(MsRegionKernels *self, MsRegionTotals *totals, GError **error)
{
  ms_region_kernels_expect_edges(self);
  if (!ms_region_kernels_reserve(self, MS_REGION_BUFFER_NUMBERS, MS_REGION_BUFFER_EDGES, error) ||
      !ms_region_kernels_fill(self, MS_REGION_BUFFER_TOTALS, error) ||
      !ms_region_kernels_launch(self, MS_REGION_STEP_BEGIN_ROUND, MS_REGION_STEP_LIST_EDGES, error) ||
      !ms_region_kernels_read_totals(self, totals, 1, error))
    return FALSE;
  self->n_edges = totals->n_edges;
  return !ms_region_kernels_make_room(self, totals->n_edges) ||
         (ms_region_kernels_reserve(self, MS_REGION_BUFFER_EDGES, MS_REGION_BUFFER_EDGES, error) &&
          ms_region_kernels_fill(self, MS_REGION_BUFFER_TOTALS, error) &&
          ms_region_kernels_launch(self, MS_REGION_STEP_LIST_EDGES, MS_REGION_STEP_LIST_EDGES, error));
}

/* Merges as the regions have been offered to each other, and offers those that are left. */
static gboolean
enqueue_round(MsRegionKernels *self, GError **error)
{
  return ms_region_kernels_launch(self, MS_REGION_STEP_SETTLE_NEAREST, MS_REGION_STEP_ADD_UP, error) &&
         ms_region_kernels_launch(self, MS_REGION_STEP_BEGIN_ROUND, MS_REGION_STEP_BEGIN_ROUND, error) &&
         ms_region_kernels_launch(self, MS_REGION_STEP_FIND_NEAREST, MS_REGION_STEP_FIND_NEAREST, error);
}

static gboolean
is_done(const MsRegionTotals *totals)
{
  return totals->n_small == 0 || totals->n_left <= 1;
}

/*
 * Runs the next rounds, at least one, and counts those that were needed; further ones change nothing. Few regions take
 * so little time a round that waiting for each would take longer.
 */
static gboolean
run_rounds(MsRegionKernels *self, MsLabels *labels, MsRegionTotals *totals, GError **error)
{
  const guint n = self->n_regions <= MOST_REGIONS_AT_ONCE ? MS_REGION_ROUNDS_AT_ONCE : 1;
  MsRegionTotals found[MS_REGION_ROUNDS_AT_ONCE];

  if (!is_going_on(self, error) || !ms_region_kernels_fill(self, MS_REGION_BUFFER_TOTALS, error))
    return FALSE;
  for (self->round = 0; self->round < n; self->round++)
    if (!enqueue_round(self, error))
      return FALSE;
  if (!ms_region_kernels_read_totals(self, found, n, error))
    return FALSE;
  for (guint i = 0; i < n && !is_done(totals); i++) {
    if (found[i].n_left >= totals->n_left) { /* it would be repeated for ever */
      ms_set_error(
        error, MS_ERROR_DEVICE,
        "The device %s computes regions wrongly: a round of merging joined none of %u regions. Select another "
        "device with --device.",
        self->run.context->device->name, totals->n_left);
      return FALSE;
    }
    *totals = found[i];
    labels->rounds++;
  }
  return TRUE;
}

static gboolean
merge(MsRegionKernels *self, MsLabels *labels, GError **error)
{
  MsRegionTotals totals;

  if (!is_going_on(self, error) || !study(self, &totals, error))
    return FALSE;
  while (!is_done(&totals))
    if (!run_rounds(self, labels, &totals, error))
      return FALSE;
  return labels->rounds == 0 ||
         (ms_region_kernels_launch(self, MS_REGION_STEP_COUNT_REGIONS, MS_REGION_STEP_COUNT_REGIONS, error) &&
          ms_region_kernels_add_up_counts(self, MS_REGION_STEP_COUNT_REGIONS, &labels->count, error) &&
          ms_region_kernels_launch(self, MS_REGION_STEP_NUMBER_REGIONS, MS_REGION_STEP_REPLACE_LABELS, error));
}

static gboolean
find(MsRegionKernels *self, const MsLabelRequest *request, MsLabels *labels, GError **error)
{
  if (!connect(self, error))
    return FALSE;
  const MsBufferRange range = {self->buffers[MS_REGION_BUFFER_LABELS], 0,
                               ms_region_kernels_bytes(self, MS_REGION_BUFFER_LABELS)};
  labels->count = self->n_regions;
  if ((request->min_pixels > 1 && !merge(self, labels, error)) || !is_going_on(self, error))
    return FALSE;
  if (self->is_placed[MS_REGION_BUFFER_LABELS])
    return ms_context_show_shared(self->run.context, &range, self->run.log, error);
  return ms_context_download(self->run.context, &range, labels->of_pixel, self->run.log, error);
}

/**
 * ms_device_regions_find:
 * @labels: (inout): its memory for the labels is filled; on a processor it must outlive the buffer that is returned
 *
 * The regions are those of ms_reference_regions_find().
 *
 * Returns: (transfer full): the labels in the device's memory, or %NULL with #MS_ERROR or G_IO_ERROR_CANCELLED
 */
cl_mem
ms_device_regions_find(MsContext *context, const MsLabelRequest *request, MsLabels *labels, GError **error)
{
  const MsCloseness *closeness = &request->closeness;
  const MsDeviceRun run = {context, request->log, request->cancellable};
  const cl_int4 image = {{closeness->width, closeness->height, closeness->rule.spatial, closeness->rule.squared_range}};
  const guint64 mark = ms_memory_budget_mark(request->budget);
  g_auto(MsRegionKernels) self = {0};
  gboolean good;

  ms_region_kernels_init(&self, &run, request->limits, image);
  self.min_pixels = request->min_pixels;
  self.budget = request->budget;
  good = is_going_on(&self, error) && ms_region_kernels_build(&self, error) &&
         place_picture(&self, request, labels->of_pixel, error);
  if (good) {
    ms_context_lock_kernels(context);
    good = find(&self, request, labels, error);
    if (!good)
      (void)ms_context_finish(context, NULL); /* kernels may still write to the memory of the labels */
    ms_context_unlock_kernels(context);
  }
  ms_memory_budget_return(request->budget, mark);
  return good ? g_steal_pointer(&self.buffers[MS_REGION_BUFFER_LABELS]) : NULL;
}
