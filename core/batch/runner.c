/* SPDX-License-Identifier: MIT */
#include "core/batch/runner.h"

#include <glib/gi18n-lib.h>
#include <unistd.h>

#include "core/batch/output-folder.h"
#include "core/batch/stages.h"
#include "core/process/memory-cap.h"
#include "core/threads.h"

/* More threads than this would only wait for the disk. */
#define MOST_USUAL_JOBS 16

/*
 * The state of a run, which its threads share. One lock guards everything but the pixels of an image in work.
 * @next: index of the item whose header is read next
 * @unfiltered: items that may still reach the device
 * @unfinished: items that are neither done, failed nor skipped
 * @decode_ahead: how many images may be decoded or wait for the device
 * @opening: the device, which takes no images yet
 * @measured: (nullable): an image that has been measured and waits for memory
 * @engines: of the lanes, which are closed when every result is saved
 * @memory_used: bytes of the images in work
 */
typedef struct {
  GPtrArray *items;
  const MsBatchRun *run;
  GMutex lock;
  GCond changed;
  guint next;
  guint unfiltered;
  guint unfinished;
  guint decoding;
  guint decode_ahead;
  gboolean opening;
  gboolean measuring;
  gboolean stopped;
  GPtrArray *engines;
  MsBatchImage *measured;
  GQueue decoded;
  GQueue filtered;
  guint64 memory_used;
} Runner;

/** ms_batch_run_tell: passes an event on, if somebody takes them. */
void
ms_batch_run_tell(const MsBatchRun *self, MsBatchEvent *event)
{
  if (self->event)
    self->event(event, self->event_data);
}

static void
tell_item(const Runner *self, MsBatchEventKind kind, MsBatchItem *item)
{
  ms_batch_run_tell(self->run, &(MsBatchEvent){.kind = kind, .item = item});
}

/*
 * Ends an item, with an error or done: reports it, unless an interruption ended it, which leaves it pending. Called
 * with the lock held, so that only one thread reports an item at a time.
 */
static void
end_item(Runner *self, MsBatchItem *item, const GError *error, gboolean was_filtered)
{
  g_cond_broadcast(&self->changed);
  if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED)) {
    self->stopped = TRUE;
    return;
  }
  /* Another process may have created the output after the plan was made. */
  if (item->skip_existing && g_error_matches(error, MS_ERROR, MS_ERROR_EXISTS))
    ms_batch_item_skip(item, N_("the output exists"));
  else if (error)
    ms_batch_item_fail_with(item, error);
  if (!self->run->keep_log)
    g_clear_pointer(&item->log, ms_timing_log_unref);
  tell_item(self, MS_BATCH_FINISHED, item);
  self->unfinished--;
  if (!was_filtered)
    self->unfiltered--;
}

/* Ends the item of an image in work, and frees the image with its share of the memory. */
static void
end_image(Runner *self, MsBatchImage *work, const GError *error, gboolean was_filtered)
{
  if (!error)
    work->item->status = MS_ITEM_DONE;
  end_item(self, work->item, error, was_filtered);
  self->memory_used -= work->bytes;
  ms_batch_image_free(work);
}

/* Threads that read headers, decode, verify and save */

/*
 * While a device is being opened, this many times the usual number of images is decoded ahead, in a fraction of the
 * memory.
 */
#define OPENING_AHEAD 16
#define OPENING_SHARE 2

/*
 * A driver starts in the time that decoding dozens of images takes, so more images are decoded ahead meanwhile, limited
 * by memory instead of by their number. A larger image waits, because a driver that finds no memory is not loaded.
 */
static gboolean
may_decode(const Runner *self)
{
  guint ahead = self->opening ? self->decode_ahead * OPENING_AHEAD : self->decode_ahead;
  guint64 memory = self->opening ? self->run->memory / OPENING_SHARE : self->run->memory;

  if (!self->measured || self->decoding + g_queue_get_length((GQueue *)&self->decoded) >= ahead)
    return FALSE;
  return (self->memory_used == 0 && !self->opening) || self->memory_used + self->measured->bytes <= memory;
}

static void
measure_next(Runner *self)
{
  MsBatchItem *item = g_ptr_array_index(self->items, self->next++);
  g_autoptr(MsBatchImage) work = NULL;
  g_autoptr(GError) error = NULL;
  gboolean good;

  if (item->status != MS_ITEM_PENDING) {
    end_item(self, item, NULL, FALSE);
    return;
  }
  tell_item(self, MS_BATCH_STARTED, item);
  work = ms_batch_image_new(item, self->run);
  self->measuring = TRUE;
  g_mutex_unlock(&self->lock);
  good = ms_stage_measure(work, &error);
  g_mutex_lock(&self->lock);
  self->measuring = FALSE;
  if (!good) {
    end_item(self, item, error, FALSE);
    return;
  }
  self->measured = g_steal_pointer(&work);
  g_cond_broadcast(&self->changed);
}

static void
decode_measured(Runner *self)
{
  MsBatchImage *work = g_steal_pointer(&self->measured);
  g_autoptr(GError) error = NULL;
  gboolean good;

  self->memory_used += work->bytes;
  self->decoding++;
  g_cond_broadcast(&self->changed);
  g_mutex_unlock(&self->lock);
  good = ms_stage_decode(work, &error);
  g_mutex_lock(&self->lock);
  self->decoding--;
  if (good) {
    tell_item(self, MS_BATCH_WAITS, work->item);
    g_queue_push_tail(&self->decoded, work);
    g_cond_broadcast(&self->changed);
    return;
  }
  end_image(self, work, error, FALSE);
}

static void
save_filtered(Runner *self)
{
  MsBatchImage *work = g_queue_pop_head(&self->filtered);
  g_autoptr(GError) error = NULL;

  g_mutex_unlock(&self->lock);
  if ((!self->run->request->verify || ms_stage_verify(work, &error)) && work->item->output)
    ms_stage_save(work, &error);
  g_mutex_lock(&self->lock);
  end_image(self, work, error, TRUE);
}

/*
 * An idle thread takes, in this order: a result to save, which frees memory; an image to decode that fits the memory
 * left; the header of the next item.
 */
static gpointer
work_on_host_in_thread(gpointer data)
{
  Runner *self = data;

  g_mutex_lock(&self->lock);
  while (self->unfinished > 0 && !self->stopped) {
    if (!g_queue_is_empty(&self->filtered))
      save_filtered(self);
    else if (may_decode(self))
      decode_measured(self);
    else if (!self->measured && !self->measuring && self->next < self->items->len)
      measure_next(self);
    else
      g_cond_wait(&self->changed, &self->lock);
  }
  g_mutex_unlock(&self->lock);
  return NULL;
}

/* (transfer full) (element-type GThread): @n threads. */
static GPtrArray *
start_codec_threads(Runner *self, guint n)
{
  GPtrArray *threads = g_ptr_array_new();
  GThread *thread = NULL;

  self->decode_ahead = n + 1;
  while (threads->len < n && (thread = g_thread_try_new("ms-codec", work_on_host_in_thread, self, NULL)))
    g_ptr_array_add(threads, thread);
  return threads;
}

/* Threads that drive the device */

static void
on_filter_progress(int done, int total, gpointer data)
{
  const MsBatchImage *work = data;
  MsBatchEvent event = {.kind = MS_BATCH_PROGRESS, .item = work->item, .fraction = (double)done / MAX(total, 1)};

  ms_batch_run_tell(work->run, &event);
}

/*
 * Filters an image; one that exceeds the memory is saved, too, since only some of its rows are in memory at a time.
 * Only the first lane reports progress.
 */
static gboolean
filter_on_device(const Runner *self, MsEngine *engine, gboolean first_lane, MsBatchImage *work, GError **error)
{
  const MsProgressFunc progress = first_lane && self->run->event ? on_filter_progress : NULL;

  if (work->is_streamed)
    return ms_stage_stream(work, engine, progress, error);
  gboolean good = ms_stage_filter(work, engine, progress, error);
  const MsInspection rows = {work->item, work->source, work->result, 0, ms_engine_get_context(engine)};
  return good && (!self->run->inspect || self->run->inspect(&rows, self->run->data, error));
}

/* Returns an image whose device failed in a further lane to the first lane, which may open another device. */
static gboolean
return_to_first_lane(Runner *self, MsBatchImage *work, const GError *error)
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
pass_to_device(Runner *self, MsEngine *engine, gboolean first_lane, MsBatchImage *work)
{
  g_autoptr(GError) error = NULL;
  gboolean good;

  tell_item(self, MS_BATCH_STARTED, work->item);
  g_mutex_unlock(&self->lock);
  good = filter_on_device(self, engine, first_lane, work, &error);
  if (good && !self->run->request->verify)
    g_clear_object(&work->source);
  g_mutex_lock(&self->lock);
  if (!good && !first_lane && return_to_first_lane(self, work, error))
    return FALSE;
  self->unfiltered--;
  if (good && !work->is_streamed) {
    g_queue_push_tail(&self->filtered, work);
    g_cond_broadcast(&self->changed);
  } else {
    end_image(self, work, error, TRUE);
  }
  return TRUE;
}

/* Filters decoded images until none is left or the device of a further lane fails. */
static void
work_on_device(Runner *self, MsEngine *engine, gboolean first_lane)
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
  Runner *runner;
  MsEngine *engine;
} DeviceLane;

static gpointer
work_on_lane_in_thread(gpointer data)
{
  DeviceLane *lane = data;

  work_on_device(lane->runner, lane->engine, FALSE);
  g_free(lane);
  return NULL;
}

/*
 * Opens further lanes, unless images are measured or inspected, which needs the device for one image at a time.
 *
 * Returns: (transfer full) (element-type GThread): their threads
 */
static GPtrArray *
start_further_lanes(Runner *self, MsEngine *engine)
{
  GPtrArray *threads = g_ptr_array_new();
  guint n = self->run->request->repeat > 1 || self->run->inspect
              ? 1
              : MIN(ms_engine_get_images_at_once(engine), self->items->len);

  for (guint i = 1; i < n; i++) {
    MsEngine *further = ms_engine_new_sibling(engine, NULL);
    if (!further)
      break;
    g_ptr_array_add(self->engines, further);
    DeviceLane *lane = g_new(DeviceLane, 1);
    *lane = (DeviceLane){self, further};
    GThread *thread = g_thread_try_new("ms-device", work_on_lane_in_thread, lane, NULL);
    if (!thread) {
      g_free(lane);
      break;
    }
    g_ptr_array_add(threads, thread);
  }
  return threads;
}

/* The run */

static void
stop(Runner *self)
{
  g_mutex_lock(&self->lock);
  self->stopped = TRUE;
  g_cond_broadcast(&self->changed);
  g_mutex_unlock(&self->lock);
}

static void
on_cancelled(GCancellable *cancellable, gpointer data)
{
  stop(data);
}

static guint
most_jobs(const MsBatchRun *run)
{
  return run->request->jobs ? run->request->jobs : MIN(g_get_num_processors(), MOST_USUAL_JOBS);
}

/* Each image of a folder is encoded by one thread; in a short batch, spare threads compress bands of a large image. */
static guint
encoder_threads(const MsBatchRun *run, GPtrArray *items)
{
  return MAX(most_jobs(run) / MAX(ms_batch_count(items).pending, 1), 1);
}

static void
join_threads(GPtrArray *threads)
{
  for (guint i = 0; i < threads->len; i++)
    g_thread_join(g_ptr_array_index(threads, i));
  g_ptr_array_unref(threads);
}

static void
runner_init(Runner *self)
{
  g_mutex_init(&self->lock);
  g_cond_init(&self->changed);
  g_queue_init(&self->decoded);
  g_queue_init(&self->filtered);
  self->engines = g_ptr_array_new_with_free_func((GDestroyNotify)ms_engine_unref);
  self->unfiltered = self->unfinished = self->items->len;
}

/* The devices are closed last, since a driver may end the process then. */
static void
runner_clear(Runner *self)
{
  g_clear_pointer(&self->measured, ms_batch_image_free);
  g_queue_clear_full(&self->decoded, (GDestroyNotify)ms_batch_image_free);
  g_queue_clear_full(&self->filtered, (GDestroyNotify)ms_batch_image_free);
  g_cond_clear(&self->changed);
  g_mutex_clear(&self->lock);
  if (!self->run->keeps_devices)
    g_ptr_array_unref(self->engines);
}

static MsEngine *
open_device(Runner *self, GError **error)
{
  MsEngine *engine = self->run->open(self->run->data, error);

  if (engine)
    ms_batch_run_tell(self->run, &(MsBatchEvent){.kind = MS_BATCH_DEVICE, .device = ms_engine_describe(engine)});
  g_mutex_lock(&self->lock);
  self->opening = FALSE;
  g_cond_broadcast(&self->changed);
  g_mutex_unlock(&self->lock);
  return engine;
}

static gboolean
open_and_work(Runner *self, GError **error)
{
  MsEngine *engine = open_device(self, error);

  if (engine)
    g_ptr_array_add(self->engines, engine);
  if (!engine || !ms_engine_check(engine, &self->run->request->settings, error))
    return FALSE;
  GPtrArray *threads = start_further_lanes(self, engine);
  work_on_device(self, engine, TRUE);
  join_threads(threads);
  return TRUE;
}

/* A batch without pending items needs no device. */
static gboolean
run_pipeline(Runner *self, GError **error)
{
  gboolean needed = ms_batch_count(self->items).pending > 0;
  self->opening = needed;
  GPtrArray *threads = start_codec_threads(self, MAX(MIN(most_jobs(self->run), self->items->len), 1));
  gboolean good = (threads->len > 0 || ms_threads_check(1, error)) && (!needed || open_and_work(self, error));

  if (!good)
    stop(self);
  join_threads(threads);
  return good;
}

/**
 * ms_runner_run:
 * @items: (element-type MsBatchItem): pending ones are filtered, the others only reported
 *
 * The calling thread drives the device; other threads decode, verify and save. The error of one image is kept in its
 * item and stops no other.
 *
 * Returns: %FALSE when no engine could be opened, the settings cannot run on it (#MS_ERROR_UNSUPPORTED,
 *   #MS_ERROR_USAGE), or the run was interrupted (G_IO_ERROR_CANCELLED): then finished files are whole and unfinished
 *   items pending
 */
gboolean
ms_runner_run(GPtrArray *items, const MsBatchRun *run, GError **error)
{
  MsBatchRun shared = *run;
  Runner runner = {.items = items, .run = &shared};
  const int folder = ms_output_folder_hold(items);
  gulong handler = 0;
  gboolean good;

  shared.encoder_threads = encoder_threads(run, items);
  const guint64 limit = run->request->memory_limit;
  shared.memory = limit ? ms_memory_cap_share(limit, run->memory_runtime) : ms_memory_cap_usual();
  runner_init(&runner);
  if (run->cancellable)
    handler = g_cancellable_connect(run->cancellable, G_CALLBACK(on_cancelled), &runner, NULL);
  good = run_pipeline(&runner, error);
  g_cancellable_disconnect(run->cancellable, handler);
  runner_clear(&runner);
  if (folder >= 0)
    close(folder);
  /* An interruption after the last item is ignored. */
  return good && !(runner.unfinished > 0 && g_cancellable_set_error_if_cancelled(run->cancellable, error));
}
