/* SPDX-License-Identifier: MIT */
/*
 * The way of one picture over a device: a plan says which kernels are launched over which rows; for each tile its
 * rows are uploaded, the passes of its bands are launched, and its result is downloaded.
 */
#include "core/filter/mean-shift-private.h"

#include <string.h>

#include "core/filter/space/space.h"
#include "core/opencl/transfers.h"

/* Bytes after the mask that kernels may read in whole vectors; see kernels/prelude/marks.cl. */
#define MASK_PADDING 64

static gboolean
reserve(MsDeviceBuffer *buffer, MsContext *context, gsize bytes, GError **error)
{
  if (buffer->bytes >= bytes)
    return TRUE;
  g_clear_pointer(&buffer->mem, clReleaseMemObject);
  buffer->mem = ms_context_create_buffer(context, CL_MEM_READ_WRITE, bytes, NULL, error);
  buffer->bytes = buffer->mem ? bytes : 0;
  return buffer->mem != NULL;
}

static gboolean
reserve_image(MsFilterBuffers *self, MsContext *context, gsize width, gsize height, GError **error)
{
  const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
  cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = width, .image_height = height};
  cl_int status = CL_SUCCESS;

  if (self->image && self->image_width == width && self->image_height == height)
    return TRUE;
  g_clear_pointer(&self->image, clReleaseMemObject);
  self->image = clCreateImage(context->cl, CL_MEM_READ_ONLY, &format, &desc, NULL, &status);
  self->image_width = width;
  self->image_height = height;
  return ms_cl_check(status, error, "creating an image object of %zux%zu", width, height);
}

/* Keeps the tables on the device as long as the profile of the pictures is the same. */
static gboolean
reserve_tables(MsFilterRun *self, GError **error)
{
  MsFilterBuffers *b = self->buffers;

  if (!self->tables || b->tables_held == self->tables)
    return TRUE;
  g_clear_pointer(&b->tables, clReleaseMemObject);
  g_clear_pointer(&b->tables_held, g_bytes_unref);
  b->tables = ms_context_create_buffer(self->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, MS_SPACE_TABLES_BYTES,
                                       (void *)g_bytes_get_data(self->tables, NULL), error);
  b->tables_held = b->tables ? g_bytes_ref(self->tables) : NULL;
  return b->tables != NULL;
}

/** ms_filter_run_reserve: allocates the buffers for the tile and the rows that it needs. */
gboolean
ms_filter_run_reserve(MsFilterRun *self, GError **error)
{
  const MsPlan *plan = self->plan;
  MsFilterBuffers *b = self->buffers;
  const gsize width = plan->request.width, held = self->held.count;
  const gsize result_bytes = (gsize)self->tile.count * plan->request.region.width * 4;

  if (plan->settings.params.space != MS_SPACE_RGB && !reserve_tables(self, error))
    return FALSE;
  if (ms_plan_is_masked(plan)) {
    const MsPlanRequest *above = &plan->coarser->request;
    const int rows = ms_bands_coarser_most(self->held.count, above->height);
    if (!reserve(&b->mask, self->context, width * held + MASK_PADDING, error) ||
        !reserve(&b->edges, self->context, (gsize)above->width * rows, error))
      return FALSE;
  }
  if ((plan->source_is_image && !reserve_image(b, self->context, width, held, error)) ||
      ((!plan->source_is_image || ms_plan_fills_image(plan)) &&
       !reserve(&b->source, self->context, width * held * 4, error)) ||
      !reserve(&b->result, self->context, result_bytes, error) ||
      (plan->request.modes && !reserve(&b->modes, self->context, result_bytes, error)))
    return FALSE;
  for (guint i = 0; i < plan->n_scratch; i++)
    if (!reserve(&b->scratch[i], self->context, held * plan->scratch[i].row_bytes + plan->scratch[i].fixed_bytes,
                 error))
      return FALSE;
  return TRUE;
}

/** ms_filter_buffers_release: releases the device memory; the structure can be used again. */
void
ms_filter_buffers_release(MsFilterBuffers *self)
{
  cl_mem *const all[] = {&self->source.mem, &self->result.mem, &self->modes.mem, &self->mask.mem,
                         &self->edges.mem,  &self->tables,     &self->image};

  for (guint i = 0; i < G_N_ELEMENTS(all); i++)
    g_clear_pointer(all[i], clReleaseMemObject);
  for (guint i = 0; i < MS_PLAN_MAX_SCRATCH; i++)
    g_clear_pointer(&self->scratch[i].mem, clReleaseMemObject);
  g_clear_pointer(&self->tables_held, g_bytes_unref);
  *self = (MsFilterBuffers){0};
}

/** ms_filter_run_create_kernels: builds the program unless it was built before, and creates each pass's kernel. */
gboolean
ms_filter_run_create_kernels(MsFilterRun *self, GError **error)
{
  MsProgram *program = ms_context_build(self->context, self->plan->program, self->log, error);

  for (guint i = 0; program && i < self->plan->n_passes; i++) {
    self->kernels[i] = ms_program_create_kernel(program, self->plan->passes[i].function, error);
    if (!self->kernels[i])
      return FALSE;
  }
  return program != NULL;
}

/** ms_filter_run_release_kernels: releases the kernels that were created. */
void
ms_filter_run_release_kernels(MsFilterRun *self)
{
  for (guint i = 0; i < MS_PLAN_MAX_PASSES; i++)
    g_clear_pointer(&self->kernels[i], clReleaseKernel);
}

static gboolean
set_args(const MsFilterRun *self, const MsPass *pass, cl_kernel kernel, GError **error)
{
  const MsPlanRequest *q = &self->plan->request;
  const MsFilterBuffers *b = self->buffers;
  const MsFilterNumbers numbers = ms_params_numbers(&self->plan->settings.params);
  const cl_int4 image = {{q->width, q->height, self->held.first, self->held.count}};
  const cl_int4 region = {{q->region.x, self->tile.first, q->region.width, self->tile.count}};
  const cl_int4 band = {{q->region.x, self->band.first, q->region.width, self->band.count}};
  const cl_int no_data = q->no_data;
  const cl_int4 filter = {{self->plan->radius, numbers.isr2, numbers.max_iterations, numbers.epsilon}};
  const MsKernelArg values[] = {
    [MS_ARG_SOURCE] = {sizeof(cl_mem), self->plan->source_is_image ? &b->image : &b->source.mem},
    [MS_ARG_PIXELS] = MS_ARG_OF(b->source.mem),
    [MS_ARG_RESULT] = MS_ARG_OF(b->result.mem),
    [MS_ARG_IMAGE] = MS_ARG_OF(image),
    [MS_ARG_MARGIN] = MS_ARG_OF(self->plan->margin),
    [MS_ARG_PITCH] = MS_ARG_OF(self->plan->pitch),
    [MS_ARG_REGION] = MS_ARG_OF(region),
    [MS_ARG_BAND] = MS_ARG_OF(band),
    [MS_ARG_FILTER] = MS_ARG_OF(filter),
    [MS_ARG_SP] = MS_ARG_OF(numbers.sp),
    [MS_ARG_LOCAL] = MS_ARG_LOCAL_BYTES(pass->local_bytes),
    [MS_ARG_MASK] = MS_ARG_OF(b->mask.mem),
    [MS_ARG_TABLES] = MS_ARG_OF(b->tables),
    [MS_ARG_MODES] = MS_ARG_OF(b->modes.mem),
    [MS_ARG_NO_DATA] = MS_ARG_OF(no_data),
    [MS_ARG_SCRATCH_0] = MS_ARG_OF(b->scratch[0].mem),
    [MS_ARG_SCRATCH_1] = MS_ARG_OF(b->scratch[1].mem),
    [MS_ARG_SCRATCH_2] = MS_ARG_OF(b->scratch[2].mem),
    [MS_ARG_SCRATCH_3] = MS_ARG_OF(b->scratch[3].mem),
    [MS_ARG_SCRATCH_4] = MS_ARG_OF(b->scratch[4].mem),
  };
  MsKernelArg args[MS_PLAN_MAX_ARGS];

  for (guint i = 0; i < pass->n_args; i++)
    args[i] = values[pass->args[i]];
  return ms_kernel_set_args(kernel, pass->function, args, pass->n_args, error);
}

/* The work-items that cover @extent pixels, as a multiple of @local. */
static gsize
global_size(gsize extent, int item, gsize local)
{
  gsize items = (extent + item - 1) / item;

  return local ? (items + local - 1) / local * local : items;
}

static gboolean
launch_pass(const MsFilterRun *self, guint number, GError **error)
{
  const MsPass *pass = &self->plan->passes[number];
  gsize width = self->plan->request.region.width, height = self->band.count;
  MsLaunch launch = {self->kernels[number],
                     pass->function,
                     {.dimensions = 2, .local = {pass->local[0], pass->local[1]}},
                     (guint64)width * height * 8};

  if (pass->grid != MS_GRID_BAND) {
    width = self->plan->request.width + 2 * (gsize)pass->pad_x;
    height = self->held.count + 2 * (gsize)pass->pad_y;
  }
  launch.range.global[0] = global_size(width, pass->item_width, pass->local[0]);
  launch.range.global[1] = global_size(height, pass->item_height, pass->local[1]);
  return set_args(self, pass, launch.kernel, error) && ms_context_launch(self->context, &launch, self->log, error);
}

/* Fills the image object with the pixels of the buffer. */
static gboolean
fill_image(const MsFilterRun *self, GError **error)
{
  const gsize origin[3] = {0}, extent[3] = {self->plan->request.width, self->held.count, 1};

  return ms_cl_check(clEnqueueCopyBufferToImage(self->context->queue, self->buffers->source.mem, self->buffers->image,
                                                0, origin, extent, 0, NULL, NULL),
                     error, "filling an image object");
}

/** ms_filter_run_launch: enqueues the passes of that grid; does not wait. */
gboolean
ms_filter_run_launch(const MsFilterRun *self, MsGrid grid, GError **error)
{
  for (guint i = 0; i < self->plan->n_passes; i++)
    if (self->plan->passes[i].grid == grid && !launch_pass(self, i, error))
      return FALSE;
  return grid != MS_GRID_SOURCE || !ms_plan_fills_image(self->plan) || fill_image(self, error);
}

/** ms_filter_run_upload: the rows of the image that are to be held. */
gboolean
ms_filter_run_upload(const MsFilterRun *self, GError **error)
{
  gsize width = self->plan->request.width, rows = self->held.count;
  const guint8 *from = self->source + self->held.first * width * 4;

  if (self->plan->source_is_image && !ms_plan_fills_image(self->plan))
    return ms_context_upload_image(self->context, &(MsTexels){self->buffers->image, width, rows}, from, self->log,
                                   error);
  return ms_context_upload(self->context, &(MsBufferRange){self->buffers->source.mem, 0, rows * width * 4}, from,
                           self->log, error);
}

static gboolean
download_rows(const MsFilterRun *self, MsRows rows, GError **error)
{
  const MsRegion *region = &self->plan->request.region;
  gsize stride = (gsize)region->width * 4, from = (gsize)(rows.first - self->tile.first) * stride;

  return ms_context_download(self->context, &(MsBufferRange){self->buffers->result.mem, from, rows.count * stride},
                             self->pixels + from, self->log, error);
}

/**
 * ms_filter_run_download: the rows of the tile, unless they stay or were told to the caller band by band, and their
 * modes where these are wanted.
 */
gboolean
ms_filter_run_download(const MsFilterRun *self, GError **error)
{
  const MsRegion *region = &self->plan->request.region;
  const MsRows rows = self->tile;
  const gsize width = region->width, bytes = rows.count * width * 4;

  if (self->stays)
    return TRUE;
  return ((self->is_picture && self->job->rows) || download_rows(self, rows, error)) &&
         (!self->modes ||
          ms_context_download(self->context, &(MsBufferRange){self->buffers->modes.mem, 0, bytes},
                              self->modes + (gsize)(rows.first - region->y) * width * 2, self->log, error));
}

/* Fills the scratch buffers with zeros where the plan requires it. */
static gboolean
clear_scratch(const MsFilterRun *self, GError **error)
{
  const cl_uint zero = 0;

  for (guint i = 0; i < self->plan->n_scratch; i++) {
    const MsDeviceBuffer *buffer = &self->buffers->scratch[i];
    gsize bytes = buffer->bytes / sizeof zero * sizeof zero;
    if (self->plan->scratch[i].cleared && !ms_cl_check(clEnqueueFillBuffer(self->context->queue, buffer->mem, &zero,
                                                                           sizeof zero, 0, bytes, 0, NULL, NULL),
                                                       error, "clearing a scratch buffer"))
      return FALSE;
  }
  return TRUE;
}

static gboolean
enqueue_band(const MsFilterRun *self, GError **error)
{
  return clear_scratch(self, error) && ms_filter_run_launch(self, MS_GRID_BAND, error);
}

/** ms_filter_run_report: tells that the rows of the band are computed. */
void
ms_filter_run_report(const MsFilterRun *self)
{
  if (self->is_picture)
    ms_tiles_count(self->tiles, self->device, self->band.count);
}

static gboolean
run_band(const MsFilterRun *self, GError **error)
{
  const MsJob *job = self->job;

  if (g_cancellable_set_error_if_cancelled(job->cancellable, error) || !enqueue_band(self, error) ||
      !ms_context_finish(self->context, error))
    return FALSE;
  if (self->is_picture && job->rows) {
    if (!download_rows(self, self->band, error))
      return FALSE;
    job->rows(self->tiles->pixels, self->band.first + self->band.count - self->plan->request.region.y, job->rows_data);
  }
  ms_filter_run_report(self);
  return TRUE;
}

/* Enqueues the passes of the tile and calls @work for each of its bands. */
static gboolean
for_each_band(MsFilterRun *self, gboolean (*work)(const MsFilterRun *, GError **), GError **error)
{
  if (!ms_filter_run_launch(self, MS_GRID_TILE, error))
    return FALSE;
  for (int done = 0; done < self->tile.count; done += self->band.count) {
    self->band = ms_bands_next(self->tile, done, self->plan->band_rows);
    if (!work(self, error))
      return FALSE;
  }
  return TRUE;
}

/** ms_filter_run_enqueue_bands: what ms_filter_run_bands() launches, without waiting or progress. */
gboolean
ms_filter_run_enqueue_bands(MsFilterRun *self, GError **error)
{
  return for_each_band(self, enqueue_band, error);
}

/**
 * ms_filter_run_bands: computes the tile band by band; its source must be on the device, and the passes of
 * MS_GRID_SOURCE must have run. The caller holds the lock of the device's kernels.
 */
gboolean
ms_filter_run_bands(MsFilterRun *self, GError **error)
{
  return for_each_band(self, run_band, error);
}

/* Uploads, computes and downloads the tile; the kernels must have been created. */
static gboolean
compute_tile(MsFilterRun *self, GError **error)
{
  const gint64 start = g_get_monotonic_time();

  if (!ms_filter_run_reserve(self, error) || !ms_filter_run_upload(self, error))
    return FALSE;
  ms_context_lock_kernels(self->context);
  gboolean good = ms_filter_run_launch(self, MS_GRID_SOURCE, error) &&
                  (!self->start_tile || self->start_tile(self, self->start_data, error)) &&
                  ms_filter_run_bands(self, error);
  ms_context_unlock_kernels(self->context);
  if (!good || !ms_filter_run_download(self, error))
    return FALSE;
  if (self->log)
    ms_timing_log_add_filter_span(self->log, start);
  return TRUE;
}

static gboolean
run_tile(MsFilterRun *self, MsRows tile, GError **error)
{
  self->tile = self->band = tile;
  self->held = ms_bands_with_halo(tile, self->plan->halo, self->plan->request.height);
  if (!ms_tiles_prepare(self->tiles, tile, self->held, &self->pixels, error))
    return FALSE;
  if (compute_tile(self, error))
    return ms_tiles_finish(self->tiles, tile, self->pixels, error);
  ms_tiles_return(self->tiles, self->device, tile, self->pixels);
  return FALSE;
}

static gboolean
run_one_by_one(MsFilterRun *self, GError **error)
{
  const int most = ms_tiles_even_rows(self->tiles, self->plan->tile_rows, self->plan->halo);
  gboolean good = TRUE;
  MsRows tile;

  while (good && ms_tiles_take(self->tiles, self->device, most, &tile))
    good = run_tile(self, tile, error);
  return good;
}

/* Computes one tile after the other where the device lacks threads, queues or memory for several at once. */
static gboolean
run_overlapped(MsFilterRun *self, MsLane *lane, GError **error)
{
  g_autoptr(GError) failure = NULL;

  if (ms_lane_run(lane, self, &failure)) {
    if (self->job->rows)
      self->job->rows(self->tiles->pixels, self->plan->request.region.height, self->job->rows_data);
    return TRUE;
  }
  if (g_error_matches(failure, MS_ERROR, MS_ERROR_MEMORY)) {
    g_debug("plan: %s", failure->message);
    ms_lane_release_further(lane);
    return run_one_by_one(self, error);
  }
  g_propagate_error(error, g_steal_pointer(&failure));
  return FALSE;
}

/**
 * ms_filter_run: computes the tiles that the device gets from the list; @lane: (nullable): for plans that overlap.
 */
gboolean
ms_filter_run(MsFilterRun *self, MsLane *lane, GError **error)
{
  const gboolean good =
    ms_filter_run_create_kernels(self, error) &&
    (lane && self->plan->depth > 1 ? run_overlapped(self, lane, error) : run_one_by_one(self, error));

  ms_filter_run_release_kernels(self);
  return good;
}
