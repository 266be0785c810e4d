/* SPDX-License-Identifier: MIT */
#include "core/regions/segmentation.h"

#include <math.h>
#include <string.h>

#include "core/opencl/transfers.h"
#include "core/regions/regions.h"

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

/** ms_segmentation_fits: whether the device has the memory to find the regions of an image of this size. */
gboolean
ms_segmentation_fits(MsContext *context, MsImage *image)
{
  return ms_device_regions_fit(context, (gsize)ms_image_get_width(image) * (gsize)ms_image_get_height(image));
}

/*
 * By kernels on a device with enough memory; otherwise, where @context is %NULL, or where pixels have no data, by the
 * serial code. Stores the
 * labels in the device's memory, if they are there.
 */
static gboolean
find_regions(MsContext *context, const MsLabelRequest *request, MsLabels *labels, cl_mem *on_device, GError **error)
{
  const gsize n = (gsize)request->closeness.width * request->closeness.height;

  if (!context || request->absent || (!request->on_device.colours && !ms_device_regions_fit(context, n)))
    return ms_reference_regions_find(request, labels, error);
  *on_device = ms_device_regions_find(context, request, labels, error);
  return *on_device != NULL;
}

/* Which pixels of @filtered are of one region, for @range times the colour radius. */
static MsCloseness
closeness_of(const MsFiltered *filtered, double range)
{
  return (MsCloseness){ms_image_get_pixels(filtered->image), filtered->modes, ms_image_get_width(filtered->image),
                       ms_image_get_height(filtered->image), label_rule(filtered->params, range)};
}

/**
 * ms_segmentation_new_on:
 * @context: (nullable): the device that filtered; %NULL for the serial code instead of kernels
 *
 * Two of eight neighbours are of one region where their modes differ by at most the spatial radius in column and in row
 * and their colours by at most the range of @options times the colour radius; regions are what such neighbours connect.
 * (With the whole colour radius, small steps of colour from pixel to pixel would join most of a photograph.) Then, in
 * rounds, each region with fewer than the least number of pixels chooses among the regions that it touches the one with
 * the nearest mean colour, of equally near ones that with the smallest label, all as the round before has left them,
 * and regions that choices connect become one, until no region is too small or one is left (the rule of EDISON's
 * Prune). Means are (256 * sum + pixels / 2) / pixels, in integers.
 *
 * Returns: (transfer full): the regions, the same on every device, or %NULL with G_IO_ERROR_CANCELLED or
 *   #MS_ERROR, which is #MS_ERROR_TOO_LARGE where the budget of @options does not suffice
 */
MsSegmentation *
ms_segmentation_new_on(MsContext *context, const MsFiltered *filtered, const MsRegionOptions *options,
                       GCancellable *cancellable, GError **error)
{
  const MsLabelRequest request = {.closeness = closeness_of(filtered, options->range),
                                  .on_device = filtered->on_device,
                                  .absent = filtered->absent,
                                  .min_pixels = options->min_pixels,
                                  .budget = options->budget,
                                  .log = options->log,
                                  .cancellable = cancellable};
  const int width = request.closeness.width, height = request.closeness.height;
  g_autofree guint32 *memory = allocate_labels(width, height, options->budget, error);
  MsLabels labels = {.of_pixel = memory};
  cl_mem on_device = NULL;

  if (!memory || !find_regions(context, &request, &labels, &on_device, error))
    return NULL;
  MsSegmentation *self = g_new(MsSegmentation, 1);
  *self = (MsSegmentation){.width = width,
                           .height = height,
                           .n = labels.count,
                           .labels = g_steal_pointer(&memory),
                           .rounds = labels.rounds,
                           .context = on_device ? ms_context_ref(context) : NULL,
                           .on_device = on_device,
                           .source = on_device ? filtered->on_device.source : NULL};
  if (self->source)
    clRetainMemObject(self->source);
  return self;
}

/* Numbers that are compared at once, since the labels of a picture are many. */
typedef gint32 Vector __attribute__((vector_size(16)));
#define VECTOR (sizeof(Vector) / sizeof(gint32))

/** ms_labels_are_within: whether all of @n numbers, which may come from anywhere, are from @first to @last < 2^31. */
gboolean
ms_labels_are_within(const guint32 *labels, gsize n, guint32 first, guint32 last)
{
  const gint32 least = (gint32)first, most = (gint32)last;
  Vector outside = {0};
  gboolean others = FALSE;
  gsize i = 0;

  for (; i + VECTOR <= n; i += VECTOR) {
    Vector label;
    memcpy(&label, labels + i, sizeof label);
    outside |= (label < least) | (label > most);
  }
  for (; i < n; i++)
    others |= labels[i] < first || labels[i] > last;
  return !(outside[0] | outside[1] | outside[2] | outside[3] | others);
}

/**
 * ms_segmentation_check: before the host takes labels as places of a table. It is not part of finding regions, since it
 * reads the labels of all pixels once more.
 *
 * Returns: %FALSE with #MS_ERROR_DEVICE where the device gave a pixel a label that no region has
 */
gboolean
ms_segmentation_check(const MsSegmentation *self, GError **error)
{
  const gsize n = (gsize)self->width * (gsize)self->height;
  gsize wrong = 0;

  if (ms_labels_are_within(self->labels, n, 1, self->n))
    return TRUE;
  while (self->labels[wrong] >= 1 && self->labels[wrong] <= self->n)
    wrong++;
  ms_set_error(error, MS_ERROR_DEVICE,
               "The device computes regions wrongly: it returned label %u where there are %u regions. Select another "
               "device with --device.",
               self->labels[wrong], self->n);
  return FALSE;
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
  /* Where a device uses the memory of the labels as its own, a table that failed may have left kernels that read it. */
  if (self->on_device && !ms_device_has_own_memory(self->context->device))
    (void)ms_context_finish(self->context, NULL);
  g_clear_pointer(&self->on_device, clReleaseMemObject);
  g_free(self->labels);
  g_clear_pointer(&self->source, clReleaseMemObject);
  g_clear_pointer(&self->context, ms_context_unref);
  g_free(self);
}
