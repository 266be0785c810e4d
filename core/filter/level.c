/* SPDX-License-Identifier: MIT */
/*
 * The way of a tile over a device: its rows are uploaded, the passes of its bands are launched as the plan says, and
 * its result is downloaded.
 */
#include "core/filter/lane-private.h"

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
reserve_tables(const MsLevel *self, MsFilterBuffers *b, GError **error)
{
  if (!self->tables || b->tables_held == self->tables)
    return TRUE;
  g_clear_pointer(&b->tables, clReleaseMemObject);
  g_clear_pointer(&b->tables_held, g_bytes_unref);
  b->tables = ms_context_create_buffer(self->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, MS_SPACE_TABLES_BYTES,
                                       (void *)g_bytes_get_data(self->tables, NULL), error);
  b->tables_held = b->tables ? g_bytes_ref(self->tables) : NULL;
  return b->tables != NULL;
}

/* The mask of a tile, and the edges of the rows above from which it is made. */
static gboolean
reserve_mask(const MsLevel *self, const MsTile *tile, GError **error)
{
  const MsPlan *above = self->plan->coarser;
  MsFilterBuffers *b = tile->buffers;

  return !ms_plan_is_masked(self->plan) ||
         (reserve(&b->mask, self->context, (gsize)self->plan->width * tile->held.count + MASK_PADDING, error) &&
          reserve(&b->edges, self->context,
                  (gsize)above->width * ms_bands_coarser_most(tile->held.count, above->height), error));
}

/** ms_level_reserve: allocates the buffers for the tile and the rows that it needs. */
gboolean
ms_level_reserve(const MsLevel *self, const MsTile *tile, GError **error)
{
  const MsPlan *plan = self->plan;
  MsFilterBuffers *b = tile->buffers;
  const gsize width = plan->width, held = tile->held.count;
  const gsize result_bytes = (gsize)tile->rows.count * plan->region.width * 4;

  if (!reserve_tables(self, b, error) || !reserve_mask(self, tile, error) ||
      (plan->source_is_image && !reserve_image(b, self->context, width, held, error)) ||
      ((!plan->source_is_image || ms_plan_fills_image(plan)) &&
       !reserve(&b->source, self->context, width * held * 4, error)) ||
      !reserve(&b->result, self->context, result_bytes, error) ||
      (plan->has_modes && !reserve(&b->modes, self->context, result_bytes, error)))
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

/** ms_level_open: builds the program unless it was built before, and creates each pass's kernel. */
gboolean
ms_level_open(MsLevel *self, GError **error)
{
  const MsSpace space = self->plan->settings.params.space;
  MsProgram *program = ms_context_build(self->context, self->plan->program, self->job->log, error);

  if (space != MS_SPACE_RGB)
    self->tables = ms_space_tables_of(space, self->job->source);
  for (guint i = 0; program && i < self->plan->n_passes; i++) {
    self->kernels[i] = ms_program_create_kernel(program, self->plan->passes[i].function, error);
    if (!self->kernels[i])
      return FALSE;
  }
  return program != NULL;
}

/** ms_level_close: releases the kernels that were created. */
void
ms_level_close(MsLevel *self)
{
  for (guint i = 0; i < MS_PLAN_MAX_PASSES; i++)
    g_clear_pointer(&self->kernels[i], clReleaseKernel);
  g_clear_pointer(&self->tables, g_bytes_unref);
}

static gboolean
set_args(const MsLevel *self, const MsTile *tile, MsRows rows, const MsPass *pass, cl_kernel kernel, GError **error)
{
  const MsPlan *plan = self->plan;
  const MsFilterBuffers *b = tile->buffers;
  const MsFilterNumbers numbers = ms_params_numbers(&plan->settings.params);
  const cl_int4 image = {{plan->width, plan->height, tile->held.first, tile->held.count}};
  const cl_int4 region = {{plan->region.x, tile->rows.first, plan->region.width, tile->rows.count}};
  const cl_int4 band = {{plan->region.x, rows.first, plan->region.width, rows.count}};
  const cl_int no_data = plan->no_data;
  const cl_int4 filter = {{plan->radius, numbers.isr2, numbers.max_iterations, numbers.epsilon}};
  const MsKernelArg values[] = {
    [MS_ARG_SOURCE] = {sizeof(cl_mem), plan->source_is_image ? &b->image : &b->source.mem},
    [MS_ARG_PIXELS] = MS_ARG_OF(b->source.mem),
    [MS_ARG_RESULT] = MS_ARG_OF(b->result.mem),
    [MS_ARG_IMAGE] = MS_ARG_OF(image),
    [MS_ARG_MARGIN] = MS_ARG_OF(plan->margin),
    [MS_ARG_PITCH] = MS_ARG_OF(plan->pitch),
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
launch_pass(const MsLevel *self, const MsTile *tile, MsRows band, guint number, GError **error)
{
  const MsPass *pass = &self->plan->passes[number];
  gsize width = self->plan->region.width, height = band.count;
  MsLaunch launch = {self->kernels[number],
                     pass->function,
                     {.dimensions = 2, .local = {pass->local[0], pass->local[1]}},
                     (guint64)width * height * 8};

  if (pass->grid != MS_GRID_BAND) {
    width = self->plan->width + 2 * (gsize)pass->pad_x;
    height = tile->held.count + 2 * (gsize)pass->pad_y;
  }
  launch.range.global[0] = global_size(width, pass->item_width, pass->local[0]);
  launch.range.global[1] = global_size(height, pass->item_height, pass->local[1]);
  return set_args(self, tile, band, pass, launch.kernel, error) &&
         ms_context_launch(self->context, &launch, self->job->log, error);
}

/* Enqueues the passes of that grid. */
static gboolean
launch_passes(const MsLevel *self, const MsTile *tile, MsRows band, MsGrid grid, GError **error)
{
  for (guint i = 0; i < self->plan->n_passes; i++)
    if (self->plan->passes[i].grid == grid && !launch_pass(self, tile, band, i, error))
      return FALSE;
  return TRUE;
}

/* Fills the image object with the pixels of the buffer. */
static gboolean
fill_image(const MsLevel *self, const MsTile *tile, GError **error)
{
  const gsize origin[3] = {0}, extent[3] = {self->plan->width, tile->held.count, 1};

  return ms_cl_check(clEnqueueCopyBufferToImage(self->context->queue, tile->buffers->source.mem, tile->buffers->image,
                                                0, origin, extent, 0, NULL, NULL),
                     error, "filling an image object");
}

/** ms_level_prepare_source: enqueues what changes the source before anything else reads it; does not wait. */
gboolean
ms_level_prepare_source(const MsLevel *self, const MsTile *tile, GError **error)
{
  return launch_passes(self, tile, tile->rows, MS_GRID_SOURCE, error) &&
         (!ms_plan_fills_image(self->plan) || fill_image(self, tile, error));
}

/** ms_level_upload: the rows of the source that the tile needs. */
gboolean
ms_level_upload(const MsLevel *self, const MsTile *tile, GError **error)
{
  gsize width = self->plan->width, rows = tile->held.count;
  const guint8 *from = ms_image_get_pixels(self->job->source) + tile->held.first * width * 4;

  if (self->plan->source_is_image && !ms_plan_fills_image(self->plan))
    return ms_context_upload_image(self->context, &(MsTexels){tile->buffers->image, width, rows}, from, self->job->log,
                                   error);
  return ms_context_upload(self->context, &(MsBufferRange){tile->buffers->source.mem, 0, rows * width * 4}, from,
                           self->job->log, error);
}

static gboolean
download_rows(const MsLevel *self, const MsTile *tile, MsRows rows, GError **error)
{
  gsize stride = (gsize)self->plan->region.width * 4, from = (gsize)(rows.first - tile->rows.first) * stride;

  return ms_context_download(self->context, &(MsBufferRange){tile->buffers->result.mem, from, rows.count * stride},
                             tile->pixels + from, self->job->log, error);
}

/** ms_job_stays: whether the device is to keep the result of @plan, which it holds as a whole. */
gboolean
ms_job_stays(const MsJob *job, const MsPlan *plan)
{
  return job->may_stay && job->wants_modes && !plan->in_tiles && plan->tile_rows == plan->height;
}

/* Downloads the tile, unless it stays or was told band by band, and its modes where these are wanted. */
static gboolean
download_tile(const MsLevel *self, const MsTile *tile, GError **error)
{
  const MsRegion *region = &self->plan->region;
  const gsize width = region->width, bytes = tile->rows.count * width * 4;
  guint16 *modes = ms_job_get_modes(self->job);

  if (ms_job_stays(self->job, self->plan))
    return TRUE;
  return (self->job->rows || download_rows(self, tile, tile->rows, error)) &&
         (!modes ||
          ms_context_download(self->context, &(MsBufferRange){tile->buffers->modes.mem, 0, bytes},
                              modes + (gsize)(tile->rows.first - region->y) * width * 2, self->job->log, error));
}

/* Fills the scratch buffers with zeros where the plan requires it. */
static gboolean
clear_scratch(const MsLevel *self, const MsTile *tile, GError **error)
{
  const cl_uint zero = 0;

  for (guint i = 0; i < self->plan->n_scratch; i++) {
    const MsDeviceBuffer *buffer = &tile->buffers->scratch[i];
    gsize bytes = buffer->bytes / sizeof zero * sizeof zero;
    if (self->plan->scratch[i].cleared && !ms_cl_check(clEnqueueFillBuffer(self->context->queue, buffer->mem, &zero,
                                                                           sizeof zero, 0, bytes, 0, NULL, NULL),
                                                       error, "clearing a scratch buffer"))
      return FALSE;
  }
  return TRUE;
}

static gboolean
enqueue_band(const MsLevel *self, const MsTile *tile, MsRows band, GError **error)
{
  return clear_scratch(self, tile, error) && launch_passes(self, tile, band, MS_GRID_BAND, error);
}

/* Computes a band, and tells the caller of its rows. */
static gboolean
run_band(const MsLevel *self, const MsTile *tile, MsRows band, GError **error)
{
  const MsJob *job = self->job;

  if (g_cancellable_set_error_if_cancelled(job->cancellable, error) || !enqueue_band(self, tile, band, error) ||
      !ms_context_finish(self->context, error))
    return FALSE;
  if (!self->tiles)
    return TRUE;
  if (job->rows) {
    if (!download_rows(self, tile, band, error))
      return FALSE;
    job->rows(self->tiles->pixels, band.first + band.count - self->plan->region.y, job->rows_data);
  }
  ms_tiles_count(self->tiles, self->device, band.count);
  return TRUE;
}

/* Enqueues the passes of the tile and calls @work for each of its bands. */
static gboolean
for_each_band(const MsLevel *self, const MsTile *tile,
              gboolean (*work)(const MsLevel *, const MsTile *, MsRows, GError **), GError **error)
{
  if (!launch_passes(self, tile, tile->rows, MS_GRID_TILE, error))
    return FALSE;
  for (int done = 0; done < tile->rows.count; done += self->plan->band_rows)
    if (!work(self, tile, ms_bands_next(tile->rows, done, self->plan->band_rows), error))
      return FALSE;
  return TRUE;
}

/** ms_level_enqueue_bands: what ms_level_run_bands() launches, without waiting or progress. */
gboolean
ms_level_enqueue_bands(const MsLevel *self, const MsTile *tile, GError **error)
{
  return for_each_band(self, tile, enqueue_band, error);
}

/**
 * ms_level_run_bands: computes the tile band by band; its source must be prepared on the device. The caller holds the
 * lock of the device's kernels.
 */
gboolean
ms_level_run_bands(const MsLevel *self, const MsTile *tile, GError **error)
{
  return for_each_band(self, tile, run_band, error);
}

/* Uploads, computes and downloads the tile. */
static gboolean
compute_tile(const MsLevel *self, const MsTile *tile, GError **error)
{
  const gint64 start = g_get_monotonic_time();

  if (!ms_level_reserve(self, tile, error) || !ms_level_upload(self, tile, error))
    return FALSE;
  ms_context_lock_kernels(self->context);
  gboolean good = ms_level_prepare_source(self, tile, error) &&
                  (!self->start_tile || self->start_tile(self, tile, self->start_data, error)) &&
                  ms_level_run_bands(self, tile, error);
  ms_context_unlock_kernels(self->context);
  if (!good || !download_tile(self, tile, error))
    return FALSE;
  if (self->job->log)
    ms_timing_log_add_filter_span(self->job->log, start);
  return TRUE;
}

static gboolean
run_tile(const MsLevel *self, MsTile *tile, GError **error)
{
  const MsPlan *plan = self->plan;

  /* All rows influence the levels above that are made on the device. */
  tile->held =
    ms_bands_with_halo(tile->rows, plan->coarser && !plan->in_tiles ? plan->height : plan->halo, plan->height);
  if (!ms_tiles_prepare(self->tiles, tile->rows, tile->held, &tile->pixels, error))
    return FALSE;
  if (compute_tile(self, tile, error))
    return ms_tiles_finish(self->tiles, tile->rows, tile->pixels, error);
  ms_tiles_return(self->tiles, self->device, tile->rows, tile->pixels);
  return FALSE;
}

/** ms_level_run_one_by_one: computes the tiles that the device gets from the list, in @buffers. */
gboolean
ms_level_run_one_by_one(const MsLevel *self, MsFilterBuffers *buffers, GError **error)
{
  const int most = ms_tiles_even_rows(self->tiles, self->plan->tile_rows, self->plan->halo);
  MsTile tile = {.buffers = buffers};
  gboolean good = TRUE;

  while (good && ms_tiles_take(self->tiles, self->device, most, &tile.rows))
    good = run_tile(self, &tile, error);
  return good;
}
