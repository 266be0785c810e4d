/* SPDX-License-Identifier: MIT */
#include "ui/engine/filter-job.h"

/* If the visible part is a larger share of the picture than this, the whole picture is filtered at once. */
#define MOSTLY_VISIBLE 0.7

/* One run over a region, whose finished rows are passed on as pieces. */
typedef struct {
  const MsFilterJob *job;
  MsRegion region;
  int reported;
  double progress_from;
  double progress_to;
} Pass;

static void
report_rows(const guint8 *pixels, int done, gpointer data)
{
  Pass *pass = data;
  MsRegion part = {pass->region.x, pass->region.y + pass->reported, pass->region.width, done - pass->reported};
  gsize stride = (gsize)pass->region.width * 4;

  if (part.height <= 0)
    return;
  g_autoptr(GBytes) bytes = g_bytes_new(pixels + pass->reported * stride, part.height * stride);
  g_autoptr(MsImage) piece = ms_image_new(part.width, part.height, bytes, NULL);
  pass->reported = done;
  pass->job->piece(piece, &part, pass->job->data);
}

static void
report_progress(int done, int total, gpointer data)
{
  Pass *pass = data;

  pass->job->progress(pass->progress_from + (pass->progress_to - pass->progress_from) * done / total, pass->job->data);
}

static MsImage *
run_pass(Pass *pass, MsEngineRun *run, GError **error)
{
  const MsFilterJob *job = pass->job;
  MsImage *image;

  run->region = &pass->region;
  run->interactive = TRUE;
  run->rows_data = pass;
  run->cancellable = job->cancellable;
  ms_engine_set_progress(job->engine, report_progress, pass);
  image = ms_engine_run(job->engine, job->source, &job->settings, run, error);
  ms_engine_set_progress(job->engine, NULL, NULL);
  return image;
}

static gboolean
run_visible(const MsFilterJob *self, double share, GError **error)
{
  Pass pass = {.job = self, .region = self->visible, .progress_to = share};
  MsEngineRun run = {.rows = report_rows};
  g_autoptr(MsImage) image = run_pass(&pass, &run, error);

  ms_engine_run_clear(&run);
  return image != NULL;
}

static MsRun *
make_run(const MsFilterJob *self, const MsEngineRun *run, MsImage *image)
{
  MsContext *context = ms_engine_get_context(self->engine);
  MsProgram *program = run->program ? ms_context_build(context, run->program, NULL, NULL) : NULL;
  MsRunFacts facts = {.requested = self->settings,
                      .settings = run->used,
                      .device = context ? ms_context_get_device(context) : NULL,
                      .log = run->log,
                      .result = image,
                      .spec = run->program,
                      .build_log = program ? ms_program_get_log(program) : NULL,
                      .rejected = run->rejected};

  return ms_run_new(&facts);
}

/* One run covers the whole picture, so that its timings can be compared with those of any other run. */
static MsRun *
run_whole(const MsFilterJob *self, gboolean reports_rows, double share, GError **error)
{
  Pass pass = {.job = self, .region = ms_image_get_extent(self->source), .progress_from = share, .progress_to = 1};
  g_autoptr(MsTimingLog) log = ms_timing_log_new();
  MsEngineRun run = {.rows = reports_rows ? report_rows : NULL, .log = log};
  g_autoptr(MsImage) image = run_pass(&pass, &run, error);
  MsRun *finished = image ? make_run(self, &run, image) : NULL;

  ms_engine_run_clear(&run);
  return finished;
}

/**
 * ms_filter_job_run: carries out the request on the calling thread.
 *
 * Returns: (transfer full): the run over the whole picture, or %NULL with the error of ms_engine_run()
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
