/* SPDX-License-Identifier: MIT */
#include "core/regions/segmentation.h"

#include <math.h>

#include "core/regions/device-labels.h"
#include "core/regions/disjoint-sets.h"
#include "core/regions/linked-labels.h"
#include "core/regions/merging.h"
#include "core/regions/row-threads.h"

static void
join(guint32 *parents, guint32 a, guint32 b)
{
  guint32 p = ms_disjoint_sets_find(parents, a), q = ms_disjoint_sets_find(parents, b);

  parents[MAX(p, q)] = MIN(p, q);
}

/* Joins a pixel with those of its eight neighbours that come before it. */
static void
join_pixel(const MsCloseness *closeness, guint32 *parents, int x, int y)
{
  const gsize at = (gsize)y * closeness->width + x, above = at - closeness->width;

  if (x > 0 && ms_are_close(closeness, at, at - 1))
    join(parents, (guint32)at, (guint32)at - 1);
  if (y == 0)
    return;
  for (int i = MAX(x - 1, 0); i <= MIN(x + 1, closeness->width - 1); i++)
    if (ms_are_close(closeness, at, above + i - x))
      join(parents, (guint32)at, (guint32)(above + i - x));
}

/*
 * Replaces each pixel's set by a number, counted from 1 in the order of the first pixels; returns the number of sets.
 */
static guint32
number_sets(guint32 *parents, gsize n)
{
  guint32 count = 0;

  for (gsize i = 0; i < n; i++)
    parents[i] = parents[i] == i ? ++count | 0x80000000u : parents[parents[i]];
  for (gsize i = 0; i < n; i++)
    parents[i] &= 0x7fffffffu;
  return count;
}

/* parents[i] becomes a smaller pixel of the same set whose own entry is the set's first pixel. */
static gboolean
find_sets(const MsCloseness *closeness, guint32 *parents, GCancellable *cancellable, GError **error)
{
  const gsize n = (gsize)closeness->width * closeness->height;

  for (gsize i = 0; i < n; i++)
    parents[i] = (guint32)i;
  for (int y = 0; y < closeness->height; y++) {
    if (g_cancellable_set_error_if_cancelled(cancellable, error))
      return FALSE;
    for (int x = 0; x < closeness->width; x++)
      join_pixel(closeness, parents, x, y);
  }
  for (gsize i = 0; i < n; i++)
    parents[i] = ms_disjoint_sets_find(parents, (guint32)i);
  return TRUE;
}

/* The rule of ms_segmentation_new_on() for @range times the colour radius of @params. */
static MsLabelRule
label_rule(const MsParams *params, double range)
{
  const MsFilterNumbers numbers = ms_params_numbers(params);

  return (MsLabelRule){(int)numbers.sp, (int)floor(range * range * numbers.isr2)};
}

/* (transfer full): memory for the labels, or %NULL with #MS_ERROR_MEMORY, _TOO_LARGE or _UNSUPPORTED. */
static guint32 *
allocate_labels(int width, int height, MsMemoryBudget *budget, GError **error)
{
  const gsize n = (gsize)width * height;
  const gboolean is_within = ms_memory_budget_take(budget, n * sizeof(guint32));
  guint32 *labels = n > G_MAXINT32 || !is_within ? NULL : g_try_new(guint32, n);

  if (!is_within)
    ms_memory_budget_fail(budget, error);
  else if (n > G_MAXINT32)
    ms_set_error(error, MS_ERROR_UNSUPPORTED, "Regions take up to %d pixels; this image has %dx%d.", G_MAXINT32, width,
                 height);
  else if (!labels)
    ms_set_error(error, MS_ERROR_MEMORY, "There is not enough memory for the regions of %dx%d pixels.", width, height);
  return labels;
}

static gboolean
find_serially(const MsLabelRequest *request, MsLabels *labels, GError **error)
{
  const MsCloseness *closeness = &request->closeness;

  if (!find_sets(closeness, labels->of_pixel, request->cancellable, error))
    return FALSE;
  labels->count = number_sets(labels->of_pixel, (gsize)closeness->width * closeness->height);
  return TRUE;
}

/*
 * Connects pixels by kernels on a device with enough memory that is not a processor; otherwise by threads of the host,
 * which avoid copies of memory that processors share, or serially where @context is %NULL.
 */
static gboolean
find_labels(MsContext *context, const MsLabelRequest *request, MsLabels *labels, GError **error)
{
  const gsize n = (gsize)request->closeness.width * request->closeness.height;

  if (!context)
    return find_serially(request, labels, error);
  if (ms_context_get_limits(context)->type == MS_DEVICE_TYPE_CPU || !ms_device_labels_fit(context, n))
    return ms_linked_labels_find(request, ms_row_threads_count(request->closeness.width, request->closeness.height),
                                 labels, error);
  return !g_cancellable_set_error_if_cancelled(request->cancellable, error) &&
         ms_device_labels_find(context, request, labels, error);
}

static gboolean
segment(MsContext *context, const MsLabelRequest *request, MsLabels *labels, GError **error)
{
  return find_labels(context, request, labels, error) &&
         (request->min_pixels <= 1 || ms_merge_small_regions(request, labels, error));
}

/** ms_segmentation_closeness: which pixels of @filtered are of one region, for @range times the colour radius. */
MsCloseness
ms_segmentation_closeness(const MsFiltered *filtered, double range)
{
  return (MsCloseness){ms_image_get_pixels(filtered->image), filtered->modes, ms_image_get_width(filtered->image),
                       ms_image_get_height(filtered->image), label_rule(filtered->params, range)};
}

/**
 * ms_segmentation_new_on:
 * @context: (nullable): the device that filtered; %NULL for the serial code instead of kernels or several threads
 *
 * Two of eight neighbours are of one region where their modes differ by at most the spatial radius in column and in row
 * and their colours by at most the range of @options times the colour radius; regions are what such neighbours connect.
 * (With the whole colour radius, small steps of colour from pixel to pixel would join most of a photograph.) Then,
 * while a region with a neighbour has fewer than the least number of pixels, the smallest such region is merged into
 * the neighbour with the nearest mean colour, which keeps its label; ties are decided by the smallest label.
 *
 * Returns: (transfer full): the regions, the same on every device, or %NULL with G_IO_ERROR_CANCELLED or
 *   #MS_ERROR, which is #MS_ERROR_TOO_LARGE where the budget of @options does not suffice
 */
MsSegmentation *
ms_segmentation_new_on(MsContext *context, const MsFiltered *filtered, const MsRegionOptions *options,
                       GCancellable *cancellable, GError **error)
{
  const MsLabelRequest request = {.closeness = ms_segmentation_closeness(filtered, options->range),
                                  .min_pixels = options->min_pixels,
                                  .budget = options->budget,
                                  .cancellable = cancellable};
  const int width = request.closeness.width, height = request.closeness.height;
  g_autofree guint32 *memory = allocate_labels(width, height, options->budget, error);
  MsLabels labels = {.of_pixel = memory};

  if (!memory || !segment(context, &request, &labels, error))
    return NULL;
  MsSegmentation *self = g_new(MsSegmentation, 1);
  *self = (MsSegmentation){width, height, labels.count, g_steal_pointer(&memory)};
  return self;
}

/** ms_segmentation_new: ms_segmentation_new_on() without a device, with half the colour radius. */
MsSegmentation *
ms_segmentation_new(const MsFiltered *filtered, guint min_pixels, GCancellable *cancellable, GError **error)
{
  const MsRegionOptions options = {min_pixels, MS_REGION_RANGE_DEFAULT, NULL};

  return ms_segmentation_new_on(NULL, filtered, &options, cancellable, error);
}

void
ms_segmentation_free(MsSegmentation *self)
{
  if (!self)
    return;
  g_free(self->labels);
  g_free(self);
}
