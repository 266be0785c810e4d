/* SPDX-License-Identifier: MIT */
#include "core/batch/streamed-result.h"

#include <string.h>

#include "core/filter/pyramid/pyramid.h"
#include "core/filter/reference.h"
#include "core/filter/space/space.h"
#include "core/filter/tiles.h"
#include "core/image/common/pixel-memory.h"

/** ms_streamed_file_get_metadata: (transfer none) (nullable): whose profile the colours have, once known. */
MsMetadata *
ms_streamed_file_get_metadata(const MsStreamedFile *self)
{
  return self->image ? ms_image_get_metadata(self->image) : self->input->metadata;
}

/** ms_streamed_file_clear: frees the temporary files and what else the file owns. */
void
ms_streamed_file_clear(MsStreamedFile *self)
{
  g_clear_object(&self->image);
  g_clear_pointer(&self->scratch, ms_scratch_file_unref);
}

/* Finds whether all rows are opaque, up to the first that is not. */
static gboolean
find_transparency(MsStreamedFile *self, GError **error)
{
  const gsize stride = (gsize)self->width * 4;
  g_autofree guint8 *read = self->image ? NULL : g_malloc(stride);

  if (!self->image && !ms_image_file_start_rows(self->input, error))
    return FALSE;
  for (int y = 0; self->is_opaque && y < self->height; y++) {
    if (g_cancellable_set_error_if_cancelled(self->input->cancellable, error) ||
        (!self->image && !ms_image_file_rows(self->input, read, 1, error)))
      return FALSE;
    self->is_opaque =
      ms_image_pixels_are_opaque(self->image ? ms_image_get_pixels(self->image) + (gsize)y * stride : read, stride);
    if (self->image)
      ms_scratch_file_touch(self->scratch, stride);
  }
  return TRUE;
}

/* Lets the pixels be in temporary files, or begins reading the rows of the file. */
static gboolean
open_rows(MsStreamedFile *self, GError **error)
{
  if (!self->scratch && !ms_image_file_start_rows(self->input, error))
    return FALSE;
  self->input->scratch = self->scratch;
  self->image = self->scratch ? ms_image_file_load(self->input, error) : NULL;
  if (self->scratch && !self->image)
    return FALSE;
  self->width = self->image ? ms_image_get_width(self->image) : self->input->header.width;
  self->height = self->image ? ms_image_get_height(self->image) : self->input->header.height;
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
  if (!open_rows(self, error))
    return FALSE;
  self->is_opaque = TRUE;
  if ((self->image || self->input->has_alpha) && !find_transparency(self, error))
    return FALSE;
  if (self->scratch)
    ms_scratch_file_drop(self->scratch);
  return TRUE;
}

/* The image, whose rows are read while others are filtered, verified and written */

/*
 * The level above the image.
 * @halved: the picture at half its size, in the colours that are filtered
 * @result: the engine's result of it
 * @expected: (nullable): that of the serial reference, for runs that verify
 */
typedef struct {
  MsImage *halved;
  MsImage *result;
  MsImage *expected;
} Levels;

/*
 * @source: of which the rows before @decoded are in memory, from those on that can influence rows that are not written
 * @reads: the times of reading rows in this pass
 * @window: (nullable): its memory, where it is not in temporary files
 * @is_last: whether the rows are passed on, and not only timed
 */
typedef struct {
  const MsStreamedFile *file;
  MsStreamedRun *run;
  MsRowWindow *window;
  MsImage *source;
  int decoded;
  MsTimingLog *reads;
  gboolean is_last;
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
read_until(int end, gpointer data, GError **error)
{
  Streaming *self = data;
  MsImageFile *input = self->file->input;
  const gint64 start = g_get_monotonic_time();

  if (!self->window || end <= self->decoded)
    return TRUE;
  if (!ms_row_window_hold(self->window, end, error))
    return name_failure(self, error);
  /* Earlier passes have read the rows. */
  if ((self->decoded == 0 && !ms_image_file_start_rows(input, error)) ||
      !ms_image_file_rows(input, ms_row_window_get_row(self->window, self->decoded), end - self->decoded, error))
    return FALSE;
  ms_timing_log_add_host(self->reads, MS_STAGE_DECODE, NULL,
                         (guint64)(end - self->decoded) * (guint64)self->file->width * 4, start);
  self->decoded = end;
  return TRUE;
}

/* The source of the rows shares the memory of all. */
static gboolean
inspect_rows(Streaming *self, MsRows rows, MsImage *result, GError **error)
{
  const MsStreamedBand band = {self->source, self->levels.expected, {0, rows.first, self->file->width, rows.count}};
  g_autoptr(MsImage) source = ms_image_new_rows(self->source, rows.first, rows.count);

  return self->run->inspect(source, result, &band, self->run->data, error);
}

static gboolean
write_rows(guint8 *pixels, MsRows rows, gpointer data, GError **error)
{
  Streaming *self = data;
  const MsStreamedRun *run = self->run;
  g_autoptr(MsImage) result =
    ms_image_new_take(self->file->width, rows.count, pixels, ms_image_get_metadata(self->source));

  if (self->is_last && run->inspect && !inspect_rows(self, rows, result, error))
    return FALSE;
  if (self->window)
    ms_row_window_drop(self->window, MAX(0, rows.first + rows.count - self->file->plan.halo));
  else
    ms_scratch_file_drop(self->file->scratch);
  return !self->is_last || !run->take || run->take(result, run->data, error);
}

/* Where the rows of the source are: in temporary files already, or in a window that moves down. */
static gboolean
open_source(Streaming *self, GError **error)
{
  const MsStreamedFile *file = self->file;

  self->decoded = 0;
  ms_timing_log_clear(self->reads);
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

static gboolean
filter_once(Streaming *self, guint repeat, GError **error)
{
  MsStreamedRun *run = self->run;
  g_autoptr(MsTimingLog) log = ms_timing_log_new();
  MsRowStream stream = {.most_rows = self->file->plan.most_rows, .read = read_until, .write = write_rows, .data = self};
  MsJob job = {.source = self->source,
               .settings = run->settings,
               .coarser = self->levels.result,
               .stream = &stream,
               .progress = run->progress,
               .progress_data = run->progress_data,
               .log = log,
               .cancellable = run->cancellable};
  g_autoptr(MsImage) done = NULL;

  self->is_last = repeat + 1 == run->repeat;
  done = ms_engine_run(run->engine, &job, error);
  if (done)
    ms_batch_item_take_job(run->item, &job, repeat, run->repeat);
  else if (!stream.failed)
    name_failure(self, error);
  ms_job_clear(&job);
  return done != NULL;
}

static void
close_source(Streaming *self)
{
  g_clear_object(&self->source);
  g_clear_pointer(&self->window, ms_row_window_free);
}

/* Reads and filters all rows. */
static gboolean
run_pass(Streaming *self, guint repeat, GError **error)
{
  const gboolean good = open_source(self, error) && filter_once(self, repeat, error);

  close_source(self);
  return good;
}

/* The level above the image: computed first, from one pass over its rows */

static gboolean
keep_halved(guint8 *pixels, MsRows rows, gpointer data, GError **error)
{
  Streaming *self = data;
  const gsize stride = (gsize)ms_image_get_width(self->levels.halved) * 4;

  memcpy((guint8 *)ms_image_get_pixels(self->levels.halved) + rows.first * stride, pixels, rows.count * stride);
  g_free(pixels);
  if (self->window)
    ms_row_window_drop(self->window, ms_bands_finer((MsRows){rows.first + rows.count, 1}, self->file->height).first);
  else
    ms_scratch_file_drop(self->file->scratch);
  return TRUE;
}

static gboolean
halve_rows(Streaming *self, MsTiles *tiles, MsRows rows, GError **error)
{
  const MsPyramidSize size = {self->file->width, self->file->height};
  const MsRows held = ms_bands_finer(rows, size.height);
  guint8 *pixels = NULL;

  if (!ms_tiles_prepare(tiles, rows, held, &pixels, error))
    return FALSE;
  g_autoptr(MsImage) source = ms_image_new_rows(self->source, held.first, held.count);
  g_autoptr(MsImage) converted = ms_space_convert_image(self->run->settings->params.space, source, error);
  if (!converted) {
    ms_tiles_return(tiles, 0, rows, pixels);
    return name_failure(self, error);
  }
  ms_pyramid_halve(ms_image_get_pixels(converted), held, size, rows, pixels);
  return ms_tiles_finish(tiles, rows, pixels, error);
}

/* A first stream of rows, which halves the picture. */
static gboolean
halve(Streaming *self, GError **error)
{
  const MsPyramidSize half = ms_pyramid_size(self->file->width, self->file->height, 1);
  MsRowStream stream = {.most_rows = MS_STREAM_HALVED_ROWS, .read = read_until, .write = keep_halved, .data = self};
  guint8 *pixels = ms_image_check_memory(ms_image_try_alloc_pixels((guint64)half.width, (guint64)half.height),
                                         half.width, half.height, error);
  g_auto(MsTiles) tiles = {0};
  GError *failure = NULL;
  MsRows rows;

  if (!pixels)
    return name_failure(self, error);
  self->levels.halved = ms_image_new_take(half.width, half.height, pixels, NULL);
  ms_tiles_init(&tiles, (MsRows){0, half.height}, 1);
  ms_tiles_serve(&tiles, &(MsJob){.stream = &stream}, half.width, NULL);
  while (!failure && !g_cancellable_set_error_if_cancelled(self->run->cancellable, &failure) &&
         ms_tiles_take(&tiles, 0, MS_STREAM_HALVED_ROWS, &rows))
    halve_rows(self, &tiles, rows, &failure);
  return ms_tiles_end(&tiles, failure, error);
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
filter_level(Streaming *self, const MsSettings *settings, guint repeat, GError **error)
{
  MsStreamedRun *run = self->run;
  g_autoptr(MsTimingLog) log = ms_timing_log_new();
  MsJob level = {.source = self->levels.halved,
                 .settings = settings,
                 .progress = report_begin,
                 .progress_data = run,
                 .log = log,
                 .cancellable = run->cancellable};

  g_clear_object(&self->levels.result);
  self->levels.result = ms_engine_run(run->engine, &level, error);
  if (self->levels.result)
    ms_batch_item_take_job(run->item, &level, repeat, run->repeat);
  else
    name_failure(self, error);
  ms_job_clear(&level);
  return self->levels.result != NULL;
}

/* Filters the levels above the image. */
static gboolean
run_levels(Streaming *self, GError **error)
{
  const MsStreamedRun *run = self->run;
  MsSettings settings = *run->settings;
  gboolean good = open_source(self, error) && halve(self, error);

  close_source(self);
  ms_timing_log_append(run->item->log, self->reads);
  settings.params = ms_params_coarser(&settings.params);
  for (guint i = 0; good && i < run->repeat; i++)
    good = filter_level(self, &settings, i, error);
  if (good && run->verifies) {
    MsJob reference = {.source = self->levels.halved, .settings = &settings, .cancellable = run->cancellable};
    self->levels.expected = ms_reference_run(&reference, error);
    good = self->levels.expected != NULL;
  }
  g_clear_object(&self->levels.halved);
  return good;
}

/**
 * ms_streamed_file_filter: decodes and filters the rows of the image, and passes them on.
 * @self: inspected
 *
 * Returns: %FALSE with the errors of ms_image_file_start_rows(), ms_engine_run() and of the functions of the run, or
 *   #MS_ERROR_MEMORY
 */
gboolean
ms_streamed_file_filter(const MsStreamedFile *self, MsStreamedRun *run, GError **error)
{
  g_autoptr(MsTimingLog) reads = ms_timing_log_new();
  Streaming pass = {.file = self, .run = run, .reads = reads};
  gboolean good = run->settings->params.levels == 0 || run_levels(&pass, error);

  for (guint i = 0; good && i < run->repeat; i++)
    good = run_pass(&pass, i, error);
  ms_timing_log_append(run->item->log, reads);
  run->damage = g_strdup(self->image ? NULL : ms_image_file_get_damage(self->input));
  g_clear_object(&pass.levels.result);
  g_clear_object(&pass.levels.expected);
  return good;
}
