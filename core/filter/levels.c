/* SPDX-License-Identifier: MIT */
/*
 * Pyramid levels on a device, as in cv::pyrMeanShiftFiltering(): the picture is halved level by level, the topmost
 * level is filtered, and each level below is filtered where the result of the one above has edges. Levels that fit on
 * the device together stay there; otherwise a level is filtered in tiles, with the one above in the host's memory.
 */
#include "core/filter/lane-private.h"
#include "core/opencl/transfers.h"

/* Work-items of a row; neighbours in a row share what they load. */
#define GROUP_WIDTH 64

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
 * passes. @coarser is the result of the level above: at least the rows of ms_bands_coarser() for those that the tile
 * holds. Result and modes are those that pixels keep where they are not filtered again.
 */
static gboolean
start_level(const Steps *self, const Pixels *coarser, const MsPlan *plan, const MsTile *fine, GError **error)
{
  const MsFilterBuffers *b = fine->buffers;
  const MsPyramidSize size = {plan->region.width, fine->rows.count};
  const cl_int4 to = {{plan->width, plan->height, fine->held.first, fine->held.count}};
  const cl_int4 region = {{plan->region.x, fine->rows.first, plan->region.width, fine->rows.count}};
  const cl_int edge = ms_pyramid_edge(&plan->settings.params);
  const MsKernelArg pixels[] = {MS_ARG_OF(coarser->pixels), MS_ARG_OF(b->source.mem),
                                MS_ARG_OF(b->result.mem),   MS_ARG_OF(to),
                                MS_ARG_OF(coarser->rows),   MS_ARG_OF(region)};
  const MsKernelArg modes[] = {MS_ARG_OF(coarser->modes), MS_ARG_OF(b->modes.mem), MS_ARG_OF(to),
                               MS_ARG_OF(coarser->rows), MS_ARG_OF(region)};
  const MsKernelArg edges[] = {MS_ARG_OF(coarser->pixels), MS_ARG_OF(b->edges.mem), MS_ARG_OF(coarser->rows),
                               MS_ARG_OF(edge)};
  const MsKernelArg mask[] = {MS_ARG_OF(b->edges.mem), MS_ARG_OF(b->mask.mem), MS_ARG_OF(to), MS_ARG_OF(coarser->rows)};

  return launch_level_step(self, STEP_ENLARGE, pixels, size, error) &&
         (!plan->has_modes || launch_level_step(self, STEP_MODES, modes, size, error)) &&
         launch_level_step(self, STEP_EDGES, edges, size_of(coarser->rows), error) &&
         launch_level_step(self, STEP_MARK, mask, size_of(to), error);
}

/* All levels on the device, from the picture on, each as one tile. */
typedef struct {
  Steps steps;
  guint n;
  MsLevel levels[MS_LEVELS_MAX + 1];
  MsTile tiles[MS_LEVELS_MAX + 1];
} Whole;

static gboolean
prepare_levels(Whole *self, MsLane *lane, const MsLevel *picture, GError **error)
{
  if (!create_step_kernels(&self->steps, error))
    return FALSE;
  for (const MsPlan *plan = picture->plan; plan; plan = plan->coarser) {
    const guint i = self->n++;
    self->levels[i] = *picture;
    self->levels[i].plan = plan;
    if (i > 0) {
      self->levels[i].tiles = NULL;
      self->tiles[i] = (MsTile){{0, plan->height}, {0, plan->height}, NULL, &lane->above[i - 1]};
    }
    if (!ms_level_open(&self->levels[i], error) ||
        (i > 0 && !ms_level_reserve(&self->levels[i], &self->tiles[i], error)))
      return FALSE;
  }
  return TRUE;
}

/* The whole of a level, whose pixels are its source or its result. */
static Pixels
pixels_of(const Whole *self, guint level, gboolean is_result)
{
  const MsPlan *plan = self->levels[level].plan;
  const MsFilterBuffers *b = self->tiles[level].buffers;

  return (Pixels){
    is_result ? b->result.mem : b->source.mem, b->modes.mem, {{plan->width, plan->height, 0, plan->height}}};
}

/* Before the passes of the picture: halves it up to the coarsest level, and filters from there to the one above it. */
static gboolean
start_picture(const MsLevel *picture, const MsTile *tile, gpointer data, GError **error)
{
  Whole *self = data;

  self->tiles[0] = *tile;
  for (guint i = 0; i + 1 < self->n; i++) {
    const Pixels from = pixels_of(self, i, FALSE), to = pixels_of(self, i + 1, FALSE);
    if (!halve(&self->steps, &from, &to, error))
      return FALSE;
  }
  for (guint i = self->n - 1; i > 0; i--) {
    if (!ms_level_run_bands(&self->levels[i], &self->tiles[i], error))
      return FALSE;
    const Pixels coarser = pixels_of(self, i, TRUE);
    if (!start_level(&self->steps, &coarser, self->levels[i - 1].plan, &self->tiles[i - 1], error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
run_whole(MsLane *lane, const MsLevel *picture, GError **error)
{
  Whole self = {.steps = {.context = lane->context, .log = picture->job->log}};
  gboolean good = prepare_levels(&self, lane, picture, error);

  self.levels[0].start_tile = start_picture;
  self.levels[0].start_data = &self;
  good = good && ms_level_run_one_by_one(&self.levels[0], &lane->slots[0], error);
  for (guint i = 0; i < self.n; i++)
    ms_level_close(&self.levels[i]);
  release_step_kernels(&self.steps);
  return good;
}

/*
 * A level in tiles.
 * @size: of the level above
 * @halved, @result, @modes: (nullable): that level in the host's memory: the picture, its result and its modes
 * @coarser_pixels: of @result, or that which is known already
 * @device: rows of the result above, or of the halved picture, and of the modes
 */
typedef struct {
  MsLevel level;
  Steps steps;
  MsPyramidSize size;
  MsImage *halved;
  guint8 *result;
  guint16 *modes;
  const guint8 *coarser_pixels;
  Pixels device;
} InTiles;

static gsize
row_bytes(const InTiles *self)
{
  return (gsize)self->size.width * 4;
}

static gboolean
allocate_above(InTiles *self, GError **error)
{
  const gboolean has_modes = self->level.plan->has_modes;
  const gsize bytes = row_bytes(self) * self->size.height;
  guint8 *halved = g_try_malloc(bytes);

  self->halved = halved ? ms_image_new_take(self->size.width, self->size.height, halved, NULL) : NULL;
  self->result = self->halved ? g_try_malloc(bytes) : NULL;
  self->modes = self->result && has_modes ? g_try_malloc(bytes) : NULL;
  self->coarser_pixels = self->result;
  if (self->result && (self->modes || !has_modes))
    return TRUE;
  ms_set_error(error, MS_ERROR_MEMORY, "There is not enough memory for a level of %dx%d pixels.", self->size.width,
               self->size.height);
  return FALSE;
}

static void
release_in_tiles(InTiles *self)
{
  release_step_kernels(&self->steps);
  ms_level_close(&self->level);
  g_clear_pointer(&self->device.pixels, clReleaseMemObject);
  g_clear_pointer(&self->device.modes, clReleaseMemObject);
  g_clear_object(&self->halved);
  g_free(self->result);
  g_free(self->modes);
}

/* Memory of the device for the rows above that one tile needs. */
static gboolean
allocate_on_device(InTiles *self, GError **error)
{
  const MsPlan *plan = self->level.plan;
  MsContext *context = self->level.context;
  const int held = MIN(plan->height, plan->tile_rows + 2 * plan->halo);
  const gsize bytes = row_bytes(self) * ms_bands_coarser_most(held, self->size.height);

  self->device.pixels = ms_context_create_buffer(context, CL_MEM_READ_WRITE, bytes, NULL, error);
  if (self->device.pixels && plan->has_modes)
    self->device.modes = ms_context_create_buffer(context, CL_MEM_READ_ONLY, bytes, NULL, error);
  return self->device.pixels && (self->device.modes || !plan->has_modes);
}

static void
set_rows(InTiles *self, MsRows rows)
{
  self->device.rows = (cl_int4){{self->size.width, self->size.height, rows.first, rows.count}};
}

/* Enqueues the kernels that make rows of the level above from the rows of the picture that are held. */
static gboolean
launch_halving(InTiles *self, const MsTile *tile, GError **error)
{
  const MsPlan *plan = self->level.plan;
  const Pixels fine = {
    tile->buffers->source.mem, NULL, {{plan->width, plan->height, tile->held.first, tile->held.count}}};

  ms_context_lock_kernels(self->level.context);
  gboolean good =
    ms_level_prepare_source(&self->level, tile, error) && halve(&self->steps, &fine, &self->device, error);
  ms_context_unlock_kernels(self->level.context);
  return good;
}

static gboolean
halve_rows(InTiles *self, MsFilterBuffers *buffers, MsRows rows, GError **error)
{
  const MsLevel *level = &self->level;
  const MsRows held = ms_bands_finer(rows, level->plan->height);
  const MsTile tile = {{held.first, 1}, held, NULL, buffers};
  const gsize stride = row_bytes(self);

  set_rows(self, rows);
  return !g_cancellable_set_error_if_cancelled(level->job->cancellable, error) &&
         ms_level_reserve(level, &tile, error) && ms_level_upload(level, &tile, error) &&
         launch_halving(self, &tile, error) &&
         ms_context_download(level->context, &(MsBufferRange){self->device.pixels, 0, rows.count * stride},
                             (guint8 *)ms_image_get_pixels(self->halved) + rows.first * stride, level->job->log, error);
}

static gboolean
halve_in_tiles(InTiles *self, MsFilterBuffers *buffers, GError **error)
{
  const int most = MAX(1, self->level.plan->tile_rows / 2);
  gboolean good = TRUE;
  g_auto(MsTiles) list = {0};
  MsRows rows;

  ms_tiles_init(&list, (MsRows){0, self->size.height}, 1);
  while (good && ms_tiles_take(&list, 0, most, &rows))
    good = halve_rows(self, buffers, rows, error);
  return good;
}

/* Computes the level above as a picture of its own, with memory of the device that it releases. */
static gboolean
run_coarser(InTiles *self, GError **error)
{
  const MsJob *job = self->level.job;
  const MsPlan *plan = self->level.plan->coarser;
  const MsJob above = {.source = self->halved,
                       .settings = &plan->settings,
                       .wants_modes = job->wants_modes,
                       .into = self->result,
                       .modes_into = self->modes,
                       .log = job->log,
                       .cancellable = job->cancellable};
  MsLane lane = {.context = self->level.context};
  g_auto(MsTiles) list = {0};

  ms_tiles_init(&list, (MsRows){0, self->size.height}, 1);
  ms_tiles_serve(&list, &above, self->size.width, self->result);
  const gboolean good = ms_lane_run(&lane, &above, plan, &list, 0, error);
  ms_lane_release(&lane);
  return good;
}

/* Before the passes of each tile: its rows of the level above, and what follows from them. */
static gboolean
start_tile(const MsLevel *level, const MsTile *tile, gpointer data, GError **error)
{
  InTiles *self = data;
  const MsRows rows = ms_bands_coarser(tile->held, self->size.height);
  const gsize bytes = rows.count * row_bytes(self), from = rows.first * row_bytes(self);

  set_rows(self, rows);
  return ms_context_upload(level->context, &(MsBufferRange){self->device.pixels, 0, bytes}, self->coarser_pixels + from,
                           level->job->log, error) &&
         (!self->modes || ms_context_upload(level->context, &(MsBufferRange){self->device.modes, 0, bytes},
                                            self->modes + from / 2, level->job->log, error)) &&
         start_level(&self->steps, &self->device, level->plan, tile, error);
}

/* Has no more than a tile of the level and of the one above on the device. */
static gboolean
run_in_tiles(MsLane *lane, const MsLevel *picture, GError **error)
{
  MsImage *known = picture->job->coarser;
  const MsPlan *above = picture->plan->coarser;
  MsFilterBuffers *buffers = &lane->slots[0];
  InTiles self = {.level = *picture,
                  .steps = {.context = lane->context, .log = picture->job->log},
                  .size = {above->width, above->height},
                  .coarser_pixels = known ? ms_image_get_pixels(known) : NULL};
  gboolean good =
    allocate_on_device(&self, error) && create_step_kernels(&self.steps, error) && ms_level_open(&self.level, error);

  if (good && !known) {
    good = allocate_above(&self, error) && halve_in_tiles(&self, buffers, error);
    ms_filter_buffers_release(buffers);
    good = good && run_coarser(&self, error);
  }
  self.level.start_tile = start_tile;
  self.level.start_data = &self;
  good = good && ms_level_run_one_by_one(&self.level, buffers, error);
  release_in_tiles(&self);
  return good;
}

/**
 * ms_levels_run: computes the region of @picture, whose plan has levels above it. Levels above the picture are
 * computed whole, whatever the region. A level that the plan cuts into tiles gets the one above from the host's memory.
 */
gboolean
ms_levels_run(MsLane *lane, const MsLevel *picture, GError **error)
{
  return picture->plan->in_tiles ? run_in_tiles(lane, picture, error) : run_whole(lane, picture, error);
}
