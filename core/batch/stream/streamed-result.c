/* SPDX-License-Identifier: MIT */
#include "core/batch/stream/streamed-result.h"

#include <string.h>

#include "core/batch/stream/streamed-levels.h"
#include "core/batch/stream/streamed-report.h"
#include "core/filter/plan/bands.h"
#include "core/image/stream/row-window.h"

/* The rows [dropped, decoded) of the source and [dropped, filtered) of the result are in memory. */
typedef struct {
  MsStreamedFile file;
  MsStreamedRun *run;
  int width;
  int height;
  MsRowFile *reader;
  MsRowWindow *source;
  MsImage *source_image;
  MsRowWindow *result;
  int decoded;
  int filtered;
  int dropped; /* of the result */
  MsRows band; /* that is being filtered */
  MsStreamedLevels levels;
} Feed;

static void
feed_free(gpointer data)
{
  Feed *self = data;

  g_clear_pointer(&self->reader, ms_row_file_close);
  g_clear_object(&self->source_image);
  ms_streamed_levels_clear(&self->levels);
  g_clear_pointer(&self->source, ms_row_window_free);
  g_clear_pointer(&self->result, ms_row_window_free);
  g_free(self);
}

/* Opens the file at its first row, also for a second pass, which is needed where another process created the output. */
static gboolean
rewind_feed(Feed *self, GError **error)
{
  const MsStreamedFile *f = &self->file;

  g_clear_pointer(&self->reader, ms_row_file_close);
  if (!f->image)
    self->reader = ms_row_file_open(&f->input, self->run->cancellable, error);
  self->decoded = self->filtered = self->dropped = 0;
  ms_row_window_drop_all(self->source);
  ms_row_window_drop_all(self->result);
  return f->image || self->reader;
}

/* Errors of a decoder name the file, those of the memory and of the device do not; %FALSE. */
static gboolean
name_failure(const Feed *self, GError **error)
{
  g_prefix_error(error, "'%s': ", self->file.input.name);
  return FALSE;
}

static gboolean
decode_until(Feed *self, int end, GError **error)
{
  gint64 start = g_get_monotonic_time();
  guint64 bytes = (guint64)MAX(0, end - self->decoded) * (guint64)self->width * 4;

  if (self->file.image)
    return TRUE;
  if (!ms_row_window_hold(self->source, MAX(end, self->decoded), error))
    return name_failure(self, error);
  for (; self->decoded < end; self->decoded++)
    if (!ms_row_file_read(self->reader, ms_row_window_get_row(self->source, self->decoded), error))
      return FALSE;
  if (ms_row_file_get_damage(self->reader) && !self->run->damage)
    self->run->damage = g_strdup(ms_row_file_get_damage(self->reader));
  if (bytes > 0)
    ms_timing_log_add_host(self->run->log, MS_STAGE_DECODE, NULL, bytes, start);
  return TRUE;
}

static void
report_progress(int done, int total, gpointer data)
{
  const Feed *self = data;

  if (self->run->progress)
    self->run->progress(self->band.first + (int)((gint64)self->band.count * done / total), self->height,
                        self->run->progress_data);
}

/* The source of the band shares the rows in memory. */
static gboolean
inspect_band(Feed *self, const MsRegion *region, MsImage *result, GError **error)
{
  const MsStreamedBand band = {self->source_image, self->levels.expected, *region};
  g_autoptr(MsImage) source = ms_image_new_rows(self->source_image, region->y, region->height);

  return self->run->inspect(source, result, &band, self->run->inspect_data, error);
}

static gboolean
filter_band_once(Feed *self, guint repeat, GError **error)
{
  g_autoptr(MsTimingLog) log = ms_timing_log_new();
  MsRegion region = {0, self->band.first, self->width, self->band.count};
  MsEngineRun run = {
    .log = log, .region = &region, .coarser = self->levels.result, .cancellable = self->run->cancellable};
  g_autoptr(MsImage) image = ms_engine_run(self->run->engine, self->source_image, self->run->settings, &run, error);

  gboolean good = image && ms_row_window_hold(self->result, region.y + region.height, error);
  if (good) {
    ms_streamed_report_add(self->run, &run, repeat);
    memcpy(ms_row_window_get_row(self->result, region.y), ms_image_get_pixels(image), ms_image_get_byte_size(image));
  } else {
    name_failure(self, error);
  }
  ms_engine_run_clear(&run);
  if (good && self->run->inspect && repeat + 1 == self->run->repeat)
    good = inspect_band(self, &region, image, error);
  return good;
}

static gboolean
filter_next_band(Feed *self, GError **error)
{
  const MsStreamPlan *plan = &self->file.plan;
  const MsRows whole = {0, self->height};

  self->band = ms_bands_next(whole, self->filtered, plan->band_rows);
  MsRows held = ms_bands_with_halo(self->band, plan->halo, self->height);
  if (!decode_until(self, held.first + held.count, error))
    return FALSE;
  for (guint i = 0; i < self->run->repeat; i++)
    if (!filter_band_once(self, i, error))
      return FALSE;
  self->filtered += self->band.count;
  if (self->file.image)
    ms_scratch_file_drop(self->file.scratch);
  else
    ms_row_window_drop(self->source, MAX(0, self->filtered - plan->halo));
  return TRUE;
}

static gboolean
hold_rows(gpointer data, int first, int end, GError **error)
{
  Feed *self = data;
  gint64 start = g_get_monotonic_time();
  gboolean good = first >= self->dropped || rewind_feed(self, error);

  if (end > self->filtered)
    ms_engine_set_progress(self->run->engine, report_progress, self);
  if (good && self->run->settings->params.levels > 0 && !self->levels.result)
    good = ms_streamed_levels_run(&self->levels, &self->file, self->run, error);
  while (good && self->filtered < end)
    good = filter_next_band(self, error);
  ms_engine_set_progress(self->run->engine, NULL, NULL);
  self->run->feed_us += g_get_monotonic_time() - start;
  return good;
}

static void
drop_rows(gpointer data, int end)
{
  Feed *self = data;

  self->dropped = MAX(self->dropped, end);
  ms_row_window_drop(self->result, end);
}

static gboolean
find_transparency(MsRowFile *reader, gboolean *found, GError **error)
{
  gsize stride = (gsize)ms_row_file_get_reader(reader)->width * 4;
  g_autofree guint8 *row = g_malloc(stride);

  *found = FALSE;
  for (int y = 0; !*found && y < ms_row_file_get_reader(reader)->height; y++) {
    if (!ms_row_file_read(reader, row, error))
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
inspect_scratch(MsStreamedFile *self, GCancellable *cancellable, GError **error)
{
  self->image = ms_row_file_load_scratch(&self->input, self->scratch, cancellable, error);
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
 * Returns: %FALSE with the errors of ms_row_file_open() or ms_row_file_load_scratch()
 */
gboolean
ms_streamed_file_inspect(MsStreamedFile *self, GCancellable *cancellable, GError **error)
{
  if (self->scratch)
    return inspect_scratch(self, cancellable, error);
  g_autoptr(MsRowFile) reader = ms_row_file_open(&self->input, cancellable, error);
  gboolean found = FALSE;

  if (!reader)
    return FALSE;
  if (ms_row_file_get_reader(reader)->has_alpha && !find_transparency(reader, &found, error))
    return FALSE;
  self->is_opaque = !found;
  self->width = ms_row_file_get_reader(reader)->width;
  self->height = ms_row_file_get_reader(reader)->height;
  return TRUE;
}

static MsImage *
image_of(Feed *self, MsRowWindow *window, const MsImageFeed *feed)
{
  MsImage *image = self->file.image;
  MsMetadata *metadata = image ? ms_image_get_metadata(image) : ms_row_file_get_reader(self->reader)->metadata;
  GBytes *pixels = ms_row_window_get_bytes(window);

  if (!feed)
    return ms_image_new(self->width, self->height, pixels, metadata);
  return ms_image_new_streamed(self->width, self->height, pixels, metadata, feed);
}

/**
 * ms_streamed_result_new:
 * @file: inspected; its members must outlive the result
 *
 * Returns: (transfer full): the filtered image, whose rows are decoded and filtered when they are held; %NULL with the
 *   errors of ms_row_file_open() or #MS_ERROR_MEMORY
 */
MsImage *
ms_streamed_result_new(const MsStreamedFile *file, MsStreamedRun *run, GError **error)
{
  Feed *self = g_new0(Feed, 1);
  MsImageFeed feed = {hold_rows, drop_rows, feed_free, self, file->is_opaque};

  self->file = *file;
  self->run = run;
  self->width = file->width;
  self->height = file->height;
  self->source = ms_row_window_new(self->width, self->height, error);
  self->result = self->source ? ms_row_window_new(self->width, self->height, error) : NULL;
  if (!self->result)
    name_failure(self, error);
  if (!self->result || !rewind_feed(self, error)) {
    feed_free(self);
    return NULL;
  }
  self->source_image = file->image ? g_object_ref(file->image) : image_of(self, self->source, NULL);
  return image_of(self, self->result, &feed);
}
