/* SPDX-License-Identifier: MIT */
#include "core/batch/run/runner.h"

#include <glib/gi18n-lib.h>

#include "core/process/memory-cap.h"
#include "core/batch/run/runner-device.h"
#include "core/batch/run/runner-host.h"

/* More threads than this would only wait for the disk. */
#define MOST_USUAL_JOBS 16

MsRunnerOptions
ms_runner_options_default(void)
{
  return (MsRunnerOptions){.settings = ms_settings_default(),
                           .limits = ms_image_limits_default(),
                           .save = ms_save_options_default(),
                           .repeat = 1};
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

/** ms_runner_call_hook: called with the lock held; @hook: (nullable). */
void
ms_runner_call_hook(const MsRunner *self, void (*hook)(MsBatchItem *, gpointer), MsBatchItem *item)
{
  if (hook)
    hook(item, self->hooks->data);
}

/** ms_runner_finish_item: reports an item; called with the lock held, so that the hooks get one item at a time. */
void
ms_runner_finish_item(MsRunner *self, MsBatchItem *item, gboolean was_filtered)
{
  ms_runner_report(self->options, self->hooks, item);
  self->unfinished--;
  if (!was_filtered)
    self->unfiltered--;
  g_cond_broadcast(&self->changed);
}

/** ms_runner_fail_item: marks an item as failed; an image that an interruption ended stays pending. */
void
ms_runner_fail_item(MsRunner *self, MsBatchItem *item, const GError *error, gboolean was_filtered)
{
  if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED)) {
    self->stopped = TRUE;
    g_cond_broadcast(&self->changed);
    return;
  }
  ms_batch_item_fail_with(item, error);
  ms_runner_finish_item(self, item, was_filtered);
}

/** ms_runner_release: frees an image and its share of the memory; called with the lock held. */
void
ms_runner_release(MsRunner *self, MsBatchImage *work)
{
  self->memory_used -= work->bytes;
  ms_batch_image_free(work);
  g_cond_broadcast(&self->changed);
}

/** ms_runner_settle_saved: called with the lock held, when the result of an image was saved or could not be. */
void
ms_runner_settle_saved(MsRunner *self, MsBatchImage *work, const GError *error)
{
  MsBatchItem *item = work->item;

  if (!error) {
    item->status = MS_ITEM_DONE;
    ms_runner_finish_item(self, item, TRUE);
  } else if (item->skip_existing && g_error_matches(error, MS_ERROR, MS_ERROR_EXISTS)) {
    /* Another process created the output after the plan was made. */
    ms_batch_item_skip(item, N_("the output exists"));
    ms_runner_finish_item(self, item, TRUE);
  } else {
    ms_runner_fail_item(self, item, error, TRUE);
  }
  ms_runner_release(self, work);
}

static void
stop(MsRunner *self)
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

static guint
n_workers(const MsRunner *self)
{
  return MAX(MIN(most_jobs(self->options), self->items->len), 1);
}

static void
join_workers(GPtrArray *threads)
{
  for (guint i = 0; i < threads->len; i++)
    g_thread_join(g_ptr_array_index(threads, i));
  g_ptr_array_unref(threads);
}

static void
runner_init(MsRunner *self)
{
  g_mutex_init(&self->lock);
  g_cond_init(&self->changed);
  g_queue_init(&self->decoded);
  g_queue_init(&self->filtered);
  self->engines = g_ptr_array_new_with_free_func(g_object_unref);
  self->unfiltered = self->unfinished = self->items->len;
}

/* Closes the devices last, since a driver may end the process then. */
static void
runner_clear(MsRunner *self)
{
  g_ptr_array_unref(self->engines);
  g_clear_pointer(&self->measured, ms_batch_image_free);
  g_queue_clear_full(&self->decoded, (GDestroyNotify)ms_batch_image_free);
  g_queue_clear_full(&self->filtered, (GDestroyNotify)ms_batch_image_free);
  g_cond_clear(&self->changed);
  g_mutex_clear(&self->lock);
}

static MsEngine *
open_device(MsRunner *self, GError **error)
{
  MsEngine *engine = self->hooks->open(self->hooks->data, error);

  g_mutex_lock(&self->lock);
  self->opening = FALSE;
  g_cond_broadcast(&self->changed);
  g_mutex_unlock(&self->lock);
  return engine;
}

static gboolean
open_and_work(MsRunner *self, GError **error)
{
  MsEngine *engine = open_device(self, error);

  if (engine)
    g_ptr_array_add(self->engines, engine);
  if (!engine || !ms_engine_check(engine, &self->options->settings, error))
    return FALSE;
  GPtrArray *threads = ms_runner_start_further_lanes(self, engine);
  ms_runner_work_on_device(self, engine, TRUE);
  join_workers(threads);
  ms_engine_save_learned(engine);
  return TRUE;
}

/* A batch without pending items needs no device. */
static gboolean
run_pipeline(MsRunner *self, GError **error)
{
  gboolean needed = ms_batch_count(self->items).pending > 0;
  self->opening = needed;
  GPtrArray *threads = ms_runner_start_workers(self, n_workers(self));
  gboolean good = !needed || open_and_work(self, error);

  if (!good)
    stop(self);
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
  MsRunner runner = {.items = items, .options = &shared, .hooks = hooks, .cancellable = cancellable};
  gulong handler = 0;
  gboolean good;

  shared.save.threads = encoder_threads(options, items);
  shared.memory =
    options->memory_limit ? ms_memory_cap_share(options->memory_limit, options->memory_runtime) : ms_memory_cap_usual();
  runner_init(&runner);
  if (cancellable)
    handler = g_cancellable_connect(cancellable, G_CALLBACK(on_cancelled), &runner, NULL);
  good = run_pipeline(&runner, error);
  g_cancellable_disconnect(cancellable, handler);
  runner_clear(&runner);
  /* An interruption after the last item is ignored. */
  return good && !(runner.unfinished > 0 && g_cancellable_set_error_if_cancelled(cancellable, error));
}
