/* SPDX-License-Identifier: MIT */
/*
 * Pyramid levels on a device, as in cv::pyrMeanShiftFiltering(): the picture is halved level by level, the topmost
 * level is filtered, and each level below is filtered where the result of the one above has edges. Levels that fit on
 * the device together stay there; otherwise a level is filtered in tiles, with the one above in the host's memory.
 */
#include "core/filter/mean-shift-private.h"
#include "core/opencl/transfers.h"

/* Work-items of a row; neighbours in a row share what they load. */
#define GROUP_WIDTH 64

/* Rows on each side that halving reads beyond twice the rows that it makes. */
#define HALVING_HALO 4

typedef enum {
  STEP_HALVE,
  STEP_ENLARGE,
  STEP_MODES,
  STEP_EDGES,
  STEP_MARK,
  N_STEPS,
} Step;

/* n_pixels: of a row, that a work-item computes */
static const struct {
  const char *function;
  guint n_args;
  gsize n_pixels;
} steps[N_STEPS] = {
  [STEP_HALVE] = {"halve_level", 4, 4}, [STEP_ENLARGE] = {"enlarge_level", 6, 4}, [STEP_MODES] = {"place_modes", 5, 1},
  [STEP_EDGES] = {"mark_edges", 4, 4},  [STEP_MARK] = {"mark_level", 4, 8},
};

/* The kernels between two levels; log: (nullable) */
typedef struct {
  MsContext *context;
  MsTimingLog *log;
  cl_kernel kernels[N_STEPS];
} Steps;

/*
 * Rows of a level on the device; modes: NULL for a plan without modes; rows: width and height of the level, the first
 * row that the buffers hold, and how many they hold.
 */
typedef struct {
  cl_mem pixels;
  cl_mem modes;
  cl_int4 rows;
} Pixels;

/* Builds the program unless it was built before. */
static gboolean
create_step_kernels(Steps *self, GError **error)
{
  g_autoptr(MsProgramSpec) spec = ms_program_spec_new();
  MsProgram *program;

  ms_program_spec_add_part(spec, "levels/halve.cl");
  ms_program_spec_add_part(spec, "levels/enlarge.cl");
  program = ms_context_build(self->context, spec, self->log, error);
  for (guint i = 0; program && i < N_STEPS; i++) {
    self->kernels[i] = ms_program_create_kernel(program, steps[i].function, error);
    if (!self->kernels[i])
      return FALSE;
  }
  return program != NULL;
}

static void
release_step_kernels(Steps *self)
{
  for (guint i = 0; i < N_STEPS; i++)
    g_clear_pointer(&self->kernels[i], clReleaseKernel);
}

static gboolean
launch_level_step(const Steps *self, Step step, const MsKernelArg *args, MsPyramidSize size, GError **error)
{
  const gsize width = GROUP_WIDTH * steps[step].n_pixels, groups = ((gsize)size.width + width - 1) / width;
  const MsNDRange range = {.dimensions = 2, .global = {groups * GROUP_WIDTH, size.height}, .local = {GROUP_WIDTH, 1}};
  const MsLaunch about = {self->kernels[step], steps[step].function, range, (guint64)size.width * size.height * 8};

  return ms_kernel_set_args(about.kernel, about.name, args, steps[step].n_args, error) &&
         ms_context_launch(self->context, &about, self->log, error);
}

static MsPyramidSize
size_of(cl_int4 rows)
{
  return (MsPyramidSize){rows.s[0], rows.s[3]};
}

/* Enqueues what computes the rows of @coarse from those of @fine. */
static gboolean
halve(const Steps *self, const Pixels *fine, const Pixels *coarse, GError **error)
{
  const MsKernelArg arguments[] = {MS_ARG_OF(fine->pixels), MS_ARG_OF(coarse->pixels), MS_ARG_OF(fine->rows),
                                   MS_ARG_OF(coarse->rows)};

  return launch_level_step(self, STEP_HALVE, arguments, size_of(coarse->rows), error);
}

/*
 * Enqueues what fills the result, the modes and the mask of a tile whose source is on the device, before its own
 * passes. @coarser is the result of the level above: at least the rows of ms_bands_coarser() for those that @fine
 * holds. Result and modes are those that pixels keep where they are not filtered again.
 */
static gboolean
start_level(const Steps *self, const Pixels *coarser, const MsFilterRun *fine, GError **error)
{
  const MsPlanRequest *q = &fine->plan->request;
  const MsFilterBuffers *b = fine->buffers;
  const MsPyramidSize size = {q->region.width, fine->tile.count};
  const cl_int4 to = {{q->width, q->height, fine->held.first, fine->held.count}};
  const cl_int4 region = {{q->region.x, fine->tile.first, q->region.width, fine->tile.count}};
  const cl_int edge = ms_pyramid_edge(&fine->plan->settings.params);
  const MsKernelArg pixels[] = {MS_ARG_OF(coarser->pixels), MS_ARG_OF(b->source.mem),
                                MS_ARG_OF(b->result.mem),   MS_ARG_OF(to),
                                MS_ARG_OF(coarser->rows),   MS_ARG_OF(region)};
  const MsKernelArg modes[] = {MS_ARG_OF(coarser->modes), MS_ARG_OF(b->modes.mem), MS_ARG_OF(to),
                               MS_ARG_OF(coarser->rows), MS_ARG_OF(region)};
  const MsKernelArg edges[] = {MS_ARG_OF(coarser->pixels), MS_ARG_OF(b->edges.mem), MS_ARG_OF(coarser->rows),
                               MS_ARG_OF(edge)};
  const MsKernelArg mask[] = {MS_ARG_OF(b->edges.mem), MS_ARG_OF(b->mask.mem), MS_ARG_OF(to), MS_ARG_OF(coarser->rows)};

  return launch_level_step(self, STEP_ENLARGE, pixels, size, error) &&
         (!q->modes || launch_level_step(self, STEP_MODES, modes, size, error)) &&
         launch_level_step(self, STEP_EDGES, edges, size_of(coarser->rows), error) &&
         launch_level_step(self, STEP_MARK, mask, size_of(to), error);
}

/* All levels on the device: their runs, from the picture on. */
typedef struct {
  Steps steps;
  guint n;
  MsFilterRun levels[MS_LEVELS_MAX + 1];
} Whole;

static gboolean
prepare_levels(Whole *self, MsFilterLevels *buffers, const MsFilterRun *run, GError **error)
{
  for (const MsPlan *plan = run->plan; plan; plan = plan->coarser) {
    MsFilterRun *level = &self->levels[self->n++];
    *level = *run;
    level->plan = plan;
    level->tile = level->band = (MsRows){plan->request.region.y, plan->request.region.height};
    level->held = (MsRows){0, plan->request.height};
    if (plan != run->plan) {
      level->buffers = &buffers->above[self->n - 2];
      level->is_picture = FALSE;
    }
  }
  if (!create_step_kernels(&self->steps, error))
    return FALSE;
  for (guint i = 0; i < self->n; i++)
    if (!ms_filter_run_reserve(&self->levels[i], error) || !ms_filter_run_create_kernels(&self->levels[i], error))
      return FALSE;
  return TRUE;
}

/* The whole of a level, whose pixels are its source or its result. */
static Pixels
pixels_of(const MsFilterRun *level, const MsDeviceBuffer *pixels)
{
  const MsPlanRequest *q = &level->plan->request;

  return (Pixels){pixels->mem, level->buffers->modes.mem, {{q->width, q->height, 0, q->height}}};
}

/* Halves the picture up to the coarsest level, then filters from there back to the picture. */
static gboolean
run_kernels(Whole *self, GError **error)
{
  if (!ms_filter_run_launch(&self->levels[0], MS_GRID_SOURCE, error))
    return FALSE;
  for (guint i = 0; i + 1 < self->n; i++) {
    const Pixels from = pixels_of(&self->levels[i], &self->levels[i].buffers->source);
    const Pixels to = pixels_of(&self->levels[i + 1], &self->levels[i + 1].buffers->source);
    if (!halve(&self->steps, &from, &to, error))
      return FALSE;
  }
  for (guint i = self->n; i-- > 0;) {
    if (i + 1 < self->n) {
      const Pixels coarser = pixels_of(&self->levels[i + 1], &self->levels[i + 1].buffers->result);
      if (!start_level(&self->steps, &coarser, &self->levels[i], error))
        return FALSE;
    }
    if (!ms_filter_run_bands(&self->levels[i], error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
run_and_transfer(Whole *self, GError **error)
{
  const MsFilterRun *picture = &self->levels[0];
  gint64 begin = g_get_monotonic_time();

  if (!ms_filter_run_upload(picture, error))
    return FALSE;
  ms_context_lock_kernels(picture->context);
  gboolean good = run_kernels(self, error);
  ms_context_unlock_kernels(picture->context);
  if (!good || !ms_filter_run_download(picture, error))
    return FALSE;
  if (picture->log)
    ms_timing_log_add_filter_span(picture->log, begin);
  return TRUE;
}

static gboolean
run_whole(MsFilterLevels *self, const MsFilterRun *run, GError **error)
{
  MsRows all;
  Whole levels = {.steps = {.context = run->context, .log = run->log}};
  gboolean good = prepare_levels(&levels, self, run, error);

  while (good && ms_tiles_take(run->tiles, run->device, run->plan->request.region.height, &all))
    good = ms_tiles_prepare(run->tiles, all, all, &levels.levels[0].pixels, error) && run_and_transfer(&levels, error);

  for (guint i = 0; i < levels.n; i++)
    ms_filter_run_release_kernels(&levels.levels[i]);
  release_step_kernels(&levels.steps);
  return good;
}

/*
 * A level in tiles.
 * @size: of the level above, whose arrays in the host's memory follow: the halved picture, its result and its modes
 * @coarser_pixels: @result, or that which is known already
 * @device: rows of the result above, or of the halved picture, and of the modes
 */
typedef struct {
  MsFilterRun run;
  Steps steps;
  MsPyramidSize size;
  guint8 *halved;
  guint8 *result;
  guint16 *modes;
  const guint8 *coarser_pixels;
  Pixels device;
} Tiles;

static gsize
row_bytes(const Tiles *self)
{
  return (gsize)self->size.width * 4;
}

static gboolean
allocate(Tiles *self, GError **error)
{
  const gsize bytes = row_bytes(self) * self->size.height;

  self->halved = g_try_malloc(bytes);
  self->result = self->halved ? g_try_malloc(bytes) : NULL;
  self->modes = self->result && self->run.modes ? g_try_malloc(bytes) : NULL;
  self->coarser_pixels = self->result;
  if (self->result && (self->modes || !self->run.modes))
    return TRUE;
  ms_set_error(error, MS_ERROR_MEMORY, "There is not enough memory for a level of %dx%d pixels.", self->size.width,
               self->size.height);
  return FALSE;
}

static void
release(Tiles *self)
{
  release_step_kernels(&self->steps);
  ms_filter_run_release_kernels(&self->run);
  g_clear_pointer(&self->device.pixels, clReleaseMemObject);
  g_clear_pointer(&self->device.modes, clReleaseMemObject);
  g_free(self->halved);
  g_free(self->result);
  g_free(self->modes);
}

/* Memory of the device for the rows above that one tile needs. */
static gboolean
allocate_on_device(Tiles *self, GError **error)
{
  const MsPlan *plan = self->run.plan;
  const int held = MIN(plan->request.height, plan->tile_rows + 2 * plan->halo);
  const gsize bytes = row_bytes(self) * ms_bands_coarser_most(held, self->size.height);

  self->device.pixels = ms_context_create_buffer(self->run.context, CL_MEM_READ_WRITE, bytes, NULL, error);
  if (self->device.pixels && self->run.modes)
    self->device.modes = ms_context_create_buffer(self->run.context, CL_MEM_READ_ONLY, bytes, NULL, error);
  return self->device.pixels && (self->device.modes || !self->run.modes);
}

static void
set_rows(Tiles *self, MsRows rows)
{
  self->device.rows = (cl_int4){{self->size.width, self->size.height, rows.first, rows.count}};
}

/* Enqueues the kernels that make rows of the level above from the rows of the picture that are held. */
static gboolean
launch_halving(Tiles *self, GError **error)
{
  const MsFilterRun *run = &self->run;
  const MsPlanRequest *q = &run->plan->request;
  const Pixels fine = {run->buffers->source.mem, NULL, {{q->width, q->height, run->held.first, run->held.count}}};

  ms_context_lock_kernels(run->context);
  gboolean good = ms_filter_run_launch(run, MS_GRID_SOURCE, error) && halve(&self->steps, &fine, &self->device, error);
  ms_context_unlock_kernels(run->context);
  return good;
}

static gboolean
halve_rows(Tiles *self, MsRows rows, GError **error)
{
  MsFilterRun *run = &self->run;
  const gsize stride = row_bytes(self);

  run->held = ms_bands_with_halo((MsRows){2 * rows.first, 2 * rows.count}, HALVING_HALO, run->plan->request.height);
  run->tile.count = 1;
  set_rows(self, rows);
  return !g_cancellable_set_error_if_cancelled(run->job->cancellable, error) && ms_filter_run_reserve(run, error) &&
         ms_filter_run_upload(run, error) && launch_halving(self, error) &&
         ms_context_download(run->context, &(MsBufferRange){self->device.pixels, 0, rows.count * stride},
                             self->halved + rows.first * stride, run->log, error);
}

static gboolean
halve_in_tiles(Tiles *self, GError **error)
{
  const int most = MAX(1, self->run.plan->tile_rows / 2);
  gboolean good = ms_filter_run_create_kernels(&self->run, error);
  g_auto(MsTiles) list = {0};
  MsRows rows;

  ms_tiles_init(&list, (MsRows){0, self->size.height}, 1);
  while (good && ms_tiles_take(&list, 0, most, &rows))
    good = halve_rows(self, rows, error);
  ms_filter_run_release_kernels(&self->run);
  return good;
}

/* Computes the level above from the halved picture, with memory of the device that it releases. */
static gboolean
run_coarser(Tiles *self, GError **error)
{
  MsFilterBuffers buffers = {0};
  MsFilterLevels levels = {0};
  MsFilterRun above = self->run;
  g_auto(MsTiles) list = {0};
  gboolean good;

  ms_tiles_init(&list, (MsRows){0, self->size.height}, 1);
  above.tiles = &list;
  above.device = 0;
  above.plan = self->run.plan->coarser;
  above.buffers = &buffers;
  above.source = self->halved;
  list.pixels = self->result;
  list.row_bytes = row_bytes(self);
  above.modes = self->modes;
  above.is_picture = FALSE;
  ms_filter_buffers_release(self->run.buffers);
  good = above.plan->coarser ? ms_filter_levels_run(&levels, &above, error) : ms_filter_run(&above, NULL, error);
  ms_filter_buffers_release(&buffers);
  ms_filter_levels_release(&levels);
  return good;
}

/* Before the passes of each tile: its rows of the level above, and what follows from them. */
static gboolean
start_tile(const MsFilterRun *tile, gpointer data, GError **error)
{
  Tiles *self = data;
  const MsRows rows = ms_bands_coarser(tile->held, self->size.height);
  const gsize bytes = rows.count * row_bytes(self), from = rows.first * row_bytes(self);

  set_rows(self, rows);
  return ms_context_upload(tile->context, &(MsBufferRange){self->device.pixels, 0, bytes}, self->coarser_pixels + from,
                           tile->log, error) &&
         (!self->modes || ms_context_upload(tile->context, &(MsBufferRange){self->device.modes, 0, bytes},
                                            self->modes + from / 2, tile->log, error)) &&
         start_level(&self->steps, &self->device, tile, error);
}

/* Has no more than a tile of the level and of the one above on the device. */
static gboolean
run_in_tiles(const MsFilterRun *run, GError **error)
{
  const MsPlanRequest *above = &run->plan->coarser->request;
  Tiles self = {.run = *run,
                .steps = {.context = run->context, .log = run->log},
                .size = {above->width, above->height},
                .coarser_pixels = run->coarser};
  gboolean good =
    allocate_on_device(&self, error) && create_step_kernels(&self.steps, error) &&
    (run->coarser || (allocate(&self, error) && halve_in_tiles(&self, error) && run_coarser(&self, error)));

  self.run.start_tile = start_tile;
  self.run.start_data = &self;
  good = good && ms_filter_run(&self.run, NULL, error);
  release(&self);
  return good;
}

/**
 * ms_filter_levels_run: computes all of the plan's region into the pixels of @run. Levels above the picture are
 * computed whole, whatever the region. A level that the plan cuts into tiles gets the one above from the host's
 * memory.
 */
gboolean
ms_filter_levels_run(MsFilterLevels *self, const MsFilterRun *run, GError **error)
{
  if (!run->plan->in_tiles)
    return run_whole(self, run, error);
  ms_filter_levels_release(self);
  return run_in_tiles(run, error);
}

/** ms_filter_levels_release: frees the memory; the structure can be used again. */
void
ms_filter_levels_release(MsFilterLevels *self)
{
  for (guint i = 0; i < MS_LEVELS_MAX; i++)
    ms_filter_buffers_release(&self->above[i]);
}
