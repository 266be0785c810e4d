/* SPDX-License-Identifier: MIT */
#include "core/batch/run/worker.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>

#include "core/batch/process/worker-process.h"
#include "core/batch/run/worker-message.h"

/* Progress is reported at most this often. */
#define PROGRESS_US (100 * 1000)

typedef struct {
  const MsRunnerHooks *hooks;
  MsWorkerPipes pipes;
  GHashTable *indices; /* item -> its index + 1 */
  GMutex lock;         /* guards the pipe: several threads report */
  gint64 last_progress_us;
} Worker;

/** ms_worker_is_one: whether this process was started by a supervisor. */
gboolean
ms_worker_is_one(void)
{
  return g_getenv(MS_WORKER_VARIABLE) != NULL;
}

/** ms_worker_is_on_processor: whether the device was given up, so that this worker uses the processor. */
gboolean
ms_worker_is_on_processor(void)
{
  return g_strcmp0(g_getenv(MS_WORKER_VARIABLE), MS_WORKER_PROCESSOR) == 0;
}

/* Ignores a failed write, because a signal ends this process when its supervisor dies. */
static void
send(Worker *w, MsWorkerMessageKind kind, const MsBatchItem *item, GVariant *payload)
{
  guint index = item ? GPOINTER_TO_UINT(g_hash_table_lookup(w->indices, item)) - 1 : 0;

  g_mutex_lock(&w->lock);
  ms_worker_message_write(w->pipes.results, ms_worker_message_new(kind, index, payload));
  g_mutex_unlock(&w->lock);
}

static MsEngine *
on_open(gpointer data, GError **error)
{
  Worker *w = data;
  MsEngine *engine = w->hooks->open(w->hooks->data, error);

  if (engine) {
    MsEngineInfo info = ms_engine_describe(engine);
    send(w, MS_WORKER_DEVICE, NULL, g_variant_new("(ssss)", info.name, info.platform, info.driver, info.type));
  }
  return engine;
}

static void
on_started(MsBatchItem *item, gpointer data)
{
  send(data, MS_WORKER_STARTED, item, NULL);
}

static void
on_waits(MsBatchItem *item, gpointer data)
{
  send(data, MS_WORKER_WAITS, item, NULL);
}

static void
on_finished(MsBatchItem *item, gpointer data)
{
  send(data, MS_WORKER_FINISHED, item, ms_worker_message_new_result(item));
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
  send(w, MS_WORKER_PROGRESS, item, g_variant_new("(ii)", done, total));
}

static void
on_problem(const char *sentence, gpointer data)
{
  send(data, MS_WORKER_PROBLEM, NULL, g_variant_new_bytestring(sentence));
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
    g_hash_table_insert(indices, g_ptr_array_index(items, i), GUINT_TO_POINTER(i + 1));
  return indices;
}

static void
send_end(Worker *w, const GError *error)
{
  gboolean cancelled = g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_autofree char *english = error ? ms_error_dup_english(error) : NULL;

  send(w, MS_WORKER_ENDED, NULL,
       error ? g_variant_new("(bi@ay@ay)", cancelled, error->code, g_variant_new_bytestring(error->message),
                             g_variant_new_bytestring(english))
             : NULL);
}

/* Whether the supervisor died before this process asked the kernel for a signal at its death. */
static gboolean
is_orphan(const MsWorkerPipes *pipes)
{
  struct pollfd results = {.fd = pipes->results};

  return poll(&results, 1, 0) > 0 && (results.revents & POLLERR) != 0;
}

/**
 * ms_worker_run:
 * @options: as the supervisor's, without its manifest
 * @hooks: only @open and @inspect are called
 * @pipes: (nullable): %NULL for those of a worker that was started as a program
 *
 * Runs the items that arrive and reports each to the supervisor.
 *
 * Returns: %FALSE when no items arrived, the supervisor is dead, or the run ended with an error, which was sent to it
 */
gboolean
ms_worker_run(const MsRunnerOptions *options, const MsRunnerHooks *hooks, const MsWorkerPipes *pipes,
              GCancellable *cancellable)
{
  Worker worker = {.hooks = hooks, .pipes = pipes ? *pipes : (MsWorkerPipes){MS_WORKER_JOBS_FD, MS_WORKER_RESULTS_FD}};
  MsRunnerHooks own = {.open = on_open,
                       .started = on_started,
                       .waits = on_waits,
                       .finished = on_finished,
                       .progress = on_progress,
                       .problem = on_problem,
                       .inspect = hooks->inspect ? on_inspect : NULL,
                       .data = &worker};
  g_autoptr(GError) error = NULL;

  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (is_orphan(&worker.pipes))
    return FALSE;
  g_unsetenv(MS_WORKER_VARIABLE);
  g_autoptr(GVariant) message = ms_worker_message_read(worker.pipes.jobs);
  if (!message)
    return FALSE;
  g_autoptr(GPtrArray) items = ms_worker_message_get_jobs(message);
  g_autoptr(GHashTable) indices = number_items(items);
  worker.indices = indices;
  g_mutex_init(&worker.lock);
  ms_runner_run(items, options, &own, cancellable, &error);
  send_end(&worker, error);
  g_mutex_clear(&worker.lock);
  return error == NULL;
}
