/* SPDX-License-Identifier: MIT */
#include "ui/batch/batch-job.h"

#include <errno.h>
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>

#include "core/batch/naming.h"
#include "core/batch/run/runner.h"

/* Updates are collected for this time, so that thousands of small images do not flood the main loop. */
#define DELIVERY_MS 100

#define UPDATES_AT_ONCE 200

typedef enum {
  WORK_PLAN,
  WORK_RUN,
  WORK_RETRY,
} Work;

struct _MsBatchJob {
  GObject parent_instance;
  MsBatchSpec *spec;
  GPtrArray *items;     /* MsBatchItem; used only by the job's thread */
  MsManifest *manifest; /* (nullable); as @items */
  gboolean manifest_is_open;
  GHashTable *indices; /* MsBatchItem → its index in @items; constant after planning */
  GCancellable *cancellable;
  gboolean running;

  GMutex lock; /* guards the members below */
  GCond resumed;
  gboolean paused;
  GArray *updates;
  guint delivery;
};

G_DEFINE_FINAL_TYPE(MsBatchJob, ms_batch_job, G_TYPE_OBJECT)

static guint updates_signal, ended_signal;

static void
clear_update(gpointer data)
{
  MsBatchUpdate *update = data;

  g_free(update->input);
  g_free(update->output);
  g_free(update->message);
}

static GArray *
new_updates(void)
{
  GArray *updates = g_array_new(FALSE, TRUE, sizeof(MsBatchUpdate));

  g_array_set_clear_func(updates, clear_update);
  return updates;
}

static void
ms_batch_job_finalize(GObject *object)
{
  MsBatchJob *self = MS_BATCH_JOB(object);

  ms_batch_spec_free(self->spec);
  g_clear_pointer(&self->items, g_ptr_array_unref);
  g_clear_object(&self->manifest);
  g_clear_pointer(&self->indices, g_hash_table_unref);
  g_array_unref(self->updates);
  g_object_unref(self->cancellable);
  g_mutex_clear(&self->lock);
  g_cond_clear(&self->resumed);
  G_OBJECT_CLASS(ms_batch_job_parent_class)->finalize(object);
}

static void
ms_batch_job_class_init(MsBatchJobClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = ms_batch_job_finalize;
  updates_signal =
    g_signal_new("updates", MS_TYPE_BATCH_JOB, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_ARRAY);
  ended_signal =
    g_signal_new("ended", MS_TYPE_BATCH_JOB, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_ERROR);
}

static void
ms_batch_job_init(MsBatchJob *self)
{
  g_mutex_init(&self->lock);
  g_cond_init(&self->resumed);
  self->updates = new_updates();
  self->indices = g_hash_table_new(NULL, NULL);
  self->cancellable = g_cancellable_new();
}

/** ms_batch_job_new: (transfer full): a job that was not started; copies @spec. */
MsBatchJob *
ms_batch_job_new(const MsBatchSpec *spec)
{
  MsBatchJob *self = g_object_new(MS_TYPE_BATCH_JOB, NULL);

  self->spec = ms_batch_spec_copy(spec);
  return self;
}

const MsBatchSpec *
ms_batch_job_get_spec(MsBatchJob *self)
{
  return self->spec;
}

gboolean
ms_batch_job_is_running(MsBatchJob *self)
{
  return self->running;
}

/* Takes the oldest undelivered updates; the caller holds the lock. */
static GArray *
take_updates(MsBatchJob *self)
{
  GArray *updates = new_updates();
  const guint n = MIN(self->updates->len, UPDATES_AT_ONCE);

  g_array_append_vals(updates, self->updates->data, n);
  /* The returned array owns the strings now. */
  g_array_set_clear_func(self->updates, NULL);
  g_array_remove_range(self->updates, 0, n);
  g_array_set_clear_func(self->updates, clear_update);
  return updates;
}

/* Delivers a limited number of updates, so that no turn of the main loop takes long; returns whether more are left. */
static gboolean
deliver(MsBatchJob *self)
{
  g_autoptr(GArray) updates = NULL;
  gboolean more;

  g_mutex_lock(&self->lock);
  updates = take_updates(self);
  more = self->updates->len > 0;
  g_mutex_unlock(&self->lock);
  if (updates->len > 0)
    g_signal_emit(self, updates_signal, 0, updates);
  return more;
}

/* Delivers the remaining updates in idle turns of the main loop. */
static gboolean
deliver_cb(gpointer data)
{
  MsBatchJob *self = data;

  deliver(self);
  g_mutex_lock(&self->lock);
  self->delivery = 0;
  if (self->updates->len > 0)
    self->delivery = g_idle_add_full(G_PRIORITY_DEFAULT_IDLE, deliver_cb, g_object_ref(self), g_object_unref);
  g_mutex_unlock(&self->lock);
  return G_SOURCE_REMOVE;
}

/* May be called on any thread. */
static void
report(MsBatchJob *self, const MsBatchItem *item, guint index, gboolean first)
{
  MsBatchUpdate update = {.index = index,
                          .status = item->status,
                          .input = first ? g_strdup(item->input) : NULL,
                          .output = g_strdup(item->output),
                          .message = g_strdup(item->shown    ? item->shown
                                              : item->reason ? _(item->reason)
                                                             : item->notes[MS_LANGUAGE_USER]),
                          .width = item->width,
                          .height = item->height};

  for (guint i = 0; item->kernel_ms && i < item->kernel_ms->len; i++)
    update.kernel_ms += g_array_index(item->kernel_ms, double, i);
  g_mutex_lock(&self->lock);
  g_array_append_val(self->updates, update);
  if (self->delivery == 0)
    self->delivery =
      g_timeout_add_full(G_PRIORITY_DEFAULT, DELIVERY_MS, deliver_cb, g_object_ref(self), g_object_unref);
  g_mutex_unlock(&self->lock);
}

static void
finished_cb(MsBatchItem *item, gpointer data)
{
  MsBatchJob *self = data;

  report(self, item, GPOINTER_TO_UINT(g_hash_table_lookup(self->indices, item)), FALSE);
}

/* Called on the thread that drives the device, so waiting here pauses the batch between two images or bands. */
static gboolean
inspect_cb(const MsInspection *rows, gpointer data, GError **error)
{
  MsBatchJob *self = data;

  g_mutex_lock(&self->lock);
  while (self->paused)
    g_cond_wait(&self->resumed, &self->lock);
  g_mutex_unlock(&self->lock);
  return TRUE;
}

static MsEngine *
open_cb(gpointer data, GError **error)
{
  MsBatchJob *self = data;

  return ms_engine_open(self->spec->device_selector, MS_FALLBACK_DEFAULT, NULL, NULL, error);
}

/* Planning needs the folder for the results; a dry run removes it again if it is empty. */
static gboolean
make_output_folder(MsBatchJob *self, GError **error)
{
  if (g_mkdir_with_parents(self->spec->output, 0777) == 0)
    return TRUE;
  g_set_error(error, MS_ERROR, MS_ERROR_IO, _("The folder '%s' cannot be made: %s."), self->spec->output,
              g_strerror(errno));
  return FALSE;
}

static gboolean
plan(MsBatchJob *self, GError **error)
{
  const MsBatchSpec *spec = self->spec;
  MsBatchRequest request = {.inputs = (const char *const *)spec->inputs,
                            .recursive = spec->recursive,
                            .output = spec->output,
                            .name_template = spec->name_template,
                            .format = spec->format,
                            .quality = spec->quality,
                            .on_conflict = spec->on_conflict,
                            .shard = ms_shard_whole(),
                            .settings = spec->settings};
  const MsOwnFile own_file = {"manifest", spec->manifest};
  g_autoptr(MsEngine) engine = NULL;

  if (spec->manifest && !(self->manifest = ms_manifest_load(spec->manifest, error)))
    return FALSE;
  request.manifest = self->manifest;
  request.own_files = &own_file;
  request.n_own_files = 1;
  if (ms_naming_uses(spec->name_template, "device")) {
    engine = open_cb(self, error);
    if (!engine)
      return FALSE;
    request.device = ms_engine_describe(engine).name;
  }
  self->items = ms_batch_plan(&request, error);
  for (guint i = 0; self->items && i < self->items->len; i++) {
    g_hash_table_insert(self->indices, self->items->pdata[i], GUINT_TO_POINTER(i));
    report(self, self->items->pdata[i], i, TRUE);
  }
  return self->items != NULL;
}

static void
reset_failed(MsBatchJob *self)
{
  for (guint i = 0; self->items && i < self->items->len; i++) {
    MsBatchItem *item = self->items->pdata[i];
    if (item->status != MS_ITEM_FAILED)
      continue;
    ms_batch_item_reset(item);
    report(self, item, i, FALSE);
  }
}

static gboolean
run(MsBatchJob *self, GError **error)
{
  MsRunnerOptions options = ms_runner_options_default();
  MsRunnerHooks hooks = {.open = open_cb, .inspect = inspect_cb, .finished = finished_cb, .data = self};
  g_autoptr(GPtrArray) pending = g_ptr_array_new();

  for (guint i = 0; i < self->items->len; i++)
    if (((MsBatchItem *)self->items->pdata[i])->status == MS_ITEM_PENDING)
      g_ptr_array_add(pending, self->items->pdata[i]);
  if (self->manifest && !self->manifest_is_open && !ms_manifest_begin(self->manifest, error))
    return FALSE;
  self->manifest_is_open = TRUE;
  options.manifest = self->manifest;
  options.settings = self->spec->settings;
  options.save.format = self->spec->format;
  options.save.quality = self->spec->quality;
  return pending->len == 0 || ms_runner_run(pending, &options, &hooks, self->cancellable, error);
}

static void
work_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  MsBatchJob *self = source;
  Work work = GPOINTER_TO_INT(data);
  GError *error = NULL;
  gboolean existed = g_file_test(self->spec->output, G_FILE_TEST_IS_DIR);
  gboolean good = make_output_folder(self, &error) && (self->items || plan(self, &error));

  if (good && work == WORK_RETRY)
    reset_failed(self);
  if (good && work != WORK_PLAN)
    good = run(self, &error);
  else if (!existed)
    g_rmdir(self->spec->output);
  if (good)
    g_task_return_boolean(task, TRUE);
  else
    g_task_return_error(task, error);
}

static gboolean
end_cb(gpointer task)
{
  MsBatchJob *self = g_task_get_source_object(task);
  GApplication *application = g_application_get_default();
  g_autoptr(GError) error = NULL;

  if (deliver(self))
    return G_SOURCE_CONTINUE;
  g_task_propagate_boolean(task, &error);
  self->running = FALSE;
  g_signal_emit(self, ended_signal, 0, error);
  if (application)
    g_application_release(application);
  return G_SOURCE_REMOVE;
}

static void
ended_cb(GObject *source, GAsyncResult *result, gpointer data)
{
  g_idle_add_full(G_PRIORITY_DEFAULT_IDLE, end_cb, g_object_ref(result), g_object_unref);
}

static void
start(MsBatchJob *self, Work work)
{
  g_autoptr(GTask) task = NULL;
  GApplication *application = g_application_get_default();

  g_return_if_fail(!self->running);
  g_cancellable_reset(self->cancellable);
  self->running = TRUE;
  /* The program must not exit while a thread is inside the device's driver. */
  if (application)
    g_application_hold(application);
  task = g_task_new(self, NULL, ended_cb, NULL);
  g_task_set_task_data(task, GINT_TO_POINTER(work), NULL);
  g_task_run_in_thread(task, work_thread);
}

/** ms_batch_job_plan: finds the images and their outputs; writes nothing. */
void
ms_batch_job_plan(MsBatchJob *self)
{
  start(self, WORK_PLAN);
}

/** ms_batch_job_run: filters all images that are pending, after planning if that has not been done. */
void
ms_batch_job_run(MsBatchJob *self)
{
  start(self, WORK_RUN);
}

/** ms_batch_job_retry: filters the images that failed, and those still pending. */
void
ms_batch_job_retry(MsBatchJob *self)
{
  start(self, WORK_RETRY);
}

/** ms_batch_job_set_paused: pauses after the image being filtered, or continues. */
void
ms_batch_job_set_paused(MsBatchJob *self, gboolean paused)
{
  g_mutex_lock(&self->lock);
  self->paused = paused;
  g_cond_signal(&self->resumed);
  g_mutex_unlock(&self->lock);
}

/** ms_batch_job_cancel: stops the run; finished files stay and the other images are pending. */
void
ms_batch_job_cancel(MsBatchJob *self)
{
  g_cancellable_cancel(self->cancellable);
  ms_batch_job_set_paused(self, FALSE);
}
