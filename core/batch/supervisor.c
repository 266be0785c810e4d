/* SPDX-License-Identifier: MIT */
/*
 * Images are passed to one worker after another. Those that were in work when a worker died are tried once more, each
 * alone in a worker of its own. Every start of a worker is counted: a device that several workers in a row could not
 * open, or that ended several workers in a row, is given up.
 */
#include "core/batch/supervisor.h"

#include <sys/stat.h>

#include "core/batch/stream-spool.h"
#include "core/batch/worker.h"
#include "core/opencl/driver-cache.h"

/* The batch ends when this many workers in a row died without a result. */
#define MOST_DEATHS_IN_A_ROW 5

/* So many workers in a row fail to open the device with the driver's usual cache before one gets an empty cache. */
#define VAIN_WITH_USUAL_CACHE 2

/* The time in which a worker must exit after it was told to stop, or has reported its end and another one follows. */
#define EXIT_S 3

/* The same for the last worker, whose device is no processor and may take long to be closed. */
#define LEAVE_S 0.01

/* The longest silence if --timeout is not given; compiling kernels and decoding large images report nothing. */
#define USUAL_SILENCE_S 120

/* On a slow device, the limit is this many times the longest silence so far. */
#define SILENCE_FACTOR 20

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
 * @cache: (nullable): a spare cache for the driver, whose usual one may have caused a death
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
  char *cache;
  gboolean cache_is_for_opening; /* whether it was made because the device could not be opened */
  guint vain_openings;           /* workers in a row that did not open the device */
  guint deaths_in_a_row;
  gboolean is_processor; /* whether the device that was opened last is a processor */
  gboolean gave_up;

  /* The present worker. */
  MsChild *worker;
  MsChildWatch watch;
  GPtrArray *items;
  Job *jobs;
  char *last_death; /* (nullable) */
  gint64 heard_us;
  gboolean opened;
  gboolean ended; /* its last message has arrived */
  GError *error;  /* (nullable): in that message */
} Supervisor;

static void
note(const Supervisor *s, const char *sentence)
{
  if (s->supervision->note)
    s->supervision->note(sentence, s->hooks->data);
}

/* Messages of the worker */

/* A device that opens with an empty cache only has a damaged one, which nobody else will mention. */
static void
note_spare_cache(const Supervisor *s)
{
  g_autofree char *folder =
    s->cache_is_for_opening && s->vain_openings == VAIN_WITH_USUAL_CACHE ? ms_driver_cache_find() : NULL;

  if (!folder)
    return;
  g_autofree char *sentence = g_strdup_printf("The device was opened with an empty cache of its driver; delete '%s' "
                                              "if it is damaged. Before: %s.",
                                              folder, s->last_death);
  note(s, sentence);
}

static void
take_device(Supervisor *s, GVariant *payload)
{
  MsEngineInfo info;

  note_spare_cache(s);
  s->opened = TRUE;
  s->vain_openings = 0;
  ms_child_pass_stderr(s->worker);
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

  if (item->status != MS_ITEM_DONE || ms_stream_spool_deliver(s->spool, item, s->cancellable, &error))
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
  s->deaths_in_a_row = 0;
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

  s->ended = TRUE;
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

/* The limit of silence follows the longest silence that was seen. */
static void
adapt_silence(Supervisor *s)
{
  const gint64 now = g_get_monotonic_time();

  if (s->options->timeout_s <= 0)
    s->watch.silence_s = MAX(s->watch.silence_s, SILENCE_FACTOR * (double)(now - s->heard_us) / G_USEC_PER_SEC);
  s->heard_us = now;
}

/* Returns whether it was the last message. */
static gboolean
take_message(MsMessage *message, gpointer data)
{
  Supervisor *s = data;
  const MsWorkerMessageKind kind = message->kind;
  g_autoptr(GVariant) text = NULL;

  adapt_silence(s);
  switch (kind) {
  case MS_WORKER_DEVICE:
    take_device(s, message->payload);
    break;
  case MS_WORKER_STARTED:
  case MS_WORKER_WAITS:
  case MS_WORKER_PROGRESS:
  case MS_WORKER_SAVING:
  case MS_WORKER_FINISHED:
    take_item_message(s, kind, message->payload);
    break;
  case MS_WORKER_PROBLEM:
    text = g_variant_get_child_value(message->payload, 0);
    if (s->hooks->problem)
      s->hooks->problem(g_variant_get_bytestring(text), s->hooks->data);
    break;
  case MS_WORKER_ENDED:
    take_end(s, message->payload);
    break;
  }
  return s->ended;
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

/* Reports the images whose files were complete when the worker died. */
static void
report_saved(Supervisor *s)
{
  for (guint i = 0; i < s->items->len; i++) {
    MsBatchItem *item = g_ptr_array_index(s->items, i);
    if (item->status != MS_ITEM_PENDING || !was_saved(&s->jobs[i], item))
      continue;
    item->status = MS_ITEM_DONE;
    ms_file_stamp_take(&item->result, item->output, s->options->hash);
    report_result(s, item);
  }
}

/* Those in work are retried one by one, those that waited for the device are passed to the next worker. */
static void
divide_pending(Supervisor *s, gboolean alone, const char *cause)
{
  for (guint i = 0; i < s->items->len; i++) {
    MsBatchItem *item = g_ptr_array_index(s->items, i);
    if (item->status != MS_ITEM_PENDING)
      continue;
    const gboolean is_suspect = s->jobs[i].in_work && s->opened;
    if (is_suspect && alone) {
      g_autofree char *name = ms_batch_item_input_name(item);
      ms_batch_item_fail(item, "'%s': the worker process did not survive this image twice: %s.", name, cause);
      ms_runner_report(s->options, s->hooks, item);
      continue;
    }
    if (is_suspect)
      g_hash_table_insert(s->deaths, item, g_strdup(cause));
    g_ptr_array_add(is_suspect || alone ? s->suspects : s->rest, item);
  }
}

/* A driver that fails once at its start is not to be trusted. */
static void
note_second_opening(const Supervisor *s, const char *cause)
{
  g_autofree char *sentence =
    g_strdup_printf("The worker process did not survive opening the device: %s. It is started once more.", cause);

  note(s, sentence);
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
  s->vain_openings = s->deaths_in_a_row = 0;
  note(s, sentence);
  return TRUE;
}

/* %FALSE with @error set when the device is given up and nothing takes its place. */
static gboolean
count_death(Supervisor *s, const char *cause, GError **error)
{
  s->deaths_in_a_row++;
  if (!s->opened && ++s->vain_openings == 1)
    note_second_opening(s, cause);
  if (s->vain_openings >= MS_CHILD_MOST_VAIN_STARTS && !give_up_device(s, cause)) {
    ms_set_error(error, MS_ERROR_NO_DEVICE,
                 "The worker process did not survive opening the device: %s. Choose another device with --device.",
                 cause);
    return FALSE;
  }
  if (s->deaths_in_a_row < MOST_DEATHS_IN_A_ROW || give_up_device(s, cause))
    return TRUE;
  ms_set_error(error, MS_ERROR_NO_DEVICE,
               "%u worker processes in a row ended without a result, so the batch ends: %s. Choose another device with "
               "--device.",
               s->deaths_in_a_row, cause);
  return FALSE;
}

/*
 * An image that is tried again must not fail because the usual cache of the driver is damaged. An opening costs
 * nothing, so it is repeated with the usual cache before it is put down to that.
 */
static void
pass_over_cache(Supervisor *s)
{
  if (s->cache || (!s->opened && s->vain_openings + 1 < VAIN_WITH_USUAL_CACHE))
    return;
  s->cache = ms_driver_cache_make_spare();
  s->cache_is_for_opening = s->cache && !s->opened;
}

/* A worker that dies after its last image, when it closes the device, costs nothing. */
static gboolean
take_death(Supervisor *s, MsChildEnd end, gboolean alone, GError **error)
{
  g_autofree char *cause = ms_child_describe_end(s->worker, end, &s->watch);

  report_saved(s);
  if (ms_batch_count(s->items).pending == 0)
    return TRUE;
  if (end == MS_CHILD_END_DIED)
    pass_over_cache(s);
  divide_pending(s, alone, cause);
  const gboolean goes_on = count_death(s, cause, error);
  g_free(s->last_death);
  s->last_death = g_steal_pointer(&cause);
  return goes_on;
}

/* One worker */

/* (transfer full): a waiting worker was forked before the files for pipes were created, so it cannot inherit them. */
static MsChild *
start_worker(Supervisor *s, GError **error)
{
  const MsChildStart start = {.role = s->gave_up ? MS_WORKER_ROLE_PROCESSOR : MS_WORKER_ROLE,
                              .arguments = s->supervision->arguments,
                              .from_child = &ms_worker_results,
                              .to_child = &ms_worker_requests,
                              .files = s->spool,
                              .captures_stderr = TRUE,
                              .cache = s->cache,
                              .follows_death = s->last_death != NULL};
  MsChild *waiting = g_steal_pointer(&((MsSupervisorOptions *)s->supervision)->waiting);

  if (waiting && s->spool->len == 0)
    return waiting;
  ms_child_free(waiting);
  return ms_child_spawn(&start, error);
}

/* Passes the items to a new worker and follows it; %FALSE with @error set when the batch cannot go on. */
static gboolean
run_worker(Supervisor *s, GPtrArray *items, gboolean alone, GError **error)
{
  g_autofree Job *jobs = g_new0(Job, items->len);
  gboolean good = TRUE;

  s->worker = start_worker(s, error);
  if (!s->worker)
    return FALSE;
  s->items = items;
  s->jobs = jobs;
  s->opened = s->ended = FALSE;
  s->heard_us = g_get_monotonic_time();
  /* A worker that died already is noticed when it is followed. */
  ms_child_send(s->worker, MS_WORKER_JOBS, ms_worker_message_new_jobs(items), NULL, NULL);
  const MsChildEnd end = ms_child_follow(s->worker, &s->watch, take_message, s, s->cancellable);
  if (s->ended && !s->is_processor && s->suspects->len + s->rest->len == 0)
    ms_child_leave(s->worker, LEAVE_S);
  else
    ms_child_end(s->worker, s->ended ? EXIT_S : 0);
  if (end == MS_CHILD_END_CANCELLED && !s->error)
    g_cancellable_set_error_if_cancelled(s->cancellable, &s->error);
  if (end == MS_CHILD_END_CANCELLED)
    report_saved(s);
  if (s->error) {
    g_propagate_error(error, g_steal_pointer(&s->error));
    good = FALSE;
  } else if (!s->ended) {
    good = take_death(s, end, alone, error);
  }
  g_clear_pointer(&s->worker, ms_child_free);
  return good;
}

static gboolean
run_workers(Supervisor *s, GError **error)
{
  while (s->suspects->len > 0 || s->rest->len > 0) {
    const gboolean alone = s->suspects->len > 0;
    g_autoptr(GPtrArray) group = g_ptr_array_new();
    if (alone)
      g_ptr_array_add(group, g_ptr_array_steal_index(s->suspects, 0));
    else
      g_ptr_array_extend_and_steal(group, g_steal_pointer(&s->rest));
    if (!s->rest)
      s->rest = g_ptr_array_new();
    if (!run_worker(s, group, alone, error))
      return FALSE;
  }
  return TRUE;
}

/* Takes the pending items, and reports those that are not or whose input is a pipe that cannot be read. */
static gboolean
take_items(Supervisor *s, GPtrArray *items, GError **error)
{
  for (guint i = 0; i < items->len; i++) {
    MsBatchItem *item = g_ptr_array_index(items, i);
    g_autoptr(GError) failure = NULL;
    if (item->status == MS_ITEM_PENDING &&
        !ms_stream_spool_take(s->spool, s->options->scratch, item, &s->options->limits, s->cancellable, &failure)) {
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
  MsSupervisorOptions own = *options;
  Supervisor s = {.options = options->runner,
                  .supervision = &own,
                  .hooks = hooks,
                  .cancellable = cancellable,
                  .spool = ms_stream_spool_new(),
                  .rest = g_ptr_array_new(),
                  .suspects = g_ptr_array_new(),
                  .deaths = g_hash_table_new_full(NULL, NULL, NULL, g_free)};
  gboolean good;

  s.watch = (MsChildWatch){.silence_s = s.options->timeout_s > 0 ? s.options->timeout_s : USUAL_SILENCE_S,
                           .grace_s = EXIT_S,
                           .memory = options->memory_limit};
  good = take_items(&s, items, error) && run_workers(&s, error);
  ms_child_free(own.waiting);
  g_array_unref(s.spool);
  ms_driver_cache_remove_spare(s.cache);
  g_free(s.cache);
  g_free(s.last_death);
  g_hash_table_unref(s.deaths);
  g_ptr_array_unref(s.rest);
  g_ptr_array_unref(s.suspects);
  return good;
}
