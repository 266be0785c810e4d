/* SPDX-License-Identifier: MIT */
#include "core/batch/run/supervisor.h"

#include <signal.h>
#include <unistd.h>

#include "core/batch/process/memory-cap.h"
#include "core/batch/process/worker-process.h"
#include "core/batch/run/worker-message.h"

/*
 * The longest time without a message if --timeout is not given; compiling kernels and decoding large images send none.
 */
#define USUAL_SILENCE_MS 120000

/* On a slow device, the limit is this many times the longest gap between two messages so far. */
#define SILENCE_FACTOR 20

/* The time in which a worker must exit after it was told to stop or has reported its end. */
#define EXIT_MS 3000

/* How often the memory of a worker is compared with the limit. */
#define WATCH_MS 100

/* The batch ends when this many workers in a row died, each with a single image. */
#define MOST_DEATHS_IN_A_ROW 5

/* How one worker ended. */
typedef enum {
  WORKER_ENDED,
  WORKER_DIED,
  WORKER_SILENT,
  WORKER_TOO_LARGE,
  WORKER_CANCELLED,
} WorkerEnd;

typedef struct {
  GPtrArray *items; /* MsBatchItem, not owned */
  MsWorkerProcess process;
  gboolean *in_work; /* for each item, whether the worker may die of it */
  gboolean opened;
  gboolean reported_end;
  GError *error;
} Worker;

typedef struct {
  const MsRunnerOptions *options;
  const MsSupervisorOptions *supervision;
  const MsRunnerHooks *hooks;
  GCancellable *cancellable;
  GPtrArray *rest;     /* items for the next worker */
  GPtrArray *suspects; /* items that were in work when a worker died */
  gint64 longest_silence_ms;
  gboolean ever_opened;
  gboolean is_processor; /* the device that was opened last */
  gboolean gave_up;      /* the requested device */
  guint deaths_before_device;
  guint deaths_in_a_row;
} Supervisor;

static int
silence_limit_ms(const Supervisor *s)
{
  if (s->supervision->timeout_s > 0)
    return (int)MIN(s->supervision->timeout_s * 1000, G_MAXINT);
  return (int)CLAMP(SILENCE_FACTOR * s->longest_silence_ms, USUAL_SILENCE_MS, G_MAXINT);
}

static void
take_device(Supervisor *s, Worker *w, GVariant *payload)
{
  MsEngineInfo info;

  w->opened = s->ever_opened = TRUE;
  ms_worker_stderr_pass_on(&w->process.messages);
  g_variant_get(payload, "(&s&s&s&s)", &info.name, &info.platform, &info.driver, &info.type);
  s->is_processor = g_str_equal(info.type, ms_device_type_name(MS_DEVICE_TYPE_CPU));
  if (s->supervision->device)
    s->supervision->device(&info, s->hooks->data);
}

/* Applies a worker's result to its item, unless the worker was cancelled and left the item pending. */
static void
take_result(Supervisor *s, GVariant *payload, MsBatchItem *item)
{
  ms_worker_message_take_result(payload, item);
  s->deaths_in_a_row = 0;
  ms_runner_report(s->options, s->hooks, item);
}

static void
take_end(Worker *w, GVariant *payload)
{
  gboolean cancelled = FALSE;
  int code = 0;
  const char *sentence = NULL;
  const char *english = NULL;

  w->reported_end = TRUE;
  if (!payload)
    return;
  g_variant_get(payload, "(bi^&ay^&ay)", &cancelled, &code, &sentence, &english);
  if (cancelled)
    w->error = g_error_new_literal(G_IO_ERROR, G_IO_ERROR_CANCELLED, sentence);
  else
    ms_error_take(&w->error, (MsError)code, g_strdup(sentence), g_strdup(english));
}

static void
take_message(Supervisor *s, Worker *w, GVariant *message)
{
  g_autoptr(GVariant) payload = NULL;
  guint index = 0;
  MsWorkerMessageKind kind = ms_worker_message_parse(message, &index, &payload);
  MsBatchItem *item = index < w->items->len ? g_ptr_array_index(w->items, index) : NULL;
  int done = 0, total = 1;

  g_return_if_fail(item);
  switch (kind) {
  case MS_WORKER_DEVICE:
    take_device(s, w, payload);
    break;
  case MS_WORKER_STARTED:
    w->in_work[index] = TRUE;
    break;
  case MS_WORKER_WAITS:
    w->in_work[index] = FALSE;
    break;
  case MS_WORKER_PROGRESS:
    g_variant_get(payload, "(ii)", &done, &total);
    if (s->hooks->progress)
      s->hooks->progress(item, done, total, s->hooks->data);
    break;
  case MS_WORKER_FINISHED:
    take_result(s, payload, item);
    break;
  case MS_WORKER_PROBLEM:
    if (s->hooks->problem)
      s->hooks->problem(g_variant_get_bytestring(payload), s->hooks->data);
    break;
  case MS_WORKER_ENDED:
    take_end(w, payload);
    break;
  }
}

static gboolean
exceeds_memory(const Supervisor *s, const Worker *w)
{
  return s->supervision->memory_limit > 0 && ms_memory_cap_resident(w->process.pid) > s->supervision->memory_limit;
}

/* Waits for the next event, for at most @patience_ms, and compares the worker's memory with the limit meanwhile. */
static MsWorkerEvent
wait_and_watch(const Supervisor *s, const Worker *w, GCancellable *cancellable, int patience_ms, gboolean *too_large)
{
  int step_ms = s->supervision->memory_limit > 0 ? MIN(WATCH_MS, patience_ms) : patience_ms;
  MsWorkerEvent event = MS_WORKER_EVENT_SILENCE;

  for (int waited = 0; event == MS_WORKER_EVENT_SILENCE && waited < patience_ms && !*too_large; waited += step_ms) {
    event = ms_worker_process_wait(&w->process, cancellable, step_ms);
    *too_large = exceeds_memory(s, w);
  }
  return event;
}

/* Reads messages until the worker ends; %WORKER_DIED when the pipe closes before it has reported its end. */
static WorkerEnd
follow(Supervisor *s, Worker *w, GCancellable *cancellable, int limit_ms)
{
  gboolean too_large = FALSE;

  while (!w->reported_end) {
    gint64 start = g_get_monotonic_time();
    int patience_ms = limit_ms > 0 ? limit_ms : silence_limit_ms(s);
    MsWorkerEvent event = wait_and_watch(s, w, cancellable, patience_ms, &too_large);
    if (event == MS_WORKER_EVENT_CANCELLED)
      return WORKER_CANCELLED;
    if (too_large)
      return WORKER_TOO_LARGE;
    if (event == MS_WORKER_EVENT_SILENCE)
      return WORKER_SILENT;
    if (event == MS_WORKER_EVENT_STDERR) {
      ms_worker_stderr_read(&w->process.messages);
      continue;
    }
    g_autoptr(GVariant) message = ms_worker_message_read(w->process.results);
    if (!message)
      return WORKER_DIED;
    s->longest_silence_ms = MAX(s->longest_silence_ms, (g_get_monotonic_time() - start) / 1000);
    take_message(s, w, message);
  }
  return WORKER_ENDED;
}

static WorkerEnd
run_worker(Supervisor *s, Worker *w, GError **error)
{
  const char *device = s->gave_up ? MS_WORKER_PROCESSOR : MS_WORKER_REQUESTED_DEVICE;

  if (!ms_worker_process_start(&w->process, s->supervision->arguments, device, error))
    return WORKER_ENDED;
  ms_worker_message_write(w->process.jobs, ms_worker_message_new_jobs(w->items));
  close(w->process.jobs);
  WorkerEnd end = follow(s, w, s->cancellable, 0);
  if (end == WORKER_CANCELLED) {
    kill(w->process.pid, SIGTERM);
    follow(s, w, NULL, EXIT_MS);
  }
  ms_worker_process_end(&w->process, !w->reported_end ? 0 : EXIT_MS);
  return end;
}

static char *
describe_end(const Supervisor *s, const Worker *w, WorkerEnd end)
{
  switch (end) {
  case WORKER_SILENT:
    return g_strdup_printf("it reported nothing for %.0f s and was ended", silence_limit_ms(s) / 1000.0);
  case WORKER_TOO_LARGE:
    return g_strdup_printf("it took more than the %" G_GUINT64_FORMAT " MiB of --memory-limit and was ended",
                           s->supervision->memory_limit >> 20);
  case WORKER_ENDED:
  case WORKER_DIED:
  case WORKER_CANCELLED:
    break;
  }
  return ms_worker_process_describe_end(&w->process);
}

static char *
describe_death(const Supervisor *s, const Worker *w, WorkerEnd end)
{
  g_autofree char *how = describe_end(s, w, end);
  g_autofree char *said = ms_worker_stderr_find_error(&w->process.messages);

  return said ? g_strdup_printf("%s; the last error of the driver was “%s”", how, said) : g_steal_pointer(&how);
}

static void
fail_suspect(Supervisor *s, MsBatchItem *item, const char *cause)
{
  g_autofree char *name = g_filename_display_name(item->input);

  s->deaths_in_a_row++;
  ms_batch_item_fail(item, "'%s': the worker process did not survive this image twice: %s.", name, cause);
  ms_runner_report(s->options, s->hooks, item);
}

/*
 * Sorts the items of a dead worker: those in work are retried one by one, those that waited for the device are passed
 * to the next worker. A retry compares its result with the output, which may have been saved before the worker died.
 */
static void
divide(Supervisor *s, Worker *w)
{
  for (guint i = 0; i < w->items->len; i++) {
    MsBatchItem *item = g_ptr_array_index(w->items, i);
    if (item->status != MS_ITEM_PENDING)
      continue;
    if (w->in_work[i])
      item->perhaps_saved = item->output && !item->overwrite;
    g_ptr_array_add(w->in_work[i] && s->ever_opened ? s->suspects : s->rest, item);
  }
}

/* Makes the next worker use the processor; %FALSE where the options forbid it or it was tried already. */
static gboolean
give_up_device(Supervisor *s, const char *cause)
{
  if (!s->supervision->falls_back || s->gave_up || s->is_processor)
    return FALSE;
  g_autofree char *sentence =
    g_strdup_printf("The device is given up because its driver ended the worker process: %s. The processor is used "
                    "instead.",
                    cause);
  s->gave_up = TRUE;
  s->deaths_before_device = s->deaths_in_a_row = 0;
  if (s->supervision->note)
    s->supervision->note(sentence, s->hooks->data);
  return TRUE;
}

static gboolean
take_death(Supervisor *s, Worker *w, WorkerEnd end, gboolean alone, GError **error)
{
  g_autofree char *cause = describe_death(s, w, end);

  if (!s->ever_opened && ++s->deaths_before_device > 1 && !give_up_device(s, cause)) {
    ms_set_error(error, MS_ERROR_NO_DEVICE,
                 "The worker process did not survive opening the device: %s. Choose another device with --device.",
                 cause);
    return FALSE;
  }
  if (alone && s->ever_opened && w->items->len == 1 && w->in_work[0])
    fail_suspect(s, g_ptr_array_index(w->items, 0), cause);
  else
    divide(s, w);
  if (s->deaths_in_a_row < MOST_DEATHS_IN_A_ROW || give_up_device(s, cause))
    return TRUE;
  ms_set_error(error, MS_ERROR_DEVICE,
               "%u images in a row ended the worker process, so the batch ends: %s. Choose another device with "
               "--device.",
               s->deaths_in_a_row, cause);
  return FALSE;
}

static gboolean
run_group(Supervisor *s, GPtrArray *items, gboolean alone, GError **error)
{
  g_autofree gboolean *in_work = g_new0(gboolean, items->len);
  g_autoptr(GString) end_of_stderr = g_string_new(NULL);
  Worker w = {.items = items, .in_work = in_work, .process.messages = {.fd = -1, .end = end_of_stderr}};
  g_autoptr(GError) failure = NULL;
  WorkerEnd end = run_worker(s, &w, &failure);

  if (!failure)
    failure = g_steal_pointer(&w.error);
  if (end == WORKER_CANCELLED && !failure)
    g_cancellable_set_error_if_cancelled(s->cancellable, &failure);
  if (failure) {
    g_propagate_error(error, g_steal_pointer(&failure));
    return FALSE;
  }
  return end == WORKER_ENDED || end == WORKER_CANCELLED || take_death(s, &w, end, alone, error);
}

static GPtrArray *
take_next_group(Supervisor *s, gboolean *alone)
{
  GPtrArray *group = g_ptr_array_new();

  *alone = s->suspects->len > 0;
  if (*alone)
    g_ptr_array_add(group, g_ptr_array_steal_index(s->suspects, 0));
  else
    g_ptr_array_extend_and_steal(group, g_steal_pointer(&s->rest));
  if (!s->rest)
    s->rest = g_ptr_array_new();
  return group;
}

static gboolean
run_groups(Supervisor *s, GError **error)
{
  while (s->suspects->len > 0 || s->rest->len > 0) {
    gboolean alone = FALSE;
    g_autoptr(GPtrArray) group = take_next_group(s, &alone);
    if (!run_group(s, group, alone, error))
      return FALSE;
  }
  return TRUE;
}

/**
 * ms_supervisor_run:
 * @hooks: @open and @inspect are not used, since the worker calls its own
 *
 * Does what ms_runner_run() does, in worker processes. Images that were in work when a worker died are tried once
 * more alone and then fail with the cause. When several in a row do, the device is given up, and the rest is filtered
 * on the processor if the options allow it. Cancelling ends the worker, also when its driver hangs.
 *
 * Returns: %FALSE as ms_runner_run() does, or with #MS_ERROR_DEVICE when several images in a row ended their workers
 */
gboolean
ms_supervisor_run(GPtrArray *items, const MsRunnerOptions *options, const MsSupervisorOptions *supervision,
                  const MsRunnerHooks *hooks, GCancellable *cancellable, GError **error)
{
  Supervisor s = {.options = options,
                  .supervision = supervision,
                  .hooks = hooks,
                  .cancellable = cancellable,
                  .rest = g_ptr_array_new(),
                  .suspects = g_ptr_array_new()};
  gboolean good;

  for (guint i = 0; i < items->len; i++) {
    MsBatchItem *item = g_ptr_array_index(items, i);
    if (item->status == MS_ITEM_PENDING)
      g_ptr_array_add(s.rest, item);
    else
      ms_runner_report(options, hooks, item);
  }
  good = run_groups(&s, error);
  g_ptr_array_unref(s.rest);
  g_ptr_array_unref(s.suspects);
  return good;
}
