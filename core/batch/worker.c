/* SPDX-License-Identifier: MIT */
#include "core/batch/worker.h"

#include <string.h>
#include <sys/stat.h>

#include "core/process/child.h"

/* Messages */

/* The members of an item, one array of bytes each, and the members of several items. */
#define MEMBERS_TYPE "aay"
#define JOBS_TYPE "a" MEMBERS_TYPE

static const MsMessageType requests[] = {
  [MS_WORKER_JOBS] = {"jobs", "(" JOBS_TYPE ")", 0},
};

static const MsMessageType results[] = {
  [MS_WORKER_DEVICE] = {"device", "(ssss)", 0},
  [MS_WORKER_STARTED] = {"started", "(u)", 0},
  [MS_WORKER_WAITS] = {"waits", "(u)", 0},
  [MS_WORKER_PROGRESS] = {"progress", "(uii)", 0},
  [MS_WORKER_SAVING] = {"saving", "(utt" MEMBERS_TYPE ")", 0},
  [MS_WORKER_FINISHED] = {"finished", "(ui" MEMBERS_TYPE ")", 0},
  [MS_WORKER_PROBLEM] = {"problem", "(ay)", 0},
  [MS_WORKER_ENDED] = {"ended", "(biayay)", 0},
};

const MsProtocol ms_worker_requests = {requests, G_N_ELEMENTS(requests)};
const MsProtocol ms_worker_results = {results, G_N_ELEMENTS(results)};

/* How members of one type are sent: as what bytes, and how a member, freed or unset, is made of them. */
typedef struct {
  void (*write)(GByteArray *bytes, gconstpointer member, gsize size);
  void (*read)(gpointer member, gsize size, const guint8 *data, gsize data_size);
} Coding;

static void
write_plain(GByteArray *bytes, gconstpointer member, gsize size)
{
  g_byte_array_append(bytes, member, (guint)size);
}

static void
read_plain(gpointer member, gsize size, const guint8 *data, gsize data_size)
{
  if (data_size == size)
    memcpy(member, data, size);
}

/* Sends a file name as it is, since it may not be UTF-8, with its final NUL; no bytes stand for NULL. */
static void
write_text(GByteArray *bytes, gconstpointer member, gsize size)
{
  const char *text = *(char *const *)member;

  if (text)
    g_byte_array_append(bytes, (const guint8 *)text, (guint)strlen(text) + 1);
}

static void
read_text(gpointer member, gsize size, const guint8 *data, gsize data_size)
{
  char **text = member;

  g_free(*text);
  *text = data_size > 0 ? g_strndup((const char *)data, data_size - 1) : NULL;
}

static void
write_times(GByteArray *bytes, gconstpointer member, gsize size)
{
  const GArray *times = *(GArray *const *)member;

  g_byte_array_append(bytes, (const guint8 *)times->data, times->len * (guint)sizeof(double));
}

static void
read_times(gpointer member, gsize size, const guint8 *data, gsize data_size)
{
  GArray *times = *(GArray **)member;

  g_array_set_size(times, 0);
  if (data_size > 0)
    g_array_append_vals(times, data, (guint)(data_size / sizeof(double)));
}

/* Each row is followed by its kernel's name, since a pointer is invalid in the other process. */
static void
write_log(GByteArray *bytes, gconstpointer member, gsize size)
{
  MsTimingLog *log = *(MsTimingLog *const *)member;
  guint n = log ? ms_timing_log_get_length(log) : 0;

  for (guint i = 0; i < n; i++) {
    const MsTiming *row = ms_timing_log_get(log, i);
    const char *kernel = row->kernel ? row->kernel : "";
    g_byte_array_append(bytes, (const guint8 *)row, sizeof *row);
    g_byte_array_append(bytes, (const guint8 *)kernel, (guint)strlen(kernel) + 1);
  }
}

static void
read_log(gpointer member, gsize size, const guint8 *data, gsize data_size)
{
  const guint8 *end = data + data_size;
  MsTimingLog *log = ms_timing_log_new();

  while ((gsize)(end - data) > sizeof(MsTiming) && memchr(data + sizeof(MsTiming), 0, end - data - sizeof(MsTiming))) {
    MsTiming row;
    memcpy(&row, data, sizeof row);
    const char *kernel = (const char *)data + sizeof row;
    row.kernel = kernel[0] ? g_intern_string(kernel) : NULL;
    row.stage = MIN(row.stage, MS_STAGE_ENCODE);
    ms_timing_log_add(log, &row);
    data += sizeof row + strlen(kernel) + 1;
  }
  g_clear_object((MsTimingLog **)member);
  *(MsTimingLog **)member = log;
}

static void
write_summary(GByteArray *bytes, gconstpointer member, gsize size)
{
  GBytes *summary = *(GBytes *const *)member;
  gsize n = 0;
  const void *data = summary ? g_bytes_get_data(summary, &n) : NULL;

  g_byte_array_append(bytes, data, (guint)n);
}

static void
read_summary(gpointer member, gsize size, const guint8 *data, gsize data_size)
{
  GBytes **summary = member;

  g_clear_pointer(summary, g_bytes_unref);
  *summary = data_size > 0 ? g_bytes_new(data, data_size) : NULL;
}

static const Coding plain = {write_plain, read_plain};
static const Coding text = {write_text, read_text};
static const Coding times = {write_times, read_times};
static const Coding timing_log = {write_log, read_log};
static const Coding summary = {write_summary, read_summary};

typedef struct {
  gsize offset;
  gsize size;
  const Coding *coding;
} Member;

#define MEMBER(name, coding)                                                                                           \
  {                                                                                                                    \
    G_STRUCT_OFFSET(MsBatchItem, name), sizeof(((MsBatchItem *)NULL)->name), &(coding)                                 \
  }

/* The members of an item that the supervisor sends to a worker. */
static const Member job_members[] = {
  MEMBER(seq, plain),           MEMBER(input, text),        MEMBER(relative, text),       MEMBER(output, text),
  MEMBER(folder_length, plain), MEMBER(overwrite, plain),   MEMBER(skip_existing, plain), MEMBER(numbered, plain),
  MEMBER(perhaps_saved, plain), MEMBER(input_spool, plain), MEMBER(output_spool, plain),
};

/* The members of a finished item that the worker sends back. */
static const Member result_members[] = {
  MEMBER(output, text),
  MEMBER(error, text),
  MEMBER(shown, text),
  MEMBER(reason, text),
  MEMBER(notes[MS_LANGUAGE_ENGLISH], text),
  MEMBER(notes[MS_LANGUAGE_USER], text),
  MEMBER(source, plain),
  MEMBER(result, plain),
  MEMBER(width, plain),
  MEMBER(height, plain),
  MEMBER(used, plain),
  MEMBER(device, text),
  MEMBER(log, timing_log),
  MEMBER(kernel_ms, times),
  MEMBER(filter_ms, times),
  MEMBER(rejected, text),
  MEMBER(verified, plain),
  MEMBER(difference, plain),
  MEMBER(summary, summary),
};

static GVariant *
write_members(const MsBatchItem *item, const Member *members, gsize n)
{
  GVariantBuilder builder;

  g_variant_builder_init(&builder, G_VARIANT_TYPE(MEMBERS_TYPE));
  for (gsize i = 0; i < n; i++) {
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    members[i].coding->write(bytes, (const guint8 *)item + members[i].offset, members[i].size);
    g_variant_builder_add_value(&builder, g_variant_new_fixed_array(G_VARIANT_TYPE_BYTE, bytes->data, bytes->len, 1));
  }
  return g_variant_builder_end(&builder);
}

static void
read_members(GVariant *message, MsBatchItem *item, const Member *members, gsize n)
{
  for (gsize i = 0; i < MIN(n, g_variant_n_children(message)); i++) {
    g_autoptr(GVariant) child = g_variant_get_child_value(message, i);
    gsize size = 0;
    const guint8 *data = g_variant_get_fixed_array(child, &size, 1);
    members[i].coding->read((guint8 *)item + members[i].offset, members[i].size, data, size);
  }
}

/** ms_worker_message_new_jobs: (transfer floating): @items: (element-type MsBatchItem). */
GVariant *
ms_worker_message_new_jobs(GPtrArray *items)
{
  GVariantBuilder builder;

  g_variant_builder_init(&builder, G_VARIANT_TYPE("(" JOBS_TYPE ")"));
  g_variant_builder_open(&builder, G_VARIANT_TYPE(JOBS_TYPE));
  for (guint i = 0; i < items->len; i++)
    g_variant_builder_add_value(&builder,
                                write_members(g_ptr_array_index(items, i), job_members, G_N_ELEMENTS(job_members)));
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
    read_members(job, item, job_members, G_N_ELEMENTS(job_members));
    item->index = (guint)i;
    g_ptr_array_add(items, item);
  }
  return items;
}

/** ms_worker_message_new_result: (transfer floating): the results of a finished item. */
GVariant *
ms_worker_message_new_result(const MsBatchItem *item)
{
  return write_members(item, result_members, G_N_ELEMENTS(result_members));
}

/** ms_worker_message_take_result: copies the results of ms_worker_message_new_result() into @item. */
void
ms_worker_message_take_result(GVariant *payload, MsBatchItem *item)
{
  read_members(payload, item, result_members, G_N_ELEMENTS(result_members));
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
on_progress(MsBatchItem *item, int done, int total, gpointer data)
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
  ms_runner_run(items, options, &own, cancellable, &error);
  send_end(&worker, error);
  ms_channel_free(worker.channel);
  return error == NULL;
}
