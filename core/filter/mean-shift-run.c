/* SPDX-License-Identifier: MIT */
#include "core/filter/mean-shift-run.h"

#include "core/opencl/context-transfer.h"

static const MsPlanRequest *
request_of(const MsFilterRun *self)
{
  return &self->launch.plan->request;
}

/** ms_filter_run_upload: the rows of the image that are to be held. */
gboolean
ms_filter_run_upload(MsFilterRun *self, GError **error)
{
  MsFilterLaunch *l = &self->launch;
  gsize width = request_of(self)->width, rows = l->held.count;
  const guint8 *from = self->source + l->held.first * width * 4;

  if (l->plan->source_is_image)
    return ms_context_upload_image(l->context, &(MsTexels){l->buffers->image, width, rows}, from, l->log, error);
  return ms_context_upload(l->context, &(MsBufferRange){l->buffers->source.mem, 0, rows * width * 4}, from, l->log,
                           error);
}

static gboolean
download_rows(MsFilterRun *self, MsRows rows, MsTimingLog *log, GError **error)
{
  const MsFilterLaunch *l = &self->launch;
  gsize stride = (gsize)request_of(self)->region.width * 4;
  gsize from = (gsize)(rows.first - l->stripe.first) * stride;
  gsize to = (gsize)(rows.first - request_of(self)->region.y) * stride;

  return ms_context_download(l->context, &(MsBufferRange){l->buffers->result.mem, from, rows.count * stride},
                             self->pixels + to, log, error);
}

static gboolean
download_modes(MsFilterRun *self, MsRows rows, GError **error)
{
  const MsFilterLaunch *l = &self->launch;
  gsize width = (gsize)request_of(self)->region.width;
  gsize to = (gsize)(rows.first - request_of(self)->region.y) * width * 2;

  return !self->modes ||
         ms_context_download(l->context, &(MsBufferRange){l->buffers->modes.mem, 0, rows.count * width * 4},
                             self->modes + to, l->log, error);
}

static gboolean
run_band(MsFilterRun *self, GError **error)
{
  MsFilterLaunch *l = &self->launch;

  if (g_cancellable_set_error_if_cancelled(self->cancellable, error))
    return FALSE;
  return ms_filter_buffers_clear_scratch(l->buffers, l->context, l->plan, error) &&
         ms_filter_launch_grid(l, MS_GRID_BAND, error) && ms_context_finish(l->context, error) &&
         (!self->early_rows || download_rows(self, l->band, NULL, error));
}

/* The lanes of one region share the count of finished rows. */
static void
report_progress(const MsFilterRun *self)
{
  const MsRegion *region = &request_of(self)->region;
  const MsRows *band = &self->launch.band;
  int done = band->first + band->count - region->y;

  if (self->rows_done)
    done = *self->rows_done += band->count;
  if (self->progress)
    self->progress(done, region->height, self->progress_data);
}

/**
 * ms_filter_run_bands: computes the stripe band by band; its source must be on the device, and the passes of
 * MS_GRID_SOURCE must have run. The caller holds the lock of the device's kernels.
 */
gboolean
ms_filter_run_bands(MsFilterRun *self, GError **error)
{
  MsFilterLaunch *l = &self->launch;

  if (!ms_filter_launch_grid(l, MS_GRID_STRIPE, error))
    return FALSE;
  for (int done = 0; done < l->stripe.count; done += l->band.count) {
    l->band = ms_bands_next(l->stripe, done, l->plan->band_rows);
    if (!run_band(self, error))
      return FALSE;
    report_progress(self);
  }
  return TRUE;
}

static gboolean
run_kernels(MsFilterRun *self, GError **error)
{
  ms_context_lock_kernels(self->launch.context);
  gboolean good = ms_filter_launch_grid(&self->launch, MS_GRID_SOURCE, error) &&
                  (!self->start_stripe || self->start_stripe(&self->launch, self->start_data, error)) &&
                  ms_filter_run_bands(self, error);
  ms_context_unlock_kernels(self->launch.context);
  return good;
}

/** ms_filter_run_download: the rows of the stripe, and their modes where these are wanted. */
gboolean
ms_filter_run_download(MsFilterRun *self, GError **error)
{
  const MsRows stripe = self->launch.stripe;

  return download_rows(self, stripe, self->launch.log, error) && download_modes(self, stripe, error);
}

/** ms_filter_run_stripe: uploads, computes and downloads rows of the region; the kernels must have been created. */
gboolean
ms_filter_run_stripe(MsFilterRun *self, MsRows stripe, GError **error)
{
  MsFilterLaunch *l = &self->launch;
  gint64 start = g_get_monotonic_time();

  l->stripe = l->band = stripe;
  l->held = ms_bands_with_halo(stripe, l->plan->halo, request_of(self)->height);
  if (!ms_filter_buffers_reserve(l->buffers, l->context, l->plan, (MsStripeRows){l->held.count, stripe.count}, error) ||
      !ms_filter_run_upload(self, error) || !run_kernels(self, error) || !ms_filter_run_download(self, error))
    return FALSE;
  if (l->log)
    ms_timing_log_add_filter_span(l->log, start);
  return TRUE;
}

static gboolean
run_stripes(MsFilterRun *self, GError **error)
{
  MsRows whole = {request_of(self)->region.y, request_of(self)->region.height}, stripe;

  for (int done = 0; done < whole.count; done += stripe.count) {
    stripe = ms_bands_next(whole, done, self->launch.plan->stripe_rows);
    if (!ms_filter_run_stripe(self, stripe, error))
      return FALSE;
  }
  return TRUE;
}

/** ms_filter_run: computes the plan's region into the pixels of the run. */
gboolean
ms_filter_run(MsFilterRun *self, GError **error)
{
  gboolean good = ms_filter_launch_create_kernels(&self->launch, error) && run_stripes(self, error);

  ms_filter_launch_release_kernels(&self->launch);
  return good;
}
