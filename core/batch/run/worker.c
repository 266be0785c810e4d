/* SPDX-License-Identifier: MIT */
#include "core/batch/run/worker.h"

#include <sys/stat.h>

#include "core/batch/run/worker-message.h"
#include "core/process/child.h"

/* Progress is reported at most this often. */
#define PROGRESS_US (100 * 1000)

typedef struct {
  const MsRunnerHooks *hooks;
  MsChannel *channel;
  GHashTable *indices; /* item -> its index */
  gint64 last_progress_us;
} Worker;

/** ms_worker_is_one: whether this process was started by a supervisor. */
gboolean
ms_worker_is_one(void)
{
  return g_strcmp0(ms_child_get_role(), MS_WORKER_ROLE) == 0 || ms_worker_is_on_processor();
}

/** ms_worker_is_on_processor: whether the device was given up, so that this worker uses the processor. */
gboolean
ms_worker_is_on_processor(void)
{
  return g_strcmp0(ms_child_get_role(), MS_WORKER_ROLE_PROCESSOR) == 0;
}

static guint
index_of(const Worker *w, const MsBatchItem *item)
{
  return GPOINTER_TO_UINT(g_hash_table_lookup(w->indices, item));
}

/* Ignores a failed write, because a signal ends this process when its supervisor dies. */
static void
send(Worker *w, MsWorkerMessageKind kind, GVariant *payload)
{
  ms_channel_send(w->channel, kind, payload, NULL, NULL);
}

static MsEngine *
on_open(gpointer data, GError **error)
{
  Worker *w = data;
  MsEngine *engine = w->hooks->open(w->hooks->data, error);

  if (engine) {
    MsEngineInfo info = ms_engine_describe(engine);
    send(w, MS_WORKER_DEVICE, g_variant_new("(ssss)", info.name, info.platform, info.driver, info.type));
  }
  return engine;
}

static void
on_started(MsBatchItem *item, gpointer data)
{
  send(data, MS_WORKER_STARTED, g_variant_new("(u)", index_of(data, item)));
}

static void
on_waits(MsBatchItem *item, gpointer data)
{
  send(data, MS_WORKER_WAITS, g_variant_new("(u)", index_of(data, item)));
}

static void
on_saving(MsBatchItem *item, const struct stat *file, gpointer data)
{
  send(data, MS_WORKER_SAVING,
       g_variant_new("(utt@aay)", index_of(data, item), (guint64)file->st_dev, (guint64)file->st_ino,
                     ms_worker_message_new_result(item)));
}

static void
on_finished(MsBatchItem *item, gpointer data)
{
  send(data, MS_WORKER_FINISHED,
       g_variant_new("(ui@aay)", index_of(data, item), (int)item->status, ms_worker_message_new_result(item)));
  ms_batch_item_forget_results(item);
}

static void
on_progress(MsBatchItem *item, int done, int total, gpointer data)
{
  Worker *w = data;
  gint64 now = g_get_monotonic_time();

  if (now - w->last_progress_us < PROGRESS_US)
    return;
  w->last_progress_us = now;
  send(w, MS_WORKER_PROGRESS, g_variant_new("(uii)", index_of(w, item), done, total));
}

static void
on_problem(const char *sentence, gpointer data)
{
  send(data, MS_WORKER_PROBLEM, g_variant_new("(^ay)", sentence));
}

static gboolean
on_inspect(const MsInspection *rows, gpointer data, GError **error)
{
  Worker *w = data;

  return w->hooks->inspect(rows, w->hooks->data, error);
}

static GHashTable *
number_items(GPtrArray *items)
{
  GHashTable *indices = g_hash_table_new(NULL, NULL);

  for (guint i = 0; i < items->len; i++)
    g_hash_table_insert(indices, g_ptr_array_index(items, i), GUINT_TO_POINTER(i));
  return indices;
}

static void
send_end(Worker *w, const GError *error)
{
  gboolean cancelled = g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_autofree char *english = error ? ms_error_dup_english(error) : g_strdup("");

  send(w, MS_WORKER_ENDED,
       g_variant_new("(bi^ay^ay)", cancelled, error ? error->code : 0, error ? error->message : "", english));
}

/**
 * ms_worker_run:
 * @options: as the supervisor's, without its manifest
 * @hooks: only @open and @inspect are called
 * @channel: (nullable) (transfer full): of a worker that was forked, %NULL for one that was started as a program
 *
 * Runs the items that arrive and reports each to the supervisor.
 *
 * Returns: %FALSE when no items arrived, the supervisor is dead, or the run ended with an error, which was sent to it
 */
gboolean
ms_worker_run(const MsRunnerOptions *options, const MsRunnerHooks *hooks, MsChannel *channel, GCancellable *cancellable)
{
  Worker worker = {.hooks = hooks,
                   .channel = channel ? channel : ms_child_begin(&ms_worker_requests, &ms_worker_results)};
  MsRunnerHooks own = {.open = on_open,
                       .started = on_started,
                       .waits = on_waits,
                       .saving = on_saving,
                       .finished = on_finished,
                       .progress = on_progress,
                       .problem = on_problem,
                       .inspect = hooks->inspect ? on_inspect : NULL,
                       .data = &worker};
  g_autoptr(GError) error = NULL;
  g_auto(MsMessage) message;

  g_unsetenv(MS_CHILD_VARIABLE);
  ms_message_init(&message);
  if (!worker.channel || ms_channel_wait(worker.channel, &message, cancellable) != MS_RECEIPT_MESSAGE)
    return FALSE;
  g_autoptr(GPtrArray) items = ms_worker_message_get_jobs(message.payload);
  g_autoptr(GHashTable) indices = number_items(items);
  worker.indices = indices;
  ms_runner_run(items, options, &own, cancellable, &error);
  send_end(&worker, error);
  ms_channel_free(worker.channel);
  return error == NULL;
}
