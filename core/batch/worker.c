/* SPDX-License-Identifier: MIT */
#include "core/batch/worker.h"

#include <sys/stat.h>

#include "core/process/child.h"
#include "core/record/record.h"

/* Messages */

#define JOBS_TYPE "a" MS_RECORD_MESSAGE

static const MsMessageType requests[] = {
  [MS_WORKER_JOBS] = {"jobs", "(" JOBS_TYPE ")", 0},
};

static const MsMessageType results[] = {
  [MS_WORKER_DEVICE] = {"device", "(ssss)", 0},
  [MS_WORKER_STARTED] = {"started", "(u)", 0},
  [MS_WORKER_WAITS] = {"waits", "(u)", 0},
  [MS_WORKER_PROGRESS] = {"progress", "(uii)", 0},
  [MS_WORKER_SAVING] = {"saving", "(utt" MS_RECORD_MESSAGE ")", 0},
  [MS_WORKER_FINISHED] = {"finished", "(ui" MS_RECORD_MESSAGE ")", 0},
  [MS_WORKER_PROBLEM] = {"problem", "(ay)", 0},
  [MS_WORKER_ENDED] = {"ended", "(biayay)", 0},
};

const MsProtocol ms_worker_requests = {requests, G_N_ELEMENTS(requests)};
const MsProtocol ms_worker_results = {results, G_N_ELEMENTS(results)};

static void
pack_log(gconstpointer member, GByteArray *bytes)
{
  MsTimingLog *log = *(MsTimingLog *const *)member;
  g_autoptr(GVariant) rows = log ? g_variant_ref_sink(ms_timing_log_to_variant(log)) : NULL;

  if (rows)
    g_byte_array_append(bytes, g_variant_get_data(rows), (guint)g_variant_get_size(rows));
}

static void
unpack_log(gpointer member, const guint8 *data, gsize size)
{
  const GVariantType *type = G_VARIANT_TYPE(MS_TIMING_LOG_TYPE);
  g_autoptr(GBytes) bytes = g_bytes_new(data, size);
  g_autoptr(GVariant) rows = g_variant_ref_sink(g_variant_new_from_bytes(type, bytes, FALSE));
  MsTimingLog *log = ms_timing_log_new_from_variant(rows);

  g_clear_pointer((MsTimingLog **)member, ms_timing_log_unref);
  *(MsTimingLog **)member = log ? log : ms_timing_log_new();
}

static void
pack_summary(gconstpointer member, GByteArray *bytes)
{
  GBytes *summary = *(GBytes *const *)member;
  gsize n = 0;
  const void *data = summary ? g_bytes_get_data(summary, &n) : NULL;

  g_byte_array_append(bytes, data, (guint)n);
}

static void
unpack_summary(gpointer member, const guint8 *data, gsize size)
{
  GBytes **summary = member;

  g_clear_pointer(summary, g_bytes_unref);
  *summary = size > 0 ? g_bytes_new(data, size) : NULL;
}

#define MEMBER(member, form, ...) MS_FIELD(MsBatchItem, member, form, __VA_ARGS__)

/* The members of an item that the supervisor sends to a worker. */
static const MsField job_members[] = {
  MEMBER(seq, COUNT, "seq"),
  MEMBER(input, TEXT, "input"),
  MEMBER(relative, TEXT, "relative"),
  MEMBER(output, TEXT, "output"),
  MEMBER(input_is_stream, BOOLEAN, "input_is_stream"),
  MEMBER(output_is_stream, BOOLEAN, "output_is_stream"),
  MEMBER(folder_length, COUNT, "folder_length"),
  MEMBER(folder.device, COUNT, "folder_device"),
  MEMBER(folder.inode, COUNT, "folder_inode"),
  MEMBER(follow_links, BOOLEAN, "follow_links"),
  MEMBER(overwrite, BOOLEAN, "overwrite"),
  MEMBER(skip_existing, BOOLEAN, "skip_existing"),
  MEMBER(numbered, BOOLEAN, "numbered"),
  MEMBER(perhaps_saved, BOOLEAN, "perhaps_saved"),
  MEMBER(shortened, BOOLEAN, "shortened"),
  MEMBER(input_spool, WHOLE, "input_spool"),
  MEMBER(output_spool, WHOLE, "output_spool"),
};

/* The members of a finished item that the worker sends back. */
static const MsField result_members[] = {
  MEMBER(output, TEXT, "output"),
  MEMBER(error, TEXT, "error"),
  MEMBER(shown, TEXT, "shown"),
  MEMBER(reason, TEXT, "reason"),
  MEMBER(notes[MS_LANGUAGE_ENGLISH], TEXT, "note"),
  MEMBER(notes[MS_LANGUAGE_USER], TEXT, "shown note"),
  MEMBER(source, OWN, "source"),
  MEMBER(result, OWN, "result"),
  MEMBER(width, WHOLE, "width"),
  MEMBER(height, WHOLE, "height"),
  MEMBER(bits, WHOLE, "bits"),
  MEMBER(used, OWN, "used"),
  MEMBER(device, TEXT, "device"),
  MEMBER(log, OWN, "log", .pack = pack_log, .unpack = unpack_log),
  MEMBER(kernel_ms, NUMBERS, "kernel_ms"),
  MEMBER(filter_ms, NUMBERS, "filter_ms"),
  MEMBER(rejected, TEXT, "rejected"),
  MEMBER(profile, TEXT, "profile"),
  MEMBER(verified, BOOLEAN, "verified"),
  MEMBER(difference, OWN, "difference"),
  MEMBER(summary, OWN, "summary", .pack = pack_summary, .unpack = unpack_summary),
};

static const MsRecord job_record = MS_RECORD(job_members);
static const MsRecord result_record = MS_RECORD(result_members);

/** ms_worker_message_new_jobs: (transfer floating): @items: (element-type MsBatchItem). */
GVariant *
ms_worker_message_new_jobs(GPtrArray *items)
{
  GVariantBuilder builder;

  g_variant_builder_init(&builder, G_VARIANT_TYPE("(" JOBS_TYPE ")"));
  g_variant_builder_open(&builder, G_VARIANT_TYPE(JOBS_TYPE));
  for (guint i = 0; i < items->len; i++)
    g_variant_builder_add_value(&builder, ms_record_to_message(&job_record, items->pdata[i]));
  g_variant_builder_close(&builder);
  return g_variant_builder_end(&builder);
}

/** ms_worker_message_get_jobs: (transfer full) (element-type MsBatchItem): pending items in the order of sending. */
GPtrArray *
ms_worker_message_get_jobs(GVariant *message)
{
  GPtrArray *items = g_ptr_array_new_with_free_func((GDestroyNotify)ms_batch_item_free);
  g_autoptr(GVariant) jobs = g_variant_get_child_value(message, 0);

  for (gsize i = 0; i < g_variant_n_children(jobs); i++) {
    g_autoptr(GVariant) job = g_variant_get_child_value(jobs, i);
    MsBatchItem *item = ms_batch_item_new(0, NULL, NULL);
    ms_record_from_message(&job_record, item, job);
    item->index = (guint)i;
    g_ptr_array_add(items, item);
  }
  return items;
}

/** ms_worker_message_new_result: (transfer floating): the results of a finished item. */
GVariant *
ms_worker_message_new_result(const MsBatchItem *item)
{
  return ms_record_to_message(&result_record, item);
}

/** ms_worker_message_take_result: copies the results of ms_worker_message_new_result() into @item. */
void
ms_worker_message_take_result(GVariant *payload, MsBatchItem *item)
{
  ms_record_from_message(&result_record, item, payload);
}

/* The worker */

/* Progress is reported at most this often. */
#define PROGRESS_US (100 * 1000)

typedef struct {
  const MsRunnerHooks *hooks;
  MsChannel *channel;
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
  send(data, MS_WORKER_STARTED, g_variant_new("(u)", item->index));
}

static void
on_waits(MsBatchItem *item, gpointer data)
{
  send(data, MS_WORKER_WAITS, g_variant_new("(u)", item->index));
}

static void
on_saving(MsBatchItem *item, const struct stat *file, gpointer data)
{
  send(data, MS_WORKER_SAVING,
       g_variant_new("(utt@aay)", item->index, (guint64)file->st_dev, (guint64)file->st_ino,
                     ms_worker_message_new_result(item)));
}

static void
on_finished(MsBatchItem *item, gpointer data)
{
  send(data, MS_WORKER_FINISHED,
       g_variant_new("(ui@aay)", item->index, (int)item->status, ms_worker_message_new_result(item)));
  ms_batch_item_forget_results(item);
}

static void
on_worker_progress(MsBatchItem *item, int done, int total, gpointer data)
{
  Worker *w = data;
  gint64 now = g_get_monotonic_time();

  if (now - w->last_progress_us < PROGRESS_US)
    return;
  w->last_progress_us = now;
  send(w, MS_WORKER_PROGRESS, g_variant_new("(uii)", item->index, done, total));
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
 * Runs the items that arrive and reports each to the supervisor. The device stays open, since the caller ends the
 * process.
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
                       .progress = on_worker_progress,
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
  MsRunnerOptions ending = *options;
  ending.leaves_device_open = TRUE;
  ms_runner_run(items, &ending, &own, cancellable, &error);
  send_end(&worker, error);
  ms_channel_free(worker.channel);
  return error == NULL;
}
