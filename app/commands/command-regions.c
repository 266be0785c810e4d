/* SPDX-License-Identifier: MIT */
#include "app/commands/command.h"

#include <inttypes.h>

#include "app/report/progress-json.h"
#include "app/report/report-file.h"
#include "core/batch/batch.h"
#include "core/engine/region-search.h"
#include "core/image/common/losses.h"
#include "core/image/file/file-path.h"
#include "core/image/image-io.h"
#include "core/image/image-save.h"
#include "core/process/memory-cap.h"
#include "core/regions/array-file.h"
#include "core/regions/polygons.h"

/*
 * One run of --regions: its command line and the results of its stages.
 * header, plan, memory: of the picture and its memory, with --memory-limit
 * budget: %NULL without --memory-limit
 */
typedef struct {
  const MsCommandLine *line;
  MsConsole *console;
  GCancellable *cancellable;
  gboolean overwrite;
  MsImageHeader header;
  MsRegionPlan plan;
  MsMemoryBudget memory;
  MsMemoryBudget *budget;
  MsImage *source;
  MsRegionSearch found;
} Run;

static gboolean
refuse(GError **error, const char *sentence)
{
  ms_set_error_literal(error, MS_ERROR_USAGE, sentence);
  return FALSE;
}

static gboolean
check_regions_line(const MsCommandLine *line, GError **error)
{
  const char *input = line->batch.inputs[0];

  if (!input || line->batch.inputs[1] || ms_file_path_is_standard(input) || g_file_test(input, G_FILE_TEST_IS_DIR))
    return refuse(error, "--regions takes one image file.");
  if (!line->batch.output && !line->labels && !line->modes && !line->outlines && !line->json && !line->csv)
    return refuse(error, "There would be no result: name an output with -o, --labels, --modes, --outlines, --csv or "
                         "--json.");
  if (line->batch.on_conflict == MS_CONFLICT_SKIP || line->batch.on_conflict == MS_CONFLICT_UNIQUE)
    return refuse(error, "--regions keeps existing files, or replaces them with --on-conflict overwrite.");
  if (line->batch.output &&
      (ms_file_path_is_standard(line->batch.output) || ms_file_path_is_same(input, line->batch.output)))
    return refuse(error, "With --regions -o names a file other than the image.");
  return (!line->labels || ms_array_file_check(line->labels, 1, error)) &&
         (!line->modes || ms_array_file_check(line->modes, 2, error));
}

/*
 * Limits the memory where --memory-limit is given: half of what program and driver leave is for pictures and regions,
 * as in a batch. Refuses an image that is too large whatever its regions are.
 */
static gboolean
plan(Run *self, GError **error)
{
  const MsCommandLine *line = self->line;
  const MsImageLimits limits = line->batch.limits;

  if (line->batch.memory_limit == 0)
    return TRUE;
  ms_command_prepare_device(line);
  if (!ms_image_peek_size(line->batch.inputs[0], &limits, &self->header, error))
    return FALSE;
  self->plan = ms_region_plan(
    &(MsRegionPlanRequest){.width = self->header.width,
                           .height = self->header.height,
                           .params = line->batch.settings.params,
                           .keeps_modes = line->modes != NULL,
                           .paints = line->batch.output || (line->outlines && !ms_polygons_is_name(line->outlines))});
  self->memory.most = ms_memory_cap_share(line->batch.memory_limit, ms_command_runtime_bytes(line));
  self->budget = &self->memory;
  return ms_memory_budget_take(self->budget, self->plan.least) || !ms_memory_budget_fail(self->budget, error);
}

/* Says for which file memory was refused, and what limit it needs. */
static void
explain_refusal(const Run *self, GError **error)
{
  const guint64 bytes = ms_memory_cap_needed(self->memory.needed, ms_command_runtime_bytes(self->line));

  g_autofree char *name = g_filename_display_name(self->line->batch.inputs[0]);

  g_clear_error(error);
  ms_set_error(error, MS_ERROR_TOO_LARGE,
               "'%s' has %dx%d pixels and its regions need at least %" PRIu64
               " MiB, more than --memory-limit allows; raise the limit.",
               name, self->header.width, self->header.height, (bytes >> 20) + 1);
}

/* The regions follow the filter, which takes most of the time. */
static void
on_regions_progress(int done, int total, gpointer data)
{
  ms_progress_fraction(((Run *)data)->console, 0.9 * done / total, NULL);
}

/* Says what a file lost where it was read or written. */
static void
note_losses(const Run *self, const MsImageHeader *header, const MsSaveNotes *notes, const char *path)
{
  g_autofree char *name = g_filename_display_name(path);
  g_autofree char *losses = ms_losses_describe(header, notes, name, MS_LANGUAGE_USER);

  if (losses)
    ms_console_note(self->console, losses);
}

static gboolean
load(Run *self, GError **error)
{
  MsImageLimits limits = self->line->batch.limits;

  limits.decoder_memory = self->memory.most;
  g_autoptr(MsImageFile) file = ms_image_file_open(self->line->batch.inputs[0], &limits, self->cancellable, error);
  self->source = file ? ms_image_file_load(file, error) : NULL;
  if (!self->source)
    return FALSE;
  note_losses(self, &file->header, NULL, self->line->batch.inputs[0]);
  return TRUE;
}

/* The device stays open until this process ends, because a driver may end it when it is closed. */
static gboolean
find_regions(Run *self, GError **error)
{
  const MsCommandLine *line = self->line;
  MsEngine *engine = load(self, error) ? ms_command_open_engine(line, FALSE, self->console, error) : NULL;
  MsJob job = {.source = self->source,
               .settings = &line->batch.settings,
               .progress = on_regions_progress,
               .progress_data = self,
               .cancellable = self->cancellable};

  if (!engine)
    return FALSE;
  self->found = (MsRegionSearch){.engine = engine,
                                 .job = &job,
                                 .options = {(guint)line->min_region, line->region_range, self->budget},
                                 .plan = self->plan,
                                 .keeps_modes = line->modes != NULL};
  const gboolean good = ms_region_search_run(&self->found, error);
  ms_job_clear(&job);
  if (good)
    ms_segment_table_set_space(self->found.table, line->batch.settings.params.space, self->source);
  return good;
}

/* @taken: (transfer full) */
static gboolean
save_image(Run *self, const char *path, MsImage *taken, GError **error)
{
  g_autoptr(MsImage) image = taken;
  MsSaveOptions options = self->line->batch.save;
  MsSaveNotes notes = {FALSE};

  options.overwrite = self->overwrite;
  if (!ms_image_save(image, path, &options, &notes, self->cancellable, error))
    return FALSE;
  note_losses(self, NULL, &notes, path);
  return TRUE;
}

static gboolean
save_pictures(Run *self, GError **error)
{
  const MsCommandLine *line = self->line;
  const char *outlines = ms_polygons_is_name(line->outlines) ? NULL : line->outlines;

  return (!line->batch.output ||
          save_image(self, line->batch.output,
                     ms_segment_table_paint(self->found.table, self->found.segmentation, self->source), error)) &&
         (!outlines ||
          save_image(self, outlines, ms_segmentation_outline(self->found.segmentation, self->source), error));
}

/* (transfer none) (nullable): the place of the picture on the map */
static const MsGeo *
place_of(const Run *self)
{
  const MsMetadata *metadata = ms_image_get_metadata(self->source);

  return metadata ? metadata->geo : NULL;
}

static gboolean
save_polygons(Run *self, GError **error)
{
  const MsPolygons polygons = {self->found.segmentation, self->found.table, place_of(self), self->overwrite,
                               self->cancellable};

  return !ms_polygons_is_name(self->line->outlines) || ms_polygons_save(&polygons, self->line->outlines, error);
}

static gboolean
save_modes(Run *self, GError **error)
{
  const MsSegmentation *s = self->found.segmentation;
  const gsize n = 2 * (gsize)s->width * s->height;
  g_autofree guint32 *wide = g_new(guint32, n);
  const MsPixelArray modes = {wide, s->width, s->height, 2, G_MAXUINT16};

  for (gsize i = 0; i < n; i++)
    wide[i] = self->found.modes[i];
  return ms_array_file_save(self->line->modes, &modes, self->overwrite, self->cancellable, error);
}

static gboolean
save_labels(Run *self, GError **error)
{
  const MsSegmentation *s = self->found.segmentation;
  const MsPixelArray labels = {s->labels, s->width, s->height, 1, s->n, place_of(self)};
  MsSaveNotes notes = {FALSE};

  if (!ms_array_file_save(self->line->labels, &labels, self->overwrite, self->cancellable, error))
    return FALSE;
  notes.geo_dropped = ms_geo_has_place(labels.geo) && !ms_array_file_keeps_place(self->line->labels);
  note_losses(self, NULL, &notes, self->line->labels);
  return TRUE;
}

static gboolean
save_arrays(Run *self, GError **error)
{
  /* Nothing that follows knows the regions of pixels without data. */
  if (self->found.no_data)
    ms_left_out_drop(self->found.no_data, self->found.segmentation, self->found.table);
  return (!self->line->labels || save_labels(self, error)) && (!self->line->modes || save_modes(self, error));
}

/* @taken: (transfer full) */
static gboolean
save_text(Run *self, const char *path, char *taken, GError **error)
{
  g_autofree char *text = taken;

  return ms_report_file_save(path, text, self->cancellable, error);
}

static gboolean
save_tables(Run *self, GError **error)
{
  const MsCommandLine *line = self->line;

  return (!line->csv || save_text(self, line->csv, ms_segment_table_to_csv(self->found.table), error)) &&
         (!line->json || save_text(self, line->json, ms_segment_table_to_json(self->found.table), error));
}

/* Takes the memory of the largest output before the first one is written, so that none is left by a refusal. */
static gboolean
take_output_memory(Run *self, GError **error)
{
  const guint64 csv = self->line->csv ? ms_segment_table_csv_bytes(self->found.table) : 0,
                json = self->line->json ? ms_segment_table_json_bytes(self->found.table) : 0;

  ms_console_begin_results(self->console);
  return ms_memory_budget_take(self->budget, MAX(MAX(self->plan.painting, self->plan.modes), MAX(csv, json))) ||
         !ms_memory_budget_fail(self->budget, error);
}

/** ms_regions_command_run: the rule of the regions is that of ms_segmentation_new(). */
MsExitStatus
ms_regions_command_run(const MsCommandLine *line, MsConsole *console, GCancellable *cancellable)
{
  Run run = {.line = line,
             .console = console,
             .cancellable = cancellable,
             .overwrite = line->batch.on_conflict == MS_CONFLICT_OVERWRITE};
  g_autoptr(GError) error = NULL;
  gboolean good = check_regions_line(line, &error) && plan(&run, &error) && find_regions(&run, &error) &&
                  take_output_memory(&run, &error) && save_pictures(&run, &error) && save_arrays(&run, &error) &&
                  save_polygons(&run, &error) && save_tables(&run, &error);

  if (run.memory.needed > 0)
    explain_refusal(&run, &error);
  ms_region_search_clear(&run.found);
  g_clear_object(&run.source);
  return good ? MS_EXIT_DONE : ms_command_fail(console, error);
}
