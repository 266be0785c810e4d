/* SPDX-License-Identifier: MIT */
#include "core/batch/run/supervised-worker.h"

#include <signal.h>
#include <unistd.h>

#include "core/process/memory-cap.h"
#include "core/batch/run/runner-watch.h"
#include "core/batch/run/worker-message.h"

/* The time in which a worker must exit after it was told to stop or has reported its end. */
#define EXIT_MS 3000

/* How often the memory of a worker is compared with the limit. */
#define WATCH_MS 100

static int
silence_limit_ms(const MsSupervision *s)
{
  return ms_runner_watch_limit_ms(s->supervision->runner->timeout_s, s->longest_silence_ms);
}

static void
take_device(MsSupervision *s, MsSupervisedWorker *w, GVariant *payload)
{
  MsEngineInfo info;

  w->opened = s->ever_opened = TRUE;
  ms_worker_stderr_pass_on(&w->process.messages);
  g_variant_get(payload, "(&s&s&s&s)", &info.name, &info.platform, &info.driver, &info.type);
  s->is_processor = g_str_equal(info.type, ms_device_type_name(MS_DEVICE_TYPE_CPU));
  if (s->supervision->device)
    s->supervision->device(&info, s->hooks->data);
}

/* States that a second attempt succeeded, since a driver that ends a process is not to be trusted. */
static void
note_retry(const MsSupervision *s, MsBatchItem *item)
{
  const char *cause = g_hash_table_lookup(s->deaths, item);
  g_autofree char *name = ms_batch_item_input_name(item);

  if (!cause || item->status != MS_ITEM_DONE)
    return;
  for (MsLanguage language = 0; language < MS_N_LANGUAGES; language++)
    ms_batch_item_add_note(
      item, language,
      g_strdup_printf(
        ms_text(language, "'%s' was filtered at the second attempt; the first worker process did not survive: %s."),
        name, cause));
}

/* %FALSE where an interruption ended the wait for the reader of a pipe, which leaves the item pending. */
static gboolean
deliver(MsSupervision *s, MsSupervisedWorker *w, MsBatchItem *item)
{
  g_autoptr(GError) error = NULL;

  if (item->status != MS_ITEM_DONE || ms_stream_spool_deliver(s->spool, item, s->cancellable, &error))
    return TRUE;
  if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED)) {
    item->status = MS_ITEM_PENDING;
    g_clear_error(&w->error);
    w->error = g_steal_pointer(&error);
    return FALSE;
  }
  ms_batch_item_fail_with(item, error);
  return TRUE;
}

/* Applies a worker's result to its item, unless the worker was cancelled and left the item pending. */
static void
take_result(MsSupervision *s, MsSupervisedWorker *w, GVariant *payload, MsBatchItem *item)
{
  ms_worker_message_take_result(payload, item);
  s->deaths_in_a_row = 0;
  if (!deliver(s, w, item))
    return;
  note_retry(s, item);
  ms_runner_report(s->options, s->hooks, item);
}

static void
take_end(MsSupervisedWorker *w, GVariant *payload)
{
  gboolean cancelled = FALSE;
  int code = 0;
  const char *sentence = NULL;
  const char *english = NULL;

  w->reported_end = TRUE;
  if (!payload)
    return;
  g_clear_error(&w->error);
  g_variant_get(payload, "(bi^&ay^&ay)", &cancelled, &code, &sentence, &english);
  if (cancelled)
    w->error = g_error_new_literal(G_IO_ERROR, G_IO_ERROR_CANCELLED, sentence);
  else
    ms_error_take(&w->error, (MsError)code, g_strdup(sentence), g_strdup(english));
}

static void
take_message(MsSupervision *s, MsSupervisedWorker *w, GVariant *message)
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
    take_result(s, w, payload, item);
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
exceeds_memory(const MsSupervision *s, const MsSupervisedWorker *w)
{
  return s->supervision->memory_limit > 0 && ms_memory_cap_resident(w->process.pid) > s->supervision->memory_limit;
}

/* Waits for the next event, for at most @patience_ms, and compares the worker's memory with the limit meanwhile. */
static MsWorkerEvent
wait_and_watch(const MsSupervision *s, const MsSupervisedWorker *w, GCancellable *cancellable, int patience_ms,
               gboolean *too_large)
{
  int step_ms = s->supervision->memory_limit > 0 ? MIN(WATCH_MS, patience_ms) : patience_ms;
  MsWorkerEvent event = MS_WORKER_EVENT_SILENCE;

  for (int waited = 0; event == MS_WORKER_EVENT_SILENCE && waited < patience_ms && !*too_large; waited += step_ms) {
    event = ms_worker_process_wait(&w->process, cancellable, step_ms);
    *too_large = exceeds_memory(s, w);
  }
  return event;
}

/* Reads messages until the worker ends; %MS_WORKER_END_DIED when the pipe closes before it has reported its end. */
static MsWorkerEnd
follow(MsSupervision *s, MsSupervisedWorker *w, GCancellable *cancellable, int limit_ms)
{
  gboolean too_large = FALSE;

  while (!w->reported_end) {
    gint64 start = g_get_monotonic_time();
    int patience_ms = limit_ms > 0 ? limit_ms : silence_limit_ms(s);
    MsWorkerEvent event = wait_and_watch(s, w, cancellable, patience_ms, &too_large);
    if (event == MS_WORKER_EVENT_CANCELLED)
      return MS_WORKER_END_CANCELLED;
    if (too_large)
      return MS_WORKER_END_TOO_LARGE;
    if (event == MS_WORKER_EVENT_SILENCE)
      return MS_WORKER_END_SILENT;
    if (event == MS_WORKER_EVENT_STDERR) {
      ms_worker_stderr_read(&w->process.messages);
      continue;
    }
    g_autoptr(GVariant) message = ms_worker_message_read(w->process.results);
    if (!message)
      return MS_WORKER_END_DIED;
    s->longest_silence_ms = MAX(s->longest_silence_ms, (g_get_monotonic_time() - start) / 1000);
    take_message(s, w, message);
  }
  return MS_WORKER_END_REPORTED;
}

/* A waiting worker was forked before the files for pipes were created, so it cannot inherit them. */
static gboolean
start(MsSupervisedWorker *self, const MsSupervision *shared, GError **error)
{
  const MsSupervisorOptions *supervision = shared->supervision;
  const char *device = shared->gave_up ? MS_WORKER_PROCESSOR : MS_WORKER_REQUESTED_DEVICE;
  const GArray *files = ms_stream_spool_get_files(shared->spool);

  return (files->len == 0 && !shared->gave_up && ms_worker_process_take(&self->process, supervision->waiting)) ||
         ms_worker_process_start(&self->process, supervision->arguments, device, files, error);
}

/**
 * ms_supervised_worker_run:
 * @self: with its items; the process is started here
 * @shared: the state that all workers of the batch share
 *
 * Starts a worker for the items and passes its messages to the hooks until it exits or is killed.
 *
 * Returns: how it ended; %MS_WORKER_END_REPORTED with @error set when it could not be started
 */
MsWorkerEnd
ms_supervised_worker_run(MsSupervisedWorker *self, MsSupervision *shared, GError **error)
{
  if (!start(self, shared, error))
    return MS_WORKER_END_REPORTED;
  ms_worker_message_write(self->process.jobs, ms_worker_message_new_jobs(self->items));
  close(self->process.jobs);
  MsWorkerEnd end = follow(shared, self, shared->cancellable, 0);
  if (end == MS_WORKER_END_CANCELLED) {
    kill(self->process.pid, SIGTERM);
    follow(shared, self, NULL, EXIT_MS);
  }
  ms_worker_process_end(&self->process, !self->reported_end ? 0 : EXIT_MS);
  return end;
}

static char *
describe_end(const MsSupervision *s, const MsSupervisedWorker *w, MsWorkerEnd end)
{
  switch (end) {
  case MS_WORKER_END_SILENT:
    return g_strdup_printf("it reported nothing for %.0f s and was ended", silence_limit_ms(s) / 1000.0);
  case MS_WORKER_END_TOO_LARGE:
    return g_strdup_printf("it took more than the %" G_GUINT64_FORMAT " MiB of --memory-limit and was ended",
                           s->supervision->memory_limit >> 20);
  case MS_WORKER_END_REPORTED:
  case MS_WORKER_END_DIED:
  case MS_WORKER_END_CANCELLED:
    break;
  }
  return ms_worker_process_describe_end(&w->process);
}

/** ms_supervised_worker_describe_death: (transfer full): why it ended without a report, as a clause of a sentence. */
char *
ms_supervised_worker_describe_death(const MsSupervisedWorker *self, const MsSupervision *shared, MsWorkerEnd end)
{
  g_autofree char *how = describe_end(shared, self, end);
  g_autofree char *said = ms_worker_stderr_find_error(&self->process.messages);

  return said ? g_strdup_printf("%s; the last error of the driver was “%s”", how, said) : g_steal_pointer(&how);
}
