/* SPDX-License-Identifier: MIT */
#include "core/filter/mean-shift-level-stripes.h"

#include "core/filter/mean-shift-level-steps.h"
#include "core/filter/pyramid/pyramid.h"
#include "core/opencl/context-transfer.h"

/* Rows on each side that halving reads beyond twice the rows that it makes. */
#define HALVING_HALO 4

/*
 * One run.
 * @size: of the level above, whose arrays in the host's memory follow: the halved picture, its result and its modes
 * @coarser_pixels: @result, or that which is known already
 * @device: rows of the result above, or of the halved picture, and of the modes
 */
typedef struct {
  MsFilterRun run;
  MsLevelSteps steps;
  MsCoarserFunc coarser;
  MsPyramidSize size;
  guint8 *halved;
  guint8 *result;
  guint16 *modes;
  const guint8 *coarser_pixels;
  MsLevelPixels device;
} Stripes;

static gsize
row_bytes(const Stripes *self)
{
  return (gsize)self->size.width * 4;
}

static gboolean
allocate(Stripes *self, GError **error)
{
  const gsize bytes = row_bytes(self) * self->size.height;

  self->halved = g_try_malloc(bytes);
  self->result = self->halved ? g_try_malloc(bytes) : NULL;
  self->modes = self->result && self->run.modes ? g_try_malloc(bytes) : NULL;
  if (self->result && (self->modes || !self->run.modes))
    return TRUE;
  ms_set_error(error, MS_ERROR_MEMORY, "There is not enough memory for a level of %dx%d pixels.", self->size.width,
               self->size.height);
  return FALSE;
}

static void
release(Stripes *self)
{
  ms_level_steps_release_kernels(&self->steps);
  ms_filter_launch_release_kernels(&self->run.launch);
  g_clear_pointer(&self->device.pixels, clReleaseMemObject);
  g_clear_pointer(&self->device.modes, clReleaseMemObject);
  g_free(self->halved);
  g_free(self->result);
  g_free(self->modes);
}

/* Memory of the device for the rows above that one stripe needs. */
static gboolean
allocate_on_device(Stripes *self, GError **error)
{
  const MsPlan *plan = self->run.launch.plan;
  const MsRows held = {0, MIN(plan->request.height, plan->stripe_rows + 2 * plan->halo)};
  const gsize bytes = row_bytes(self) * ms_bands_coarser_most(held.count, self->size.height);
  MsContext *context = self->run.launch.context;

  self->device.pixels = ms_context_create_buffer(context, CL_MEM_READ_WRITE, bytes, NULL, error);
  if (self->device.pixels && self->run.modes)
    self->device.modes = ms_context_create_buffer(context, CL_MEM_READ_ONLY, bytes, NULL, error);
  return self->device.pixels && (self->device.modes || !self->run.modes);
}

static void
set_rows(Stripes *self, MsRows rows)
{
  self->device.rows = (cl_int4){{self->size.width, self->size.height, rows.first, rows.count}};
}

/* Enqueues the kernels that make @rows of the level above from the rows of the picture that are held. */
static gboolean
launch_halving(Stripes *self, GError **error)
{
  MsFilterLaunch *l = &self->run.launch;
  const MsPlanRequest *q = &l->plan->request;
  const MsLevelPixels fine = {l->buffers->source.mem, NULL, {{q->width, q->height, l->held.first, l->held.count}}};

  ms_context_lock_kernels(l->context);
  gboolean good =
    ms_filter_launch_grid(l, MS_GRID_SOURCE, error) && ms_level_steps_halve(&self->steps, &fine, &self->device, error);
  ms_context_unlock_kernels(l->context);
  return good;
}

static gboolean
halve_rows(Stripes *self, MsRows rows, GError **error)
{
  MsFilterLaunch *l = &self->run.launch;
  const MsRows fine = {2 * rows.first, 2 * rows.count};
  const gsize stride = row_bytes(self);

  l->held = ms_bands_with_halo(fine, HALVING_HALO, l->plan->request.height);
  set_rows(self, rows);
  return !g_cancellable_set_error_if_cancelled(self->run.cancellable, error) &&
         ms_filter_buffers_reserve(l->buffers, l->context, l->plan, (MsStripeRows){l->held.count, 1}, error) &&
         ms_filter_run_upload(&self->run, error) && launch_halving(self, error) &&
         ms_context_download(l->context, &(MsBufferRange){self->device.pixels, 0, rows.count * stride},
                             self->halved + rows.first * stride, l->log, error);
}

static gboolean
halve(Stripes *self, GError **error)
{
  const MsRows whole = {0, self->size.height};
  const int step = MAX(1, self->run.launch.plan->stripe_rows / 2);
  MsRows rows;

  if (!ms_filter_launch_create_kernels(&self->run.launch, error))
    return FALSE;
  for (int done = 0; done < whole.count; done += rows.count) {
    rows = ms_bands_next(whole, done, step);
    if (!halve_rows(self, rows, error))
      return FALSE;
  }
  ms_filter_launch_release_kernels(&self->run.launch);
  return TRUE;
}

static gboolean
run_coarser(Stripes *self, GError **error)
{
  MsFilterRun above = self->run;

  above.launch.plan = self->run.launch.plan->coarser;
  above.source = self->halved;
  above.pixels = self->result;
  above.modes = self->modes;
  above.progress = NULL;
  above.rows_done = NULL;
  above.early_rows = FALSE;
  ms_filter_buffers_release(self->run.launch.buffers);
  return self->coarser(&above, error);
}

static gboolean
upload_coarser(Stripes *self, MsRows rows, GError **error)
{
  MsFilterLaunch *l = &self->run.launch;
  const gsize stride = row_bytes(self), bytes = rows.count * stride, from = rows.first * stride;

  return ms_context_upload(l->context, &(MsBufferRange){self->device.pixels, 0, bytes}, self->coarser_pixels + from,
                           l->log, error) &&
         (!self->modes || ms_context_upload(l->context, &(MsBufferRange){self->device.modes, 0, bytes},
                                            self->modes + from / 2, l->log, error));
}

/* Before the passes of each stripe: its rows of the level above, and what follows from them. */
static gboolean
start_stripe(const MsFilterLaunch *stripe, gpointer data, GError **error)
{
  Stripes *self = data;
  const MsRows rows = ms_bands_coarser(stripe->held, self->size.height);

  set_rows(self, rows);
  return upload_coarser(self, rows, error) && ms_level_steps_start(&self->steps, &self->device, stripe, error);
}

static gboolean
compute_coarser(Stripes *self, GError **error)
{
  if (!allocate(self, error) || !halve(self, error) || !run_coarser(self, error))
    return FALSE;
  self->coarser_pixels = self->result;
  return TRUE;
}

static gboolean
filter(Stripes *self, GError **error)
{
  self->run.start_stripe = start_stripe;
  self->run.start_data = self;
  return ms_filter_run(&self->run, error);
}

/**
 * ms_filter_level_stripes_run:
 * @coarser: called once for the level above, unless @run has its result
 *
 * Computes the region of the plan with no more than a stripe of the level and of the one above on the device: halves
 * the picture stripe by stripe into the host's memory, has the level above computed, and filters stripe by stripe.
 */
gboolean
ms_filter_level_stripes_run(const MsFilterRun *run, MsCoarserFunc coarser, GError **error)
{
  const MsPlanRequest *above = &run->launch.plan->coarser->request;
  Stripes self = {.run = *run,
                  .steps = {.context = run->launch.context, .log = run->launch.log},
                  .coarser = coarser,
                  .size = {above->width, above->height},
                  .coarser_pixels = run->coarser};
  const gboolean good = allocate_on_device(&self, error) && ms_level_steps_create_kernels(&self.steps, error) &&
                        (run->coarser || compute_coarser(&self, error)) && filter(&self, error);

  release(&self);
  return good;
}
