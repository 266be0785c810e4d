/* SPDX-License-Identifier: MIT */
#include "core/batch/run/runner-device.h"

#include "core/batch/run/stage-filter.h"
#include "core/batch/run/stage-save.h"

/* @reports: whether the hook for progress is called, which only the first lane does. */
typedef struct {
  MsRunner *runner;
  MsBatchItem *item;
  gboolean reports;
} ProgressData;

static void
pass_progress_on(int done, int total, gpointer data)
{
  ProgressData *progress = data;
  const MsRunnerHooks *hooks = progress->runner->hooks;

  if (progress->reports)
    hooks->progress(progress->item, done, total, hooks->data);
}

/* Filters and saves an image that exceeds the memory, since rows are filtered when the encoder takes them. */
static gboolean
stream_on_device(MsRunner *self, MsEngine *engine, gboolean first_lane, MsBatchImage *work, GError **error)
{
  ProgressData progress = {self, work->item, first_lane && self->hooks->progress};

  return ms_stage_stream(work, engine, pass_progress_on, &progress, error);
}

static gboolean
filter_on_device(MsRunner *self, MsEngine *engine, gboolean first_lane, MsBatchImage *work, GError **error)
{
  ProgressData progress = {self, work->item, first_lane && self->hooks->progress};

  ms_engine_set_progress(engine, pass_progress_on, &progress);
  gboolean good = ms_stage_filter(work, engine, error);
  ms_engine_set_progress(engine, NULL, NULL);
  const MsInspection rows = {work->item, work->source, work->result, 0, engine};
  if (good && self->hooks->inspect)
    good = self->hooks->inspect(&rows, self->hooks->data, error);
  return good;
}

/* Returns an image whose device failed in a further lane to the first lane, which may open another device. */
static gboolean
return_to_first_lane(MsRunner *self, MsBatchImage *work, const GError *error)
{
  if (!ms_engine_is_device_fault(error))
    return FALSE;
  ms_timing_log_clear(work->item->log);
  g_array_set_size(work->item->kernel_ms, 0);
  g_array_set_size(work->item->filter_ms, 0);
  g_queue_push_head(&self->decoded, work);
  g_cond_broadcast(&self->changed);
  return TRUE;
}

/* Called with the lock held; %FALSE when the device failed in a further lane, which then takes no more images. */
static gboolean
pass_to_device(MsRunner *self, MsEngine *engine, gboolean first_lane, MsBatchImage *work)
{
  g_autoptr(GError) error = NULL;
  gboolean good;

  ms_runner_call_hook(self, self->hooks->started, work->item);
  g_mutex_unlock(&self->lock);
  if (work->is_streamed)
    good = stream_on_device(self, engine, first_lane, work, &error);
  else
    good = filter_on_device(self, engine, first_lane, work, &error);
  if (good && !self->options->verify)
    g_clear_object(&work->source);
  g_mutex_lock(&self->lock);
  if (!good && !first_lane && return_to_first_lane(self, work, error))
    return FALSE;
  self->unfiltered--;
  if (work->is_streamed) {
    ms_runner_settle_saved(self, work, error);
    return TRUE;
  }
  if (good) {
    g_queue_push_tail(&self->filtered, work);
    g_cond_broadcast(&self->changed);
    return TRUE;
  }
  ms_runner_fail_item(self, work->item, error, TRUE);
  ms_runner_release(self, work);
  return TRUE;
}

/** ms_runner_work_on_device: filters decoded images until none is left or the device of a further lane fails. */
void
ms_runner_work_on_device(MsRunner *self, MsEngine *engine, gboolean first_lane)
{
  gboolean usable = TRUE;

  g_mutex_lock(&self->lock);
  while (usable && self->unfiltered > 0 && !self->stopped) {
    MsBatchImage *work = g_queue_pop_head(&self->decoded);
    if (work)
      usable = pass_to_device(self, engine, first_lane, work);
    else
      g_cond_wait(&self->changed, &self->lock);
  }
  g_mutex_unlock(&self->lock);
}

typedef struct {
  MsRunner *runner;
  MsEngine *engine;
} DeviceLane;

static gpointer
work_on_further_lane(gpointer data)
{
  DeviceLane *lane = data;

  ms_runner_work_on_device(lane->runner, lane->engine, FALSE);
  g_free(lane);
  return NULL;
}

/**
 * ms_runner_start_further_lanes:
 *
 * Opens further lanes, unless images are measured or inspected, which needs the device for one image at a time.
 *
 * Returns: (transfer full) (element-type GThread): their threads
 */
GPtrArray *
ms_runner_start_further_lanes(MsRunner *self, MsEngine *engine)
{
  GPtrArray *threads = g_ptr_array_new();
  guint n = self->options->repeat > 1 || self->hooks->inspect ? 1 : MIN(ms_engine_get_lanes(engine), self->items->len);

  for (guint i = 1; i < n; i++) {
    MsEngine *further = ms_engine_open_lane(engine, NULL);
    if (!further)
      break;
    g_ptr_array_add(self->engines, further);
    DeviceLane *lane = g_new(DeviceLane, 1);
    *lane = (DeviceLane){self, further};
    g_ptr_array_add(threads, g_thread_new("ms-device", work_on_further_lane, lane));
  }
  return threads;
}
