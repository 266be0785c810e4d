/* SPDX-License-Identifier: MIT */
#include "core/batch/streamed-result.h"

#include <string.h>

#include "core/filter/pyramid/pyramid.h"
#include "core/filter/reference.h"
#include "core/filter/space/space.h"
#include "core/image/common/pixel-memory.h"

/* The levels above the image: computed first, from one pass over its rows */

/*
 * @result: the engine's result of the level above the image
 * @expected: (nullable): that of the serial reference, for runs that verify
 */
typedef struct {
  MsImage *result;
  MsImage *expected;
} Levels;

/* The rows of a file that are halved; those of one in temporary files are read from there. */
typedef struct {
  const MsStreamedFile *file;
  MsStreamedRun *run;
  MsHalving *halving;
  guint8 *converted; /* one row in the colours that are filtered */
  GBytes *tables;    /* (nullable): for that */
} Pass;

/** ms_streamed_file_get_metadata: (transfer none) (nullable): whose profile the colours have, once known. */
MsMetadata *
ms_streamed_file_get_metadata(const MsStreamedFile *self)
{
  return self->image ? ms_image_get_metadata(self->image) : self->input->metadata;
}

/* Finds how colours are converted, once the metadata are known. */
static void
choose_tables(Pass *self)
{
  const MsMetadata *metadata = ms_streamed_file_get_metadata(self->file);
  const MsSpace space = self->run->settings->params.space;

  if (space != MS_SPACE_RGB)
    self->tables = ms_space_tables_get(space, metadata ? metadata->icc : NULL);
}

static void
add_row(Pass *self, const guint8 *row)
{
  const MsSpace space = self->run->settings->params.space;

  if (space != MS_SPACE_RGB)
    ms_space_convert(space, g_bytes_get_data(self->tables, NULL), row, self->converted, (gsize)self->file->width);
  ms_halving_add_row(self->halving, space == MS_SPACE_RGB ? row : self->converted);
}

static gboolean
add_scratch_rows(Pass *self, GError **error)
{
  const gsize stride = (gsize)self->file->width * 4;

  choose_tables(self);
  for (int y = 0; y < self->file->height; y++) {
    if (g_cancellable_set_error_if_cancelled(self->run->cancellable, error))
      return FALSE;
    add_row(self, ms_image_get_pixels(self->file->image) + (gsize)y * stride);
    ms_scratch_file_touch(self->file->scratch, stride);
  }
  return TRUE;
}

static gboolean
add_file_rows(Pass *self, GError **error)
{
  g_autofree guint8 *row = g_malloc((gsize)self->file->width * 4);

  if (!ms_image_file_start_rows(self->file->input, error))
    return FALSE;
  choose_tables(self);
  for (int y = 0; y < self->file->height; y++) {
    if (!ms_image_file_rows(self->file->input, row, 1, error))
      return FALSE;
    add_row(self, row);
  }
  return TRUE;
}

/* (transfer full): the picture at half its size, in the colours that are filtered. */
static MsImage *
halve(const MsStreamedFile *file, MsStreamedRun *run, GError **error)
{
  const MsPyramidSize size = {file->width, file->height}, half = ms_pyramid_size(size.width, size.height, 1);
  const gint64 start = g_get_monotonic_time();
  guint8 *pixels = ms_image_try_alloc_pixels((guint64)half.width, (guint64)half.height);

  if (!pixels) {
    ms_set_error(error, MS_ERROR_MEMORY, "There is not enough memory for a level of %dx%d pixels.", half.width,
                 half.height);
    return NULL;
  }
  g_autoptr(MsImage) image = ms_image_new_take(half.width, half.height, pixels, NULL);
  g_autoptr(MsHalving) halving = ms_halving_new(size, pixels);
  g_autofree guint8 *converted = g_malloc((gsize)size.width * 4);
  Pass pass = {file, run, halving, converted, NULL};
  const gboolean good = (file->image ? add_scratch_rows : add_file_rows)(&pass, error);
  g_clear_pointer(&pass.tables, g_bytes_unref);
  if (!good)
    return NULL;
  ms_timing_log_add_host(run->item->log, MS_STAGE_DECODE, NULL, (guint64)size.width * (guint64)size.height * 4, start);
  return g_steal_pointer(&image);
}

/* No row of the image is done yet. */
static void
report_begin(int done, int total, gpointer data)
{
  const MsStreamedRun *run = data;

  if (run->progress)
    run->progress(0, total, run->progress_data);
}

static gboolean
filter_levels(Levels *self, MsImage *halved, const MsSettings *settings, MsStreamedRun *run, GError **error)
{
  for (guint i = 0; i < run->repeat; i++) {
    g_autoptr(MsTimingLog) log = ms_timing_log_new();
    MsJob level = {.source = halved,
                   .settings = settings,
                   .progress = report_begin,
                   .progress_data = run,
                   .log = log,
                   .cancellable = run->cancellable};
    g_clear_object(&self->result);
    self->result = ms_engine_run(run->engine, &level, error);
    if (self->result)
      ms_batch_item_take_job(run->item, &level, i, run->repeat);
    ms_job_clear(&level);
    if (!self->result)
      return FALSE;
  }
  return TRUE;
}

/*
 * Filters the levels above the image, from one pass over its rows.
 * @self: (inout): gets the results; a run that fails may leave one
 * @file: inspected; its rows are read once
 * @run: of settings with levels; gets the reports
 *
 * Returns: %FALSE with the errors of ms_image_file_start_rows() and ms_engine_run(), or #MS_ERROR_MEMORY
 */
static gboolean
run_levels(Levels *self, const MsStreamedFile *file, MsStreamedRun *run, GError **error)
{
  MsSettings settings = *run->settings;

  settings.params = ms_params_coarser(&settings.params);
  g_autoptr(MsImage) halved = halve(file, run, error);
  if (!halved || !filter_levels(self, halved, &settings, run, error)) {
    g_prefix_error(error, "'%s': ", file->input->name);
    return FALSE;
  }
  MsJob reference = {.source = halved, .settings = &settings, .cancellable = run->cancellable};
  if (run->verifies && !self->expected)
    self->expected = ms_reference_run(&reference, error);
  return !run->verifies || self->expected;
}

/* Frees the results. */
static void
clear_levels(Levels *self)
{
  g_clear_object(&self->result);
  g_clear_object(&self->expected);
}

/* The image */

/* The rows [filtered - halo, decoded) of the source are in memory. */
typedef struct {
  const MsStreamedFile *file;
  MsStreamedRun *run;
  MsRowWindow *window; /* (nullable): of the source, where it is not in temporary files */
  MsImage *source;
  int decoded;
  int filtered;
  MsRows band; /* that is being filtered */
  Levels levels;
} Streaming;

/* Errors of a decoder name the file, those of the memory and of the device do not; %FALSE. */
static gboolean
name_failure(const Streaming *self, GError **error)
{
  g_prefix_error(error, "'%s': ", self->file->input->name);
  return FALSE;
}

static gboolean
decode_until(Streaming *self, int end, GError **error)
{
  MsImageFile *input = self->file->input;
  gint64 start = g_get_monotonic_time();
  guint64 bytes = (guint64)MAX(0, end - self->decoded) * (guint64)self->file->width * 4;

  if (!self->window)
    return TRUE;
  if (!ms_row_window_hold(self->window, MAX(end, self->decoded), error))
    return name_failure(self, error);
  /* A pass for levels has read the rows before. */
  if (self->decoded == 0 && !ms_image_file_start_rows(input, error))
    return FALSE;
  if (bytes > 0 &&
      !ms_image_file_rows(input, ms_row_window_get_row(self->window, self->decoded), end - self->decoded, error))
    return FALSE;
  self->decoded = MAX(end, self->decoded);
  if (!self->run->damage)
    self->run->damage = g_strdup(ms_image_file_get_damage(input));
  if (bytes > 0)
    ms_timing_log_add_host(self->run->item->log, MS_STAGE_DECODE, NULL, bytes, start);
  return TRUE;
}

static void
report_progress(int done, int total, gpointer data)
{
  const Streaming *self = data;

  if (self->run->progress)
    self->run->progress(self->band.first + (int)((gint64)self->band.count * done / total), self->file->height,
                        self->run->progress_data);
}

/* The source of the band shares the rows in memory. */
static gboolean
inspect_band(Streaming *self, const MsRegion *region, MsImage *result, GError **error)
{
  const MsStreamedBand band = {self->source, self->levels.expected, *region};
  g_autoptr(MsImage) source = ms_image_new_rows(self->source, region->y, region->height);

  return self->run->inspect(source, result, &band, self->run->data, error);
}

/* (transfer full) */
static MsImage *
filter_band_once(Streaming *self, guint repeat, GError **error)
{
  g_autoptr(MsTimingLog) log = ms_timing_log_new();
  MsRegion region = {0, self->band.first, self->file->width, self->band.count};
  MsJob job = {.source = self->source,
               .settings = self->run->settings,
               .region = &region,
               .coarser = self->levels.result,
               .progress = report_progress,
               .progress_data = self,
               .log = log,
               .cancellable = self->run->cancellable};
  g_autoptr(MsImage) image = ms_engine_run(self->run->engine, &job, error);

  if (image)
    ms_batch_item_take_job(self->run->item, &job, repeat, self->run->repeat);
  else
    name_failure(self, error);
  ms_job_clear(&job);
  if (image && self->run->inspect && repeat + 1 == self->run->repeat && !inspect_band(self, &region, image, error))
    return NULL;
  return g_steal_pointer(&image);
}

static gboolean
filter_next_band(Streaming *self, GError **error)
{
  const MsStreamPlan *plan = &self->file->plan;
  const MsRows whole = {0, self->file->height};
  g_autoptr(MsImage) result = NULL;

  self->band = ms_bands_next(whole, self->filtered, plan->band_rows);
  MsRows held = ms_bands_with_halo(self->band, plan->halo, self->file->height);
  if (!decode_until(self, held.first + held.count, error))
    return FALSE;
  for (guint i = 0; i < self->run->repeat; i++) {
    g_clear_object(&result);
    result = filter_band_once(self, i, error);
    if (!result)
      return FALSE;
  }
  self->filtered += self->band.count;
  if (self->window)
    ms_row_window_drop(self->window, MAX(0, self->filtered - plan->halo));
  else
    ms_scratch_file_drop(self->file->scratch);
  return !self->run->take || self->run->take(result, self->run->data, error);
}

static gboolean
find_transparency(MsImageFile *file, gboolean *found, GError **error)
{
  gsize stride = (gsize)file->header.width * 4;
  g_autofree guint8 *row = g_malloc(stride);

  *found = FALSE;
  for (int y = 0; !*found && y < file->header.height; y++) {
    if (!ms_image_file_rows(file, row, 1, error))
      return FALSE;
    *found = !ms_image_pixels_are_opaque(row, stride);
  }
  return TRUE;
}

/** ms_streamed_file_clear: frees the temporary files and what else the file owns. */
void
ms_streamed_file_clear(MsStreamedFile *self)
{
  g_clear_object(&self->image);
  g_clear_pointer(&self->scratch, ms_scratch_file_unref);
}

/* Decodes into temporary files, and reads the alpha of all rows from there. */
static gboolean
inspect_scratch(MsStreamedFile *self, GError **error)
{
  self->input->scratch = self->scratch;
  self->image = ms_image_file_load(self->input, error);
  if (!self->image)
    return FALSE;
  self->width = ms_image_get_width(self->image);
  self->height = ms_image_get_height(self->image);
  self->is_opaque = TRUE;
  const gsize stride = (gsize)self->width * 4;
  for (int y = 0; self->is_opaque && y < self->height; y++) {
    self->is_opaque = ms_image_pixels_are_opaque(ms_image_get_pixels(self->image) + (gsize)y * stride, stride);
    ms_scratch_file_touch(self->scratch, stride);
  }
  ms_scratch_file_drop(self->scratch);
  return TRUE;
}

/**
 * ms_streamed_file_inspect:
 *
 * Finds whether the image is opaque, which decides how it is encoded from the first row on. Where the file may hold
 * transparent pixels, it is decoded up to the first of them; and as a whole where it goes through temporary files.
 *
 * Returns: %FALSE with the errors of ms_image_file_start_rows() or ms_image_file_load()
 */
gboolean
ms_streamed_file_inspect(MsStreamedFile *self, GError **error)
{
  if (self->scratch)
    return inspect_scratch(self, error);
  gboolean found = FALSE;

  if (!ms_image_file_start_rows(self->input, error))
    return FALSE;
  if (self->input->has_alpha && !find_transparency(self->input, &found, error))
    return FALSE;
  self->is_opaque = !found;
  self->width = self->input->header.width;
  self->height = self->input->header.height;
  return TRUE;
}

/* Where the rows of the source are: in temporary files already, or in a window that moves down. */
static gboolean
open_source(Streaming *self, GError **error)
{
  const MsStreamedFile *file = self->file;

  if (file->image) {
    self->source = g_object_ref(file->image);
    return TRUE;
  }
  self->window = ms_row_window_new(file->width, file->height, error);
  if (!self->window)
    return name_failure(self, error);
  self->source =
    ms_image_new(file->width, file->height, ms_row_window_get_bytes(self->window), ms_streamed_file_get_metadata(file));
  return TRUE;
}

/**
 * ms_streamed_file_filter: decodes and filters the rows of the image in bands, and passes them on.
 * @self: inspected
 *
 * Returns: %FALSE with the errors of ms_image_file_start_rows(), ms_engine_run() and of the functions of the run, or
 *   #MS_ERROR_MEMORY
 */
gboolean
ms_streamed_file_filter(const MsStreamedFile *self, MsStreamedRun *run, GError **error)
{
  Streaming pass = {.file = self, .run = run};
  gboolean good = open_source(&pass, error);

  if (good && run->settings->params.levels > 0)
    good = run_levels(&pass.levels, self, run, error);
  while (good && pass.filtered < self->height)
    good = filter_next_band(&pass, error);
  g_clear_object(&pass.source);
  clear_levels(&pass.levels);
  g_clear_pointer(&pass.window, ms_row_window_free);
  return good;
}
