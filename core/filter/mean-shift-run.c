/* SPDX-License-Identifier: MIT */
/* The way of a run through its image: stripes that fit the device, bands that can be cancelled, and what they move. */
#include "core/filter/mean-shift-run.h"
#include "core/opencl/cl-error.h"

static gboolean
reserve(MsDeviceBuffer *store, MsContext *context, cl_mem_flags flags, gsize bytes, GError **error)
{
  if (store->bytes >= bytes)
    return TRUE;
  g_clear_pointer(&store->mem, clReleaseMemObject);
  store->bytes = 0;
  store->mem = ms_context_create_buffer(context, flags, bytes, NULL, error);
  if (!store->mem)
    return FALSE;
  store->bytes = bytes;
  return TRUE;
}

static gboolean
reserve_image(MsFilterRun *run, GError **error)
{
  MsMeanShift *self = run->self;
  const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
  cl_image_desc desc = {
    .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = run->plan->request.width, .image_height = run->held.count};
  cl_int status = CL_SUCCESS;

  if (self->image && self->image_width == desc.image_width && self->image_height == desc.image_height)
    return TRUE;
  g_clear_pointer(&self->image, clReleaseMemObject);
  self->image = clCreateImage(ms_context_get_cl(self->context), CL_MEM_READ_ONLY, &format, &desc, NULL, &status);
  self->image_width = desc.image_width;
  self->image_height = desc.image_height;
  return ms_cl_check(status, error, "making an image object of %dx%d", run->plan->request.width, run->held.count);
}

static gboolean
upload_stripe(MsFilterRun *run, GError **error)
{
  gsize stride = (gsize)run->plan->request.width * 4;
  const guint8 *from = run->source + run->held.first * stride;
  gsize bytes = run->held.count * stride;

  if (run->plan->source_is_image)
    return reserve_image(run, error) &&
           ms_context_upload_image(run->self->context, run->self->image, run->plan->request.width, run->held.count,
                                   from, run->log, error);
  return reserve(&run->self->source, run->self->context, CL_MEM_READ_ONLY, bytes, error) &&
         ms_context_upload(run->self->context, run->self->source.mem, 0, bytes, from, run->log, error);
}

static gboolean
reserve_buffers(MsFilterRun *run, GError **error)
{
  MsMeanShift *self = run->self;
  gsize result_bytes = (gsize)run->stripe.count * run->plan->request.region.width * 4;

  if (!reserve(&self->result, self->context, CL_MEM_READ_WRITE, result_bytes, error))
    return FALSE;
  for (guint i = 0; i < run->plan->n_scratch; i++) {
    const MsScratch *scratch = &run->plan->scratch[i];
    gsize bytes = run->held.count * scratch->row_bytes + scratch->fixed_bytes;
    if (!reserve(&self->scratch[i], self->context, CL_MEM_READ_WRITE, bytes, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
clear_scratch(MsFilterRun *run, GError **error)
{
  const cl_uint zero = 0;

  for (guint i = 0; i < run->plan->n_scratch; i++) {
    const MsDeviceBuffer *store = &run->self->scratch[i];
    if (!run->plan->scratch[i].cleared)
      continue;
    if (!ms_cl_check(clEnqueueFillBuffer(ms_context_get_queue(run->self->context), store->mem, &zero, sizeof zero, 0,
                                         store->bytes / sizeof zero * sizeof zero, 0, NULL, NULL),
                     error, "clearing a scratch buffer"))
      return FALSE;
  }
  return TRUE;
}

static gboolean
run_band(MsFilterRun *run, GError **error)
{
  if (g_cancellable_set_error_if_cancelled(run->cancellable, error))
    return FALSE;
  return clear_scratch(run, error) && ms_filter_run_launch(run, FALSE, error) &&
         ms_context_finish(run->self->context, error);
}

/* Lanes report to the filter that the caller holds, and count the rows that any of them has computed. */
static void
report_progress(MsFilterRun *run)
{
  const MsRegion *region = &run->plan->request.region;
  int done = run->band.first + run->band.count - region->y;

  if (run->rows_done)
    done = *run->rows_done += run->band.count;
  if (run->owner->progress)
    run->owner->progress(done, region->height, run->owner->progress_data);
}

static gboolean
download_stripe(MsFilterRun *run, GError **error)
{
  gsize stride = (gsize)run->plan->request.region.width * 4;
  gsize offset = (gsize)(run->stripe.first - run->plan->request.region.y) * stride;

  return ms_context_download(run->self->context, run->self->result.mem, 0, run->stripe.count * stride,
                             run->pixels + offset, run->log, error);
}

static gboolean
download_band(MsFilterRun *run, GError **error)
{
  gsize stride = (gsize)run->plan->request.region.width * 4;
  gsize to = (gsize)(run->band.first - run->plan->request.region.y) * stride;
  gsize from = (gsize)(run->band.first - run->stripe.first) * stride;

  return ms_context_download(run->self->context, run->self->result.mem, from, run->band.count * stride,
                             run->pixels + to, NULL, error);
}

static gboolean
run_bands(MsFilterRun *run, GError **error)
{
  if (!ms_filter_run_launch(run, TRUE, error))
    return FALSE;
  for (int done = 0; done < run->stripe.count; done += run->band.count) {
    run->band = ms_bands_next(run->stripe, done, run->plan->band_rows);
    if (!run_band(run, error) || (run->self->early_rows && !download_band(run, error)))
      return FALSE;
    report_progress(run);
  }
  return TRUE;
}

static gboolean
run_kernels(MsFilterRun *run, GError **error)
{
  ms_context_lock_kernels(run->self->context);
  gboolean good = run_bands(run, error);
  ms_context_unlock_kernels(run->self->context);
  return good;
}

/** ms_filter_run_stripe: uploads, computes and downloads the rows of the stripe. */
gboolean
ms_filter_run_stripe(MsFilterRun *run, GError **error)
{
  run->held = ms_bands_with_halo(run->stripe, run->plan->halo, run->plan->request.height);
  run->band = run->stripe;
  return upload_stripe(run, error) && reserve_buffers(run, error) && run_kernels(run, error) &&
         download_stripe(run, error);
}

/** ms_filter_run_stripes: all of the plan's region, into the pixels of the run. */
gboolean
ms_filter_run_stripes(MsFilterRun *run, GError **error)
{
  MsRows whole = {run->plan->request.region.y, run->plan->request.region.height};

  for (int done = 0; done < whole.count; done += run->stripe.count) {
    run->stripe = ms_bands_next(whole, done, run->plan->stripe_rows);
    if (!ms_filter_run_stripe(run, error))
      return FALSE;
  }
  return TRUE;
}
