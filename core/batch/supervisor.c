/* SPDX-License-Identifier: MIT */
/*
 * Images are passed to one worker after another. Those that were in work when a worker died are tried once more, each
 * alone in a worker of its own. What follows a death is decided by MsDriver.
 */
#include "core/batch/supervisor.h"

#include <sys/stat.h>
#include <unistd.h>

#include "core/batch/output-folder.h"
#include "core/batch/stream-spool.h"
#include "core/batch/worker.h"
#include "core/process/driver.h"

/* The time in which a worker must exit after it was told to stop, or has reported its end and another one follows. */
#define EXIT_S 3

/* The longest silence if --timeout is not given; compiling kernels and decoding large images report nothing. */
#define USUAL_SILENCE_S 120

/* An item of the present worker, and the file that the worker is about to give its name, if any. */
typedef struct {
  gboolean in_work;
  gboolean is_saving;
  guint64 device;
  guint64 inode;
} Job;

/*
 * @rest: items for the next worker; @suspects: items that were in work when a worker died
 * @deaths: for an item that is tried again, how its former worker died
 */
typedef struct {
  const MsRunnerOptions *options;
  const MsSupervisorOptions *supervision;
  const MsRunnerHooks *hooks;
  GCancellable *cancellable;
  GArray *spool;
  GPtrArray *rest;
  GPtrArray *suspects;
  GHashTable *deaths;
  gboolean is_processor; /* whether the device that was opened last is a processor */

  /* The present worker. */
  GPtrArray *items;
  Job *jobs;
  gboolean is_alone; /* whether it has one suspect */
  gboolean opened;
  GError *error; /* (nullable): in its last message */
} Supervisor;

static void
on_note(const char *sentence, gpointer data)
{
  Supervisor *s = data;

  if (s->supervision->note)
    s->supervision->note(sentence, s->hooks->data);
}

/* Messages of the worker */

static void
take_device(Supervisor *s, GVariant *payload)
{
  MsEngineInfo info;

  s->opened = TRUE;
  g_variant_get(payload, "(&s&s&s&s)", &info.name, &info.platform, &info.driver, &info.type);
  s->is_processor = g_str_equal(info.type, ms_device_type_name(MS_DEVICE_TYPE_CPU));
  if (s->supervision->device)
    s->supervision->device(&info, s->hooks->data);
}

/* States that a second attempt succeeded, since a driver that ends a process is not to be trusted. */
static void
note_retry(const Supervisor *s, MsBatchItem *item)
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
deliver(Supervisor *s, MsBatchItem *item)
{
  g_autoptr(GError) error = NULL;

  if (item->status != MS_ITEM_DONE ||
      ms_stream_spool_deliver(s->spool, item, &s->options->limits.wait, s->cancellable, &error))
    return TRUE;
  if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED)) {
    item->status = MS_ITEM_PENDING;
    g_clear_error(&s->error);
    s->error = g_steal_pointer(&error);
    return FALSE;
  }
  ms_batch_item_fail_with(item, error);
  return TRUE;
}

/* Reports an item whose result has arrived, unless the worker was cancelled and left the item pending. */
static void
report_result(Supervisor *s, MsBatchItem *item)
{
  if (!deliver(s, item))
    return;
  note_retry(s, item);
  ms_runner_report(s->options, s->hooks, item);
}

static void
take_saving(Job *job, GVariant *payload, MsBatchItem *item)
{
  g_autoptr(GVariant) result = NULL;

  job->is_saving = TRUE;
  g_variant_get(payload, "(utt@aay)", NULL, &job->device, &job->inode, &result);
  ms_worker_message_take_result(result, item);
}

static void
take_end(Supervisor *s, GVariant *payload)
{
  gboolean cancelled = FALSE;
  int code = 0;
  const char *sentence = NULL;
  const char *english = NULL;

  g_variant_get(payload, "(bi^&ay^&ay)", &cancelled, &code, &sentence, &english);
  if (!*sentence)
    return;
  g_clear_error(&s->error);
  if (cancelled)
    s->error = g_error_new_literal(G_IO_ERROR, G_IO_ERROR_CANCELLED, sentence);
  else
    ms_error_take(&s->error, (MsError)code, g_strdup(sentence), g_strdup(english));
}

static void
take_item_message(Supervisor *s, MsWorkerMessageKind kind, GVariant *payload)
{
  g_autoptr(GVariant) first = g_variant_get_child_value(payload, 0);
  const guint index = g_variant_get_uint32(first);
  MsBatchItem *item = index < s->items->len ? g_ptr_array_index(s->items, index) : NULL;
  g_autoptr(GVariant) result = NULL;
  int done = 0, total = 1;

  if (!item || item->status != MS_ITEM_PENDING)
    return;
  switch (kind) {
  case MS_WORKER_STARTED:
  case MS_WORKER_WAITS:
    s->jobs[index].in_work = kind == MS_WORKER_STARTED;
    if (kind == MS_WORKER_STARTED && s->hooks->started)
      s->hooks->started(item, s->hooks->data);
    break;
  case MS_WORKER_PROGRESS:
    g_variant_get(payload, "(uii)", NULL, &done, &total);
    if (s->hooks->progress)
      s->hooks->progress(item, done, MAX(total, 1), s->hooks->data);
    break;
  case MS_WORKER_SAVING:
    take_saving(&s->jobs[index], payload, item);
    break;
  case MS_WORKER_FINISHED:
    g_variant_get(payload, "(ui@aay)", NULL, &done, &result);
    ms_worker_message_take_result(result, item);
    item->status = MIN((MsItemStatus)done, MS_ITEM_SKIPPED);
    report_result(s, item);
    break;
  case MS_WORKER_DEVICE:
  case MS_WORKER_PROBLEM:
  case MS_WORKER_ENDED:
    break;
  }
}

static MsDriverEvent
take_message(MsMessage *message, gpointer data)
{
  Supervisor *s = data;
  const MsWorkerMessageKind kind = message->kind;
  g_autoptr(GVariant) text = NULL;

  switch (kind) {
  case MS_WORKER_DEVICE:
    take_device(s, message->payload);
    return s->is_processor ? MS_DRIVER_OPENED_PROCESSOR : MS_DRIVER_OPENED;
  case MS_WORKER_STARTED:
  case MS_WORKER_WAITS:
  case MS_WORKER_PROGRESS:
  case MS_WORKER_SAVING:
    take_item_message(s, kind, message->payload);
    break;
  case MS_WORKER_FINISHED:
    take_item_message(s, kind, message->payload);
    return MS_DRIVER_RESULT;
  case MS_WORKER_PROBLEM:
    text = g_variant_get_child_value(message->payload, 0);
    if (s->hooks->problem)
      s->hooks->problem(g_variant_get_bytestring(text), s->hooks->data);
    break;
  case MS_WORKER_ENDED:
    take_end(s, message->payload);
    return MS_DRIVER_FINISHED;
  }
  return MS_DRIVER_NOTHING;
}

/* Deaths */

/* Whether the file that the worker was about to name has the name of the output: then the image is done. */
static gboolean
was_saved(const Job *job, const MsBatchItem *item)
{
  struct stat info;

  return job->is_saving && item->output && stat(item->output, &info) == 0 && info.st_dev == job->device &&
         info.st_ino == job->inode;
}

/* Reports the images whose files were complete when the worker died; whether there are any. */
static gboolean
report_saved(Supervisor *s)
{
  gboolean any = FALSE;

  for (guint i = 0; i < s->items->len; i++) {
    MsBatchItem *item = g_ptr_array_index(s->items, i);
    if (item->status != MS_ITEM_PENDING || !was_saved(&s->jobs[i], item))
      continue;
    item->status = MS_ITEM_DONE;
    ms_file_stamp_take(&item->result, item->output, s->options->hash);
    report_result(s, item);
    any = TRUE;
  }
  return any;
}

/* Those in work are retried one by one, those that waited for the device are passed to the next worker. */
static void
divide_pending(Supervisor *s, const char *cause)
{
  for (guint i = 0; i < s->items->len; i++) {
    MsBatchItem *item = g_ptr_array_index(s->items, i);
    if (item->status != MS_ITEM_PENDING)
      continue;
    const gboolean is_suspect = s->jobs[i].in_work && s->opened;
    if (is_suspect && s->is_alone) {
      g_autofree char *name = ms_batch_item_input_name(item);
      ms_batch_item_fail(item, "'%s': the worker process did not survive this image twice: %s.", name, cause);
      ms_runner_report(s->options, s->hooks, item);
      continue;
    }
    if (is_suspect)
      g_hash_table_insert(s->deaths, item, g_strdup(cause));
    g_ptr_array_add(is_suspect || s->is_alone ? s->suspects : s->rest, item);
  }
}

/* A worker that dies after its last image, when it closes the device, costs nothing. */
static MsDriverDeath
take_death(MsChildEnd end, const char *how, gpointer data)
{
  Supervisor *s = data;
  const gboolean saved = report_saved(s);

  if (s->error || ms_batch_count(s->items).pending == 0)
    return MS_DRIVER_DEATH_IS_HARMLESS;
  divide_pending(s, how);
  return saved ? MS_DRIVER_DEATH_AFTER_RESULT : MS_DRIVER_DEATH_COUNTS;
}

/* One worker */

static gboolean
has_work(gpointer data)
{
  const Supervisor *s = data;

  return !s->error && (s->suspects->len > 0 || s->rest->len > 0);
}

/* Passes one suspect, or all other items, to a new worker. One that died already is noticed when it is followed. */
static void
begin(MsChild *worker, gpointer data)
{
  Supervisor *s = data;

  g_clear_pointer(&s->items, g_ptr_array_unref);
  g_free(s->jobs);
  s->is_alone = s->suspects->len > 0;
  if (s->is_alone) {
    s->items = g_ptr_array_new();
    g_ptr_array_add(s->items, g_ptr_array_steal_index(s->suspects, 0));
  } else {
    s->items = g_steal_pointer(&s->rest);
    s->rest = g_ptr_array_new();
  }
  s->jobs = g_new0(Job, s->items->len);
  s->opened = FALSE;
  ms_child_send(worker, MS_WORKER_JOBS, ms_worker_message_new_jobs(s->items), NULL, NULL);
}

static gboolean
is_left(gpointer data)
{
  const Supervisor *s = data;

  return !s->is_processor && !has_work(data);
}

static MsDriver *
new_driver(Supervisor *s)
{
  MsDriverUser user = {.start = {.role = MS_WORKER_ROLE,
                                 .arguments = s->supervision->arguments,
                                 .from_child = &ms_worker_results,
                                 .to_child = &ms_worker_requests,
                                 .files = s->spool,
                                 .captures_stderr = TRUE},
                       .processor_role = MS_WORKER_ROLE_PROCESSOR,
                       .rules = {.most_vain = MS_DRIVER_MOST_VAIN,
                                 .most_fruitless = 5,
                                 .usual_cache = 2,
                                 .has_processor = s->supervision->falls_back},
                       .watch = {.silence_s = s->options->timeout_s > 0 ? s->options->timeout_s : USUAL_SILENCE_S,
                                 .grace_s = EXIT_S,
                                 .memory = s->supervision->memory_limit},
                       .adapts_silence = s->options->timeout_s <= 0,
                       .exit_s = EXIT_S,
                       .has_work = has_work,
                       .begin = begin,
                       .take = take_message,
                       .died = take_death,
                       .leaves = is_left,
                       .note = on_note,
                       .data = s};

  return ms_driver_new(&user);
}

/* @waiting: (nullable) (transfer full): was forked before the files for pipes existed, so it cannot inherit them */
static gboolean
run_workers(Supervisor *s, MsChild *waiting, GError **error)
{
  g_autoptr(MsDriver) driver = new_driver(s);
  g_autoptr(GError) failure = NULL;

  if (s->spool->len == 0)
    ms_driver_adopt(driver, g_steal_pointer(&waiting));
  ms_child_free(waiting);
  if (ms_driver_run(driver, s->cancellable, &failure) == MS_CHILD_END_CANCELLED) {
    report_saved(s);
    if (!s->error)
      g_cancellable_set_error_if_cancelled(s->cancellable, &s->error);
  }
  if (s->error)
    g_propagate_error(error, g_steal_pointer(&s->error));
  else if (failure)
    g_propagate_error(error, g_steal_pointer(&failure));
  else
    return TRUE;
  return FALSE;
}

/*
 * Takes the pending items whose input is a file, or else a pipe, and reports those that are not pending or whose pipe
 * cannot be read.
 */
static gboolean
take_items(Supervisor *s, GPtrArray *items, gboolean streams, GError **error)
{
  MsImageLimits limits = s->options->limits;

  limits.wait.note = s->supervision->note;
  limits.wait.data = s->hooks->data;
  for (guint i = 0; i < items->len; i++) {
    MsBatchItem *item = g_ptr_array_index(items, i);
    g_autoptr(GError) failure = NULL;
    if (item->input_is_stream != streams)
      continue;
    if (item->status == MS_ITEM_PENDING &&
        !ms_stream_spool_take(s->spool, s->options->scratch, item, &limits, s->cancellable, &failure)) {
      if (g_error_matches(failure, G_IO_ERROR, G_IO_ERROR_CANCELLED)) {
        g_propagate_error(error, g_steal_pointer(&failure));
        return FALSE;
      }
      ms_batch_item_fail_with(item, failure);
    }
    if (item->status == MS_ITEM_PENDING)
      g_ptr_array_add(s->rest, item);
    else
      ms_runner_report(s->options, s->hooks, item);
  }
  return TRUE;
}

/**
 * ms_supervisor_fork_worker: (transfer full) (nullable): a worker for MsSupervisorOptions.waiting; see ms_child_fork().
 */
MsChild *
ms_supervisor_fork_worker(MsChildMain work, gpointer data)
{
  const MsChildStart start = {
    .role = MS_WORKER_ROLE, .from_child = &ms_worker_results, .to_child = &ms_worker_requests, .captures_stderr = TRUE};

  return ms_child_fork(&start, work, data, NULL);
}

/**
 * ms_supervisor_run:
 * @hooks: @open and @inspect are not used, since the worker calls its own
 *
 * Does what ms_runner_run() does, in worker processes. Images that were in work when a worker died are tried once
 * more alone; they get a note where that succeeds, and otherwise fail with the cause. An image whose file has its name
 * is done, whatever its worker did afterwards. A worker that dies while it opens the device is noted and started again.
 * When several in a row fail, the device is given up, and the rest is filtered on the processor if the options allow
 * it. Cancelling ends the worker, also when its driver hangs.
 *
 * Returns: %FALSE as ms_runner_run() does, or with #MS_ERROR_NO_DEVICE when several workers in a row ended without
 *   a result
 */
gboolean
ms_supervisor_run(GPtrArray *items, const MsSupervisorOptions *options, const MsRunnerHooks *hooks,
                  GCancellable *cancellable, GError **error)
{
  Supervisor s = {.options = options->runner,
                  .supervision = options,
                  .hooks = hooks,
                  .cancellable = cancellable,
                  .spool = ms_stream_spool_new(),
                  .rest = g_ptr_array_new(),
                  .suspects = g_ptr_array_new(),
                  .deaths = g_hash_table_new_full(NULL, NULL, NULL, g_free)};
  const int folder = ms_output_folder_hold(items);
  /* A pipe that gives nothing keeps no file waiting. */
  const gboolean taken = take_items(&s, items, FALSE, error);
  const gboolean good = taken && run_workers(&s, options->waiting, error) && take_items(&s, items, TRUE, error) &&
                        run_workers(&s, NULL, error);

  if (!taken)
    ms_child_free(options->waiting);
  if (folder >= 0)
    close(folder);
  g_clear_pointer(&s.items, g_ptr_array_unref);
  g_free(s.jobs);
  g_array_unref(s.spool);
  g_hash_table_unref(s.deaths);
  g_ptr_array_unref(s.rest);
  g_ptr_array_unref(s.suspects);
  return good;
}
