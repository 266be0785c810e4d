/* SPDX-License-Identifier: MIT */
#include "core/batch/stream/streamed-levels.h"

#include "core/batch/stream/streamed-report.h"
#include "core/filter/pyramid/halving.h"
#include "core/filter/reference.h"
#include "core/filter/space/space.h"

/* The rows of a file that are halved; those of one in temporary files are read from there. */
typedef struct {
  const MsStreamedFile *file;
  MsStreamedRun *run;
  MsHalving *halving;
  guint8 *converted; /* one row in the colours in which the filter works */
} Pass;

static void
add_row(Pass *self, const guint8 *row)
{
  const MsSpace space = self->run->settings->params.space;

  if (space != MS_SPACE_RGB)
    ms_space_convert(space, row, self->converted, (gsize)self->file->width);
  ms_halving_add_row(self->halving, space == MS_SPACE_RGB ? row : self->converted);
}

static gboolean
add_scratch_rows(Pass *self, GError **error)
{
  const gsize stride = (gsize)self->file->width * 4;

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
  g_autoptr(MsRowFile) reader = ms_row_file_open(&self->file->input, self->run->cancellable, error);
  g_autofree guint8 *row = g_malloc((gsize)self->file->width * 4);

  for (int y = 0; reader && y < self->file->height; y++) {
    if (!ms_row_file_read(reader, row, error))
      return FALSE;
    add_row(self, row);
  }
  return reader != NULL;
}

/* (transfer full): the picture at half its size, in the colours in which the filter works. */
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
  Pass pass = {file, run, halving, converted};
  if (!(file->image ? add_scratch_rows : add_file_rows)(&pass, error))
    return NULL;
  ms_timing_log_add_host(run->log, MS_STAGE_DECODE, NULL, (guint64)size.width * (guint64)size.height * 4, start);
  return g_steal_pointer(&image);
}

static gboolean
filter(MsStreamedLevels *self, MsImage *halved, const MsSettings *settings, MsStreamedRun *run, GError **error)
{
  for (guint i = 0; i < run->repeat; i++) {
    g_autoptr(MsTimingLog) log = ms_timing_log_new();
    MsEngineRun level = {.log = log, .cancellable = run->cancellable};
    g_clear_object(&self->result);
    self->result = ms_engine_run(run->engine, halved, settings, &level, error);
    if (self->result)
      ms_streamed_report_add(run, &level, i);
    ms_engine_run_clear(&level);
    if (!self->result)
      return FALSE;
  }
  return TRUE;
}

/**
 * ms_streamed_levels_run:
 * @self: (inout): gets the results; a run that fails may leave one
 * @file: inspected; its rows are read once
 * @run: of settings with levels; gets the reports
 *
 * Returns: %FALSE with the errors of ms_row_file_open() and ms_engine_run(), or #MS_ERROR_MEMORY
 */
gboolean
ms_streamed_levels_run(MsStreamedLevels *self, const MsStreamedFile *file, MsStreamedRun *run, GError **error)
{
  MsSettings settings = *run->settings;
  const MsReferenceRun reference = {.cancellable = run->cancellable};

  settings.params = ms_params_coarser(&settings.params);
  g_autoptr(MsImage) halved = halve(file, run, error);
  if (!halved || !filter(self, halved, &settings, run, error)) {
    g_prefix_error(error, "'%s': ", file->input.name);
    return FALSE;
  }
  if (run->verifies && !self->expected)
    self->expected = ms_reference_run(halved, &settings.params, &reference, error);
  return !run->verifies || self->expected;
}

/** ms_streamed_levels_clear: frees the results. */
void
ms_streamed_levels_clear(MsStreamedLevels *self)
{
  g_clear_object(&self->result);
  g_clear_object(&self->expected);
}
