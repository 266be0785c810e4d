/* SPDX-License-Identifier: MIT */
#include "core/batch/runner.h"

#include <glib/gi18n-lib.h>
#include <unistd.h>

#include "core/batch/process/memory-cap.h"
#include "core/batch/stages.h"

/* More threads than this only wait for the disk. */
#define MOST_USUAL_JOBS 16

/* While a device is opened, so many times the usual images are decoded ahead, in this part of the memory. */
#define OPENING_AHEAD 16
#define OPENING_SHARE 2

/*
 * The state of a run. One lock guards everything but the pixels of an image in work. An idle worker takes, in this
 * order: a result to save, which frees memory; an image to decode that fits the memory left; the header of the next
 * item.
 */
typedef struct {
  GPtrArray *items;
  const MsRunnerOptions *options;
  const MsRunnerHooks *hooks;
  GCancellable *cancellable;
  GMutex lock;
  GCond changed;
  guint next;       /* index of the item whose header is read next */
  guint unfiltered; /* items that may still reach the device */
  guint unfinished; /* items that are neither done, failed nor skipped */
  guint decoding;
  guint decode_ahead;
  gboolean opening; /* the device, which takes no images yet */
  gboolean measuring;
  gboolean stopped;
  MsBatchImage *measured; /* measured, waiting for memory */
  GQueue decoded;
  GQueue filtered;
  guint64 memory_used;
} Runner;

MsRunnerOptions
ms_runner_options_default(void)
{
  return (MsRunnerOptions){.settings = ms_settings_default(),
                           .limits = ms_image_limits_default(),
                           .save = ms_save_options_default(),
                           .repeat = 1};
}

static guint64
usual_memory_limit(void)
{
  gint64 pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);

  return pages > 0 && page > 0 ? (guint64)pages * (guint64)page / 4 : G_GUINT64_CONSTANT(1) << 30;
}

/* Skipped items get no line, because the manifest has the line of the run that did the work. */
static void
record(const MsRunnerOptions *options, const MsRunnerHooks *hooks, const MsBatchItem *item)
{
  MsSaveOptions save = options->save;
  g_autoptr(GError) error = NULL;

  if (!options->manifest || item->status == MS_ITEM_SKIPPED)
    return;
  save.format = ms_batch_item_format(item, save.format);
  if (!ms_manifest_append(options->manifest, item, &options->settings, &save, &error) && hooks->problem)
    hooks->problem(error->message, hooks->data);
}

/** ms_runner_report: records a finished item in the manifest and passes it to @hooks. */
void
ms_runner_report(const MsRunnerOptions *options, const MsRunnerHooks *hooks, MsBatchItem *item)
{
  record(options, hooks, item);
  if (!options->keep_log)
    g_clear_object(&item->log);
  if (hooks->finished)
    hooks->finished(item, hooks->data);
}

/* Called with the lock held, so that the hooks get one item at a time. */
static void
finish_item(Runner *r, MsBatchItem *item, gboolean was_filtered)
{
  ms_runner_report(r->options, r->hooks, item);
  r->unfinished--;
  if (!was_filtered)
    r->unfiltered--;
  g_cond_broadcast(&r->changed);
}

/* Marks an item as failed; an image that an interruption ended stays pending. */
static void
fail_item(Runner *r, MsBatchItem *item, const GError *error, gboolean was_filtered)
{
  if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED)) {
    r->stopped = TRUE;
    g_cond_broadcast(&r->changed);
    return;
  }
  ms_batch_item_fail_with(item, error);
  finish_item(r, item, was_filtered);
}

static void
release_work(Runner *r, MsBatchImage *work)
{
  r->memory_used -= work->bytes;
  ms_batch_image_free(work);
  g_cond_broadcast(&r->changed);
}

/*
 * Processors have nothing else to do while a driver starts, which takes as long as decoding dozens of images: these may
 * then take a part of the memory instead of the images that a running device needs ahead.
 */
static gboolean
may_decode(const Runner *r)
{
  guint ahead = r->opening ? r->decode_ahead * OPENING_AHEAD : r->decode_ahead;
  guint64 memory = r->opening ? r->options->memory / OPENING_SHARE : r->options->memory;

  if (!r->measured || r->decoding + g_queue_get_length((GQueue *)&r->decoded) >= ahead)
    return FALSE;
  return r->memory_used == 0 || r->memory_used + r->measured->bytes <= memory;
}

/* Called with the lock held. */
static void
call_hook(const Runner *r, void (*hook)(MsBatchItem *, gpointer), MsBatchItem *item)
{
  if (hook)
    hook(item, r->hooks->data);
}

static void
measure_next(Runner *r)
{
  MsBatchItem *item = g_ptr_array_index(r->items, r->next++);
  g_autoptr(MsBatchImage) work = NULL;
  g_autoptr(GError) error = NULL;
  gboolean good;

  if (item->status != MS_ITEM_PENDING) {
    finish_item(r, item, FALSE);
    return;
  }
  call_hook(r, r->hooks->started, item);
  work = g_new0(MsBatchImage, 1);
  work->item = item;
  r->measuring = TRUE;
  g_mutex_unlock(&r->lock);
  good = ms_stage_measure(work, r->options, r->cancellable, &error);
  g_mutex_lock(&r->lock);
  r->measuring = FALSE;
  if (!good) {
    fail_item(r, item, error, FALSE);
    return;
  }
  r->measured = g_steal_pointer(&work);
  g_cond_broadcast(&r->changed);
}

static void
decode_measured(Runner *r)
{
  MsBatchImage *work = g_steal_pointer(&r->measured);
  g_autoptr(GError) error = NULL;
  gboolean good;

  r->memory_used += work->bytes;
  r->decoding++;
  g_cond_broadcast(&r->changed);
  g_mutex_unlock(&r->lock);
  good = ms_stage_decode(work, r->options, r->cancellable, &error);
  g_mutex_lock(&r->lock);
  r->decoding--;
  if (good) {
    call_hook(r, r->hooks->waits, work->item);
    g_queue_push_tail(&r->decoded, work);
    g_cond_broadcast(&r->changed);
    return;
  }
  fail_item(r, work->item, error, FALSE);
  release_work(r, work);
}

/* Called with the lock held, when the result of an image was saved or could not be. */
static void
settle_saved(Runner *r, MsBatchImage *work, const GError *error)
{
  MsBatchItem *item = work->item;

  if (!error) {
    item->status = MS_ITEM_DONE;
    finish_item(r, item, TRUE);
  } else if (item->skip_existing && g_error_matches(error, MS_ERROR, MS_ERROR_EXISTS)) {
    /* Another process created the output after the plan was made. */
    ms_batch_item_skip(item, N_("the output exists"));
    finish_item(r, item, TRUE);
  } else {
    fail_item(r, item, error, TRUE);
  }
  release_work(r, work);
}

static void
save_filtered(Runner *r)
{
  MsBatchImage *work = g_queue_pop_head(&r->filtered);
  g_autoptr(GError) error = NULL;

  g_mutex_unlock(&r->lock);
  if ((!r->options->verify || ms_stage_verify(work, r->options, r->cancellable, &error)) && work->item->output)
    ms_stage_save(work, r->options, r->cancellable, &error);
  g_mutex_lock(&r->lock);
  settle_saved(r, work, error);
}

static gpointer
work_on_host(gpointer data)
{
  Runner *r = data;

  g_mutex_lock(&r->lock);
  while (r->unfinished > 0 && !r->stopped) {
    if (!g_queue_is_empty(&r->filtered))
      save_filtered(r);
    else if (may_decode(r))
      decode_measured(r);
    else if (!r->measured && !r->measuring && r->next < r->items->len)
      measure_next(r);
    else
      g_cond_wait(&r->changed, &r->lock);
  }
  g_mutex_unlock(&r->lock);
  return NULL;
}

typedef struct {
  Runner *runner;
  MsBatchItem *item;
} ProgressData;

static void
pass_progress_on(int done, int total, gpointer data)
{
  ProgressData *progress = data;
  const MsRunnerHooks *hooks = progress->runner->hooks;

  hooks->progress(progress->item, done, total, hooks->data);
}

/* Filters and saves an image that exceeds the memory, since rows are filtered when the encoder takes them. */
static gboolean
stream_on_device(Runner *r, MsEngine *engine, gboolean first_lane, MsBatchImage *work, GError **error)
{
  ProgressData progress = {r, work->item};
  gboolean reports = first_lane && r->hooks->progress;

  return ms_stage_stream(work, r->options, engine, reports ? pass_progress_on : NULL, &progress, r->cancellable, error);
}

static gboolean
filter_on_device(Runner *r, MsEngine *engine, MsBatchImage *work, GError **error)
{
  ProgressData progress = {r, work->item};

  if (r->hooks->progress)
    ms_engine_set_progress(engine, pass_progress_on, &progress);
  gboolean good = ms_stage_filter(work, r->options, engine, r->cancellable, error);
  ms_engine_set_progress(engine, NULL, NULL);
  if (good && r->hooks->inspect)
    good = r->hooks->inspect(work->item, work->source, work->result, engine, r->hooks->data, error);
  return good;
}

/* Returns an image whose device failed in a further lane to the first lane, which may open another device. */
static gboolean
return_to_first_lane(Runner *r, MsBatchImage *work, const GError *error)
{
  if (!ms_engine_is_device_fault(error))
    return FALSE;
  ms_timing_log_clear(work->item->log);
  g_array_set_size(work->item->kernel_ms, 0);
  g_array_set_size(work->item->filter_ms, 0);
  g_queue_push_head(&r->decoded, work);
  g_cond_broadcast(&r->changed);
  return TRUE;
}

/* Called with the lock held; %FALSE when the device failed in a further lane, which then takes no more images. */
static gboolean
pass_to_device(Runner *r, MsEngine *engine, gboolean first_lane, MsBatchImage *work)
{
  g_autoptr(GError) error = NULL;
  gboolean good;

  call_hook(r, r->hooks->started, work->item);
  g_mutex_unlock(&r->lock);
  if (work->is_streamed)
    good = stream_on_device(r, engine, first_lane, work, &error);
  else
    good = first_lane ? filter_on_device(r, engine, work, &error)
                      : ms_stage_filter(work, r->options, engine, r->cancellable, &error);
  if (good && !r->options->verify)
    g_clear_object(&work->source);
  g_mutex_lock(&r->lock);
  if (!good && !first_lane && return_to_first_lane(r, work, error))
    return FALSE;
  r->unfiltered--;
  if (work->is_streamed) {
    settle_saved(r, work, error);
    return TRUE;
  }
  if (good) {
    g_queue_push_tail(&r->filtered, work);
    g_cond_broadcast(&r->changed);
    return TRUE;
  }
  fail_item(r, work->item, error, TRUE);
  release_work(r, work);
  return TRUE;
}

static void
work_on_device(Runner *r, MsEngine *engine, gboolean first_lane)
{
  gboolean usable = TRUE;

  g_mutex_lock(&r->lock);
  while (usable && r->unfiltered > 0 && !r->stopped) {
    MsBatchImage *work = g_queue_pop_head(&r->decoded);
    if (work)
      usable = pass_to_device(r, engine, first_lane, work);
    else
      g_cond_wait(&r->changed, &r->lock);
  }
  g_mutex_unlock(&r->lock);
}

typedef struct {
  Runner *runner;
  MsEngine *engine;
} DeviceLane;

static gpointer
work_on_further_lane(gpointer data)
{
  DeviceLane *lane = data;

  work_on_device(lane->runner, lane->engine, FALSE);
  g_object_unref(lane->engine);
  g_free(lane);
  return NULL;
}

/* Opens further lanes, unless images are measured or inspected, which needs the device for one image at a time. */
static GPtrArray *
start_further_lanes(Runner *r, MsEngine *engine)
{
  GPtrArray *threads = g_ptr_array_new();
  guint n = r->options->repeat > 1 || r->hooks->inspect ? 1 : MIN(ms_engine_get_lanes(engine), r->items->len);

  for (guint i = 1; i < n; i++) {
    MsEngine *further = ms_engine_open_lane(engine, NULL);
    if (!further)
      break;
    DeviceLane *lane = g_new(DeviceLane, 1);
    *lane = (DeviceLane){r, further};
    g_ptr_array_add(threads, g_thread_new("ms-device", work_on_further_lane, lane));
  }
  return threads;
}

static void
stop(Runner *r)
{
  g_mutex_lock(&r->lock);
  r->stopped = TRUE;
  g_cond_broadcast(&r->changed);
  g_mutex_unlock(&r->lock);
}

static void
on_cancelled(GCancellable *cancellable, gpointer data)
{
  stop(data);
}

static guint
most_jobs(const MsRunnerOptions *options)
{
  return options->jobs ? options->jobs : MIN(g_get_num_processors(), MOST_USUAL_JOBS);
}

/* Each image of a folder is encoded by one thread; in a short batch, spare threads compress bands of a large image. */
static guint
encoder_threads(const MsRunnerOptions *options, GPtrArray *items)
{
  return MAX(most_jobs(options) / MAX(ms_batch_count(items).pending, 1), 1);
}

static GPtrArray *
start_workers(Runner *r)
{
  GPtrArray *threads = g_ptr_array_new();
  guint jobs = MAX(MIN(most_jobs(r->options), r->items->len), 1);

  r->decode_ahead = jobs + 1;
  for (guint i = 0; i < jobs; i++)
    g_ptr_array_add(threads, g_thread_new("ms-codec", work_on_host, r));
  return threads;
}

static void
join_workers(GPtrArray *threads)
{
  for (guint i = 0; i < threads->len; i++)
    g_thread_join(g_ptr_array_index(threads, i));
  g_ptr_array_unref(threads);
}

static void
runner_init(Runner *r)
{
  g_mutex_init(&r->lock);
  g_cond_init(&r->changed);
  g_queue_init(&r->decoded);
  g_queue_init(&r->filtered);
  r->unfiltered = r->unfinished = r->items->len;
}

static void
runner_clear(Runner *r)
{
  g_clear_pointer(&r->measured, ms_batch_image_free);
  g_queue_clear_full(&r->decoded, (GDestroyNotify)ms_batch_image_free);
  g_queue_clear_full(&r->filtered, (GDestroyNotify)ms_batch_image_free);
  g_cond_clear(&r->changed);
  g_mutex_clear(&r->lock);
}

static MsEngine *
open_device(Runner *r, GError **error)
{
  MsEngine *engine = r->hooks->open(r->hooks->data, error);

  g_mutex_lock(&r->lock);
  r->opening = FALSE;
  g_cond_broadcast(&r->changed);
  g_mutex_unlock(&r->lock);
  return engine;
}

static gboolean
open_and_work(Runner *r, GError **error)
{
  g_autoptr(MsEngine) engine = open_device(r, error);

  if (!engine || !ms_engine_check(engine, &r->options->settings, error))
    return FALSE;
  GPtrArray *threads = start_further_lanes(r, engine);
  work_on_device(r, engine, TRUE);
  join_workers(threads);
  return TRUE;
}

/* A batch without pending items needs no device. */
static gboolean
run_pipeline(Runner *r, GError **error)
{
  gboolean needed = ms_batch_count(r->items).pending > 0;
  r->opening = needed;
  GPtrArray *threads = start_workers(r);
  gboolean good = !needed || open_and_work(r, error);

  if (!good)
    stop(r);
  join_workers(threads);
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
ms_runner_run(GPtrArray *items, const MsRunnerOptions *options, const MsRunnerHooks *hooks, GCancellable *cancellable,
              GError **error)
{
  MsRunnerOptions shared = *options;
  Runner runner = {.items = items, .options = &shared, .hooks = hooks, .cancellable = cancellable};
  gulong handler = 0;
  gboolean good;

  shared.save.threads = encoder_threads(options, items);
  shared.memory =
    options->memory_limit ? ms_memory_cap_share(options->memory_limit, options->memory_runtime) : usual_memory_limit();
  runner_init(&runner);
  if (cancellable)
    handler = g_cancellable_connect(cancellable, G_CALLBACK(on_cancelled), &runner, NULL);
  good = run_pipeline(&runner, error);
  g_cancellable_disconnect(cancellable, handler);
  runner_clear(&runner);
  /* An interruption after the last item is ignored. */
  return good && !(runner.unfinished > 0 && g_cancellable_set_error_if_cancelled(cancellable, error));
}
