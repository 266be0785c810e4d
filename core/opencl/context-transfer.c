/* SPDX-License-Identifier: MIT */
/* Transfers between host memory and the device: by the driver, or through pinned memory where that is faster. */
#include "core/opencl/context-transfer.h"

#include "core/opencl/cl-error.h"
#include "core/opencl/context-private.h"

/*
 * Bytes of a staging slot. The driver needs about 25 microseconds for each slot and handles one slot at a time, so
 * smaller slots are slower. Larger slots take longer to pin, and fewer threads can copy.
 */
#define STAGING_CHUNK ((gsize)2 << 20)

/*
 * Returns how many threads stage a transfer, or 0 for the driver's own transfer, which also serves where no memory can
 * be pinned.
 */
static guint
staging_lanes(MsContext *self, gsize bytes)
{
  guint lanes = ms_staging_lanes_for(ms_context_get_limits(self), self->processors, bytes);

  if (self->transfer_form == MS_TRANSFER_STAGED)
    lanes = MAX(lanes, 2);
  if (self->transfer_form == MS_TRANSFER_PLAIN || lanes == 0 || bytes == 0 || self->cannot_stage)
    return 0;
  if (!self->staging)
    self->staging = ms_staging_new(self->context, self->queue, STAGING_CHUNK, NULL);
  self->cannot_stage = !self->staging;
  return self->staging ? lanes : 0;
}

/** ms_context_upload: copies bytes to the device and waits until @from may be reused. */
gboolean
ms_context_upload(MsContext *self, const MsBufferRange *range, const void *from, MsTimingLog *log, GError **error)
{
  const gsize offset = range->offset, bytes = range->bytes;
  guint lanes = staging_lanes(self, bytes);
  g_auto(cl_event) event = NULL;

  if (lanes > 0)
    return ms_staging_upload(self->staging, &(MsStagedCopy){lanes, range->buffer, offset, bytes}, from, log, error);
  cl_int status = clEnqueueWriteBuffer(self->queue, range->buffer, CL_FALSE, offset, bytes, from, 0, NULL, &event);
  if (!ms_cl_check(status, error, "uploading %zu bytes", bytes))
    return FALSE;
  if (log)
    ms_timing_log_add_event(log, MS_STAGE_UPLOAD, NULL, bytes, event);
  return ms_context_wait(self, event, error);
}

/** ms_context_upload_image: copies texels to an image object and waits until @from may be reused. */
gboolean
ms_context_upload_image(MsContext *self, const MsTexels *texels, const void *from, MsTimingLog *log, GError **error)
{
  const gsize width = texels->width, height = texels->height;
  const gsize origin[3] = {0, 0, 0}, extent[3] = {width, height, 1};
  g_auto(cl_event) event = NULL;
  cl_int status =
    clEnqueueWriteImage(self->queue, texels->image, CL_FALSE, origin, extent, width * 4, 0, from, 0, NULL, &event);

  if (!ms_cl_check(status, error, "uploading an image object of %zux%zu", width, height))
    return FALSE;
  if (log)
    ms_timing_log_add_event(log, MS_STAGE_UPLOAD, NULL, width * height * 4, event);
  return ms_context_wait(self, event, error);
}

/** ms_context_download: copies bytes from the device once everything enqueued before has ended. */
gboolean
ms_context_download(MsContext *self, const MsBufferRange *range, void *into, MsTimingLog *log, GError **error)
{
  const gsize offset = range->offset, bytes = range->bytes;
  guint lanes = staging_lanes(self, bytes);
  g_auto(cl_event) event = NULL;

  if (lanes > 0)
    return ms_staging_download(self->staging, &(MsStagedCopy){lanes, range->buffer, offset, bytes}, into, log, error);
  cl_int status = clEnqueueReadBuffer(self->queue, range->buffer, CL_FALSE, offset, bytes, into, 0, NULL, &event);
  if (!ms_cl_check(status, error, "downloading %zu bytes", bytes))
    return FALSE;
  if (log)
    ms_timing_log_add_event(log, MS_STAGE_DOWNLOAD, NULL, bytes, event);
  return ms_context_wait(self, event, error);
}
