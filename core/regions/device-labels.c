/* SPDX-License-Identifier: MIT */
#include "core/regions/device-labels.h"

#include "core/opencl/context-transfer.h"
#include "core/regions/label-kernels.h"

/* Region sizes that are merged between two reads of the number of remaining regions by the host. */
#define SIZES_A_LOOK 16

static MsBufferRange
range_of(const MsLabelKernels *self, MsLabelBuffer buffer, gsize words)
{
  return (MsBufferRange){self->buffers[buffer], 0, words * sizeof(guint32)};
}

/* Replaces the counts of the spans by the number of sets that begin before each; returns the number of sets. */
static gboolean
add_up_counts(MsLabelKernels *self, guint32 *count, GError **error)
{
  const MsBufferRange range = range_of(self, MS_LABEL_BUFFER_COUNTS, self->n_spans);
  g_autofree guint32 *counts = g_new(guint32, self->n_spans);

  if (!ms_context_download(self->context, &range, counts, self->log, error))
    return FALSE;
  *count = 0;
  for (gsize i = 0; i < self->n_spans; i++) {
    const guint32 own = counts[i];
    counts[i] = *count;
    *count += own;
  }
  return ms_context_upload(self->context, &range, counts, self->log, error);
}

static gboolean
find_labels(MsLabelKernels *self, const MsCloseness *closeness, guint32 *count, GError **error)
{
  if (!ms_label_kernels_create_buffers(self, MS_LABEL_BUFFER_COLOURS, MS_LABEL_BUFFER_COUNTS, error))
    return FALSE;
  const MsBufferRange colours = range_of(self, MS_LABEL_BUFFER_COLOURS, self->n_pixels),
                      modes = range_of(self, MS_LABEL_BUFFER_MODES, self->n_pixels);
  return ms_context_upload(self->context, &colours, closeness->colours, self->log, error) &&
         ms_context_upload(self->context, &modes, closeness->modes, self->log, error) &&
         ms_label_kernels_launch(self, MS_LABEL_STEP_START, MS_LABEL_STEP_COUNT, error) &&
         add_up_counts(self, count, error) &&
         ms_label_kernels_launch(self, MS_LABEL_STEP_NUMBER, MS_LABEL_STEP_SPREAD, error);
}

/* Merges one size after another, until all are processed or no small region remains. */
static gboolean
merge_sizes(MsLabelKernels *self, GCancellable *cancellable, GError **error)
{
  const MsBufferRange state = range_of(self, MS_LABEL_BUFFER_STATE, 1);
  guint32 waiting = 1;

  for (int size = 1; size < self->merging.s[1] && waiting > 0; size++) {
    self->merging.s[2] = size;
    if (!ms_label_kernels_launch(self, MS_LABEL_STEP_MERGE, MS_LABEL_STEP_MERGE, error))
      return FALSE;
    if (size % SIZES_A_LOOK == 0 && (g_cancellable_set_error_if_cancelled(cancellable, error) ||
                                     !ms_context_download(self->context, &state, &waiting, self->log, error)))
      return FALSE;
  }
  return TRUE;
}

/* Merges the *@count regions, and sets *@count to the number of remaining ones. */
static gboolean
merge(MsLabelKernels *self, const MsLabelRequest *request, guint32 *count, GError **error)
{
  self->merging = (cl_int4){{(int)*count, (int)request->min_pixels, 0, 0}};
  return ms_label_kernels_create_buffers(self, MS_LABEL_BUFFER_SIZES, MS_LABEL_BUFFER_STATE, error) &&
         ms_label_kernels_launch(self, MS_LABEL_STEP_CLEAR, MS_LABEL_STEP_BEGIN, error) &&
         merge_sizes(self, request->cancellable, error) &&
         ms_label_kernels_launch(self, MS_LABEL_STEP_NUMBER_REGIONS, MS_LABEL_STEP_RENUMBER, error) &&
         ms_context_download(self->context, &(MsBufferRange){self->buffers[MS_LABEL_BUFFER_STATE], 4, 4}, count,
                             self->log, error);
}

/* Whether the device merges that many regions; a least size below two pixels merges none. */
static gboolean
merges(const MsLabelRequest *request, guint32 count)
{
  const guint most = request->most_regions > 0 ? request->most_regions : MS_DEVICE_LABELS_MOST_REGIONS;

  return request->min_pixels > 1 && request->min_pixels <= MS_DEVICE_LABELS_MOST_PIXELS && count <= most;
}

static gboolean
find_and_merge(MsLabelKernels *self, const MsLabelRequest *request, MsLabels *labels, GError **error)
{
  if (!find_labels(self, &request->closeness, &labels->count, error))
    return FALSE;
  const MsBufferRange range = range_of(self, MS_LABEL_BUFFER_LABELS, self->n_pixels);
  labels->merged = merges(request, labels->count);
  return (!labels->merged || merge(self, request, &labels->count, error)) &&
         ms_context_download(self->context, &range, labels->of_pixel, self->log, error);
}

/* Labels have 30 bits in a comparison of merge.cl. */
#define MOST_PIXELS ((gsize)1 << 30)

/* Bytes a pixel where every pixel is a region: 5 words of labels, 13 of regions, and the means. */
#define MOST_BYTES_A_PIXEL (18 * 4 + 8)

/** ms_device_labels_fit: whether the device has the memory for the labels of so many pixels, and for merging them. */
gboolean
ms_device_labels_fit(MsContext *context, gsize n_pixels)
{
  const MsDeviceLimits *limits = ms_context_get_limits(context);

  return n_pixels <= MOST_PIXELS && n_pixels * 24 <= limits->max_allocation &&
         n_pixels * MOST_BYTES_A_PIXEL <= limits->global_memory / 2;
}

/**
 * ms_device_labels_find:
 * @labels: (inout): its memory for the labels is filled; where regions that are too small have not been merged, since
 *   they are too many or too large for the device, these are the labels from before
 *
 * The result is that of ms_segmentation_new_on() without a device.
 *
 * Returns: %FALSE with #MS_ERROR or G_IO_ERROR_CANCELLED. After #MS_ERROR_TIMEOUT the device may still write to
 *   the memory for the labels, which must then never be freed.
 */
gboolean
ms_device_labels_find(MsContext *context, const MsLabelRequest *request, MsLabels *labels, GError **error)
{
  const MsCloseness *closeness = &request->closeness;
  const cl_int4 image = {{closeness->width, closeness->height, closeness->rule.spatial, closeness->rule.squared_range}};
  g_auto(MsLabelKernels) self = {NULL};
  gboolean good;

  ms_label_kernels_init(&self, context, image, request->group);
  self.log = request->log;
  if (!ms_label_kernels_build(&self, merges(request, 0), error))
    return FALSE;
  ms_context_lock_kernels(context);
  good = find_and_merge(&self, request, labels, error);
  ms_context_unlock_kernels(context);
  return good;
}
