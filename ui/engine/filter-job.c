/* SPDX-License-Identifier: MIT */
#include "ui/engine/filter-job.h"

#include <string.h>

#include "core/engine/tuned.h"

/* Above this share of the picture the visible part is not worth a run of its own: the whole is shown band by band. */
#define MOSTLY_VISIBLE 0.7

/* Up to so many iterations the plan's bands are short enough for a person. */
#define USUAL_ITERATIONS 5

/* Rows of the serial reference that are shown at a time. */
#define REFERENCE_ROWS 16

/* One pass over a region, whose finished rows are told as pieces. */
typedef struct {
  const MsFilterJob *job;
  MsRegion region;
  guint8 *pixels;
  int told;
  gboolean tells_pieces;
  double progress_from;
  double progress_to;
} Pass;

static void
report_piece(Pass *pass, int rows_done)
{
  MsRegion part = {pass->region.x, pass->region.y + pass->told, pass->region.width, rows_done - pass->told};
  gsize stride = (gsize)pass->region.width * 4;
  g_autoptr(GBytes) bytes = NULL;
  g_autoptr(MsImage) piece = NULL;

  if (!pass->tells_pieces || part.height <= 0)
    return;
  bytes = g_bytes_new(pass->pixels + pass->told * stride, part.height * stride);
  piece = ms_image_new(part.width, part.height, bytes, NULL);
  pass->told = rows_done;
  pass->job->piece(piece, &part, pass->job->data);
}

static void
report_progress(int done, int total, gpointer data)
{
  Pass *pass = data;

  report_piece(pass, done);
  pass->job->progress(pass->progress_from + (pass->progress_to - pass->progress_from) * done / total, pass->job->data);
}

static guint8 *
allocate(const MsRegion *region, GError **error)
{
  guint8 *pixels = g_try_malloc((gsize)region->width * region->height * 4);

  if (!pixels)
    g_set_error(error, MS_ERROR, MS_ERROR_MEMORY, "There is not enough memory for a result of %dx%d pixels.",
                region->width, region->height);
  return pixels;
}

/* Runs a region on the device. After a hang the pixels are not freed: the device may still write to them. */
static MsImage *
run_device(Pass *pass, const MsPlan *plan, MsTimingLog *log, GError **error)
{
  const MsFilterJob *job = pass->job;
  g_autoptr(GError) failure = NULL;
  gboolean good;

  pass->pixels = allocate(&pass->region, error);
  if (!pass->pixels)
    return NULL;
  ms_mean_shift_set_progress(job->filter, report_progress, pass);
  ms_mean_shift_set_early_rows(job->filter, pass->tells_pieces);
  good = ms_mean_shift_run_plan_into(job->filter, job->source, plan, pass->pixels, log, job->cancellable, &failure);
  ms_mean_shift_set_early_rows(job->filter, FALSE);
  ms_mean_shift_set_progress(job->filter, NULL, NULL);
  if (good)
    return ms_image_new_take(pass->region.width, pass->region.height, pass->pixels, ms_image_get_metadata(job->source));
  if (!g_error_matches(failure, MS_ERROR, MS_ERROR_TIMEOUT))
    g_free(pass->pixels);
  g_propagate_error(error, g_steal_pointer(&failure));
  return NULL;
}

/*
 * The plan reckons with pixels that stop after a few iterations. Where the settings allow many and the picture takes
 * them, a band would last for seconds, and Cancel with it.
 */
static void
shorten_bands(MsPlan *plan)
{
  int iterations = plan->settings.params.max_iterations;

  if (iterations > USUAL_ITERATIONS)
    plan->band_rows = MAX(1, plan->band_rows * USUAL_ITERATIONS / iterations);
}

static gboolean
reference_rows(Pass *pass, int first, int rows, GError **error)
{
  MsRegion part = {pass->region.x, pass->region.y + first, pass->region.width, rows};
  g_autoptr(MsImage) strip =
    ms_reference_run(pass->job->source, &pass->job->settings.params, &part, NULL, NULL, pass->job->cancellable, error);

  if (!strip)
    return FALSE;
  memcpy(pass->pixels + (gsize)first * part.width * 4, ms_image_get_pixels(strip), ms_image_get_byte_size(strip));
  return TRUE;
}

static MsImage *
run_reference(Pass *pass, MsTimingLog *log, GError **error)
{
  gint64 start = g_get_monotonic_time();

  pass->pixels = allocate(&pass->region, error);
  if (!pass->pixels)
    return NULL;
  for (int y = 0; y < pass->region.height; y += REFERENCE_ROWS) {
    int rows = MIN(REFERENCE_ROWS, pass->region.height - y);
    if (!reference_rows(pass, y, rows, error)) {
      g_free(pass->pixels);
      return NULL;
    }
    report_progress(y + rows, pass->region.height, pass);
  }
  if (log)
    ms_timing_log_add_host(log, MS_STAGE_KERNEL, "serial reference", 0, start);
  return ms_image_new_take(pass->region.width, pass->region.height, pass->pixels,
                           ms_image_get_metadata(pass->job->source));
}

/* What the tuner found for this device takes the place of toggles that are left to the program. */
static MsPlan *
make_plan(const MsFilterJob *self, const MsRegion *region, GError **error)
{
  MsDevice *device = ms_context_get_device(ms_mean_shift_get_context(self->filter));
  MsSettings tuned =
    ms_tuned_settings(&self->settings, device, ms_image_get_width(self->source), ms_image_get_height(self->source));

  return ms_mean_shift_plan(self->filter, self->source, &tuned, region, error);
}

static gboolean
run_visible(const MsFilterJob *self, double share, GError **error)
{
  Pass pass = {.job = self, .region = self->visible, .tells_pieces = TRUE, .progress_to = share};
  g_autoptr(MsPlan) plan = NULL;
  g_autoptr(MsImage) image = NULL;

  if (!self->filter) {
    image = run_reference(&pass, NULL, error);
    return image != NULL;
  }
  plan = make_plan(self, &self->visible, error);
  if (!plan)
    return FALSE;
  shorten_bands(plan);
  image = run_device(&pass, plan, NULL, error);
  return image != NULL;
}

static MsRun *
finish_reference(Pass *pass, MsTimingLog *log, GError **error)
{
  MsRunFacts facts = {.requested = pass->job->settings, .settings = pass->job->settings, .log = log};
  g_autoptr(MsImage) image = run_reference(pass, log, error);

  facts.result = image;
  return image ? ms_run_new(&facts) : NULL;
}

/* The timings are those of one run over the whole picture, so that they can be compared with any other's. */
static MsRun *
run_whole(const MsFilterJob *self, gboolean tells_pieces, double share, GError **error)
{
  Pass pass = {.job = self,
               .region = ms_image_get_extent(self->source),
               .tells_pieces = tells_pieces,
               .progress_from = share,
               .progress_to = 1};
  g_autoptr(MsTimingLog) log = ms_timing_log_new();
  g_autoptr(MsPlan) plan = NULL;
  g_autoptr(MsImage) image = NULL;
  MsContext *context;
  MsRunFacts facts;

  if (!self->filter)
    return finish_reference(&pass, log, error);
  plan = make_plan(self, NULL, error);
  if (!plan)
    return NULL;
  shorten_bands(plan);
  image = run_device(&pass, plan, log, error);
  if (!image)
    return NULL;
  context = ms_mean_shift_get_context(self->filter);
  facts = (MsRunFacts){.requested = self->settings,
                       .settings = plan->settings,
                       .device = ms_context_get_device(context),
                       .log = log,
                       .result = image,
                       .spec = plan->program,
                       .rejected = plan->rejected};
  MsProgram *program = ms_context_build(context, plan->program, NULL, NULL);
  facts.build_log = program ? ms_program_get_log(program) : NULL;
  return ms_run_new(&facts);
}

/**
 * ms_filter_job_run: carries out the request on the calling thread.
 *
 * Returns: (transfer full): the run over the whole picture, or %NULL with the error of ms_mean_shift_run()
 */
MsRun *
ms_filter_job_run(const MsFilterJob *self, GError **error)
{
  double whole = (double)ms_image_get_width(self->source) * ms_image_get_height(self->source);
  double visible = (double)self->visible.width * self->visible.height;
  gboolean first = visible > 0 && visible < MOSTLY_VISIBLE * whole;
  double share = first ? visible / (visible + whole) : 0;

  if (first && !run_visible(self, share, error))
    return NULL;
  return run_whole(self, !first && visible > 0, share, error);
}
