/* SPDX-License-Identifier: MIT */
#include "core/regions/device-labels.h"

#include "core/opencl/context.h"
#include "core/regions/label-kernels.h"

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
find_labels(MsLabelKernels *self, const MsCloseness *closeness, MsLabels *labels, GError **error)
{
  const MsBufferRange colours = range_of(self, MS_LABEL_BUFFER_COLOURS, self->n_pixels),
                      modes = range_of(self, MS_LABEL_BUFFER_MODES, self->n_pixels),
                      of_pixel = range_of(self, MS_LABEL_BUFFER_LABELS, self->n_pixels);

  return ms_context_upload(self->context, &colours, closeness->colours, self->log, error) &&
         ms_context_upload(self->context, &modes, closeness->modes, self->log, error) &&
         ms_label_kernels_launch(self, MS_LABEL_STEP_START, MS_LABEL_STEP_COUNT, error) &&
         add_up_counts(self, &labels->count, error) &&
         ms_label_kernels_launch(self, MS_LABEL_STEP_NUMBER, MS_LABEL_STEP_SPREAD, error) &&
         ms_context_download(self->context, &of_pixel, labels->of_pixel, self->log, error);
}

/* Pixels are numbered by signed integers. */
#define MOST_PIXELS ((gsize)1 << 30)

/* Bytes a pixel: colours, modes, parents, labels, and a sixteenth of a word for counts. */
#define MOST_BYTES_A_PIXEL 17

/** ms_device_labels_fit: whether the device has enough memory for the labels of the pixels. */
gboolean
ms_device_labels_fit(MsContext *context, gsize n_pixels)
{
  const MsDeviceLimits *limits = ms_context_get_limits(context);

  return n_pixels <= MOST_PIXELS && n_pixels * 4 <= limits->max_allocation &&
         n_pixels * MOST_BYTES_A_PIXEL <= limits->global_memory / 2;
}

/**
 * ms_device_labels_find:
 * @labels: (inout): its memory for the labels is filled
 *
 * The regions are those of ms_segmentation_new_on() without a device, before any is merged.
 *
 * Returns: %FALSE with #MS_ERROR or G_IO_ERROR_CANCELLED
 */
gboolean
ms_device_labels_find(MsContext *context, const MsLabelRequest *request, MsLabels *labels, GError **error)
{
  const MsCloseness *closeness = &request->closeness;
  const cl_int4 image = {{closeness->width, closeness->height, closeness->rule.spatial, closeness->rule.squared_range}};
  g_auto(MsLabelKernels) self = {NULL};
  gboolean good;

  ms_label_kernels_init(&self, context, image);
  self.log = request->log;
  if (!ms_label_kernels_build(&self, error) || !ms_label_kernels_create_buffers(&self, error))
    return FALSE;
  ms_context_lock_kernels(context);
  good = find_labels(&self, closeness, labels, error);
  ms_context_unlock_kernels(context);
  return good;
}
