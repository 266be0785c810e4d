/* SPDX-License-Identifier: MIT */
#include "core/batch/worker.h"

#include "core/record/record.h"
#include "core/service/protocol.h"

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

/* What a worker needs of an item. */
static const MsField job_members[] = {
  MEMBER(input, TEXT, "input"),
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
  MEMBER(shortened, BOOLEAN, "shortened"),
  MEMBER(input_spool, WHOLE, "input_spool"),
  MEMBER(output_spool, WHOLE, "output_spool"),
};

/* What is known of an item before its file gets its name. */
static const MsField filtered_members[] = {
  MEMBER(source, OWN, "source"),
  MEMBER(width, WHOLE, "width"),
  MEMBER(height, WHOLE, "height"),
  MEMBER(bits, WHOLE, "bits"),
  MEMBER(used, OWN, "used"),
  MEMBER(kernel_ms, NUMBERS, "kernel_ms"),
  MEMBER(filter_ms, NUMBERS, "filter_ms"),
  MEMBER(rejected, TEXT, "rejected"),
  MEMBER(profile, TEXT, "profile"),
  MEMBER(verified, BOOLEAN, "verified"),
  MEMBER(difference, OWN, "difference"),
  MEMBER(summary, OWN, "summary", .pack = pack_summary, .unpack = unpack_summary),
};

/* What may have changed after that. */
static const MsField ended_members[] = {
  MEMBER(status, COUNT, "status"),
  MEMBER(output, TEXT, "output"),
  MEMBER(error, TEXT, "error"),
  MEMBER(shown, TEXT, "shown"),
  MEMBER(reason, TEXT, "reason"),
  MEMBER(notes, TEXT, "notes"),
  MEMBER(result, OWN, "result"),
  MEMBER(device, TEXT, "device"),
  MEMBER(log, OWN, "log", .pack = pack_log, .unpack = unpack_log),
};

static const MsRecord job_record = MS_RECORD(job_members);
static const MsRecord filtered_record = MS_RECORD(filtered_members);
static const MsRecord ended_record = MS_RECORD(ended_members);

/**
 * ms_worker_new_items: (transfer floating): the content of %MS_REQUEST_ITEMS.
 * @items: (element-type MsBatchItem)
 * @on_processor: whether the processor replaces the device, which was given up
 */
GVariant *
ms_worker_new_items(GPtrArray *items, gboolean on_processor)
{
  GVariantBuilder builder;

  g_variant_builder_init(&builder, G_VARIANT_TYPE("a" MS_RECORD_MESSAGE));
  for (guint i = 0; i < items->len; i++)
    g_variant_builder_add_value(&builder, ms_record_to_message(&job_record, items->pdata[i]));
  return g_variant_new("(ba" MS_RECORD_MESSAGE ")", on_processor, &builder);
}

/** ms_worker_take_items: (transfer full) (element-type MsBatchItem): pending items in the order of sending. */
GPtrArray *
ms_worker_take_items(GVariant *content, gboolean *on_processor)
{
  GPtrArray *items = g_ptr_array_new_with_free_func((GDestroyNotify)ms_batch_item_free);
  g_autoptr(GVariant) jobs = g_variant_get_child_value(content, 1);

  g_variant_get_child(content, 0, "b", on_processor);
  for (gsize i = 0; i < g_variant_n_children(jobs); i++) {
    g_autoptr(GVariant) job = g_variant_get_child_value(jobs, i);
    MsBatchItem *item = ms_batch_item_new(0, NULL, NULL);
    ms_record_from_message(&job_record, item, job);
    item->index = (guint)i;
    g_ptr_array_add(items, item);
  }
  return items;
}

static GVariant *
nothing(void)
{
  return g_variant_new_array(G_VARIANT_TYPE("ay"), NULL, 0);
}

/**
 * ms_worker_new_news: (transfer floating): the content of %MS_ANSWER_ITEM.
 *
 * What was found by filtering is sent once: before the file gets its name, else at the end.
 */
GVariant *
ms_worker_new_news(MsBatchItem *item, MsItemEvent event)
{
  const gboolean is_result = event == MS_ITEM_SAVING || event == MS_ITEM_FINISHED;
  const gboolean tells_filtered = is_result && !(event == MS_ITEM_FINISHED && item->has_told);

  item->has_told = event == MS_ITEM_SAVING;
  return g_variant_new("(u@" MS_RECORD_MESSAGE "@" MS_RECORD_MESSAGE ")", (guint)event,
                       tells_filtered ? ms_record_to_message(&filtered_record, item) : nothing(),
                       is_result ? ms_record_to_message(&ended_record, item) : nothing());
}

/** ms_worker_take_news: copies into @item what ms_worker_new_news() tells of it. */
MsItemEvent
ms_worker_take_news(GVariant *content, MsBatchItem *item)
{
  g_autoptr(GVariant) filtered = NULL, ended = NULL;
  guint event = 0;

  g_variant_get(content, "(u@" MS_RECORD_MESSAGE "@" MS_RECORD_MESSAGE ")", &event, &filtered, &ended);
  ms_record_from_message(&filtered_record, item, filtered);
  ms_record_from_message(&ended_record, item, ended);
  item->status = MIN(item->status, MS_ITEM_SKIPPED);
  return MIN(event, MS_ITEM_FINISHED);
}

/* Progress is reported at most this often. */
#define PROGRESS_US (100 * 1000)

typedef struct {
  const MsRunnerHooks *hooks;
  MsChannel *channel;
  gint64 last_progress_us;
} Worker;

/** ms_worker_answer_device: sends what the reports say of the device, which is open. */
void
ms_worker_answer_device(MsChannel *channel, MsEngine *engine)
{
  const MsEngineInfo info = ms_engine_describe(engine);

  ms_service_answer(channel, 0, MS_ANSWER_DEVICE,
                    g_variant_new("(ssss)", info.name, info.platform, info.driver, info.type), NULL);
}

static MsEngine *
on_open(gpointer data, GError **error)
{
  Worker *w = data;
  MsEngine *engine = w->hooks->open(w->hooks->data, error);

  if (engine)
    ms_worker_answer_device(w->channel, engine);
  return engine;
}

static void
on_item(MsBatchItem *item, MsItemEvent event, gpointer data)
{
  Worker *w = data;

  ms_service_answer(w->channel, item->index, MS_ANSWER_ITEM, ms_worker_new_news(item, event), NULL);
  if (event == MS_ITEM_FINISHED)
    ms_batch_item_forget_results(item);
}

static void
on_worker_progress(MsBatchItem *item, double done, gpointer data)
{
  Worker *w = data;
  gint64 now = g_get_monotonic_time();

  if (now - w->last_progress_us < PROGRESS_US)
    return;
  w->last_progress_us = now;
  ms_service_answer(w->channel, item->index, MS_ANSWER_PROGRESS, g_variant_new("(d)", done), NULL);
}

static gboolean
on_inspect(const MsInspection *rows, gpointer data, GError **error)
{
  Worker *w = data;

  return w->hooks->inspect(rows, w->hooks->data, error);
}

/**
 * ms_worker_run:
 * @items: (element-type MsBatchItem): of ms_worker_take_items()
 * @options: as the supervisor's, with a manifest of its own
 * @hooks: only @open and @inspect are called
 *
 * Runs the items and answers what happens to each; the numbers of the answers are their places in the request. The
 * device stays open, since the caller ends the process.
 *
 * Returns: %FALSE when the run ended with an error, which is the last answer
 */
gboolean
ms_worker_run(MsChannel *channel, GPtrArray *items, const MsRunnerOptions *options, const MsRunnerHooks *hooks,
              GCancellable *cancellable)
{
  Worker worker = {.hooks = hooks, .channel = channel};
  MsRunnerHooks own = {.open = on_open,
                       .happened = on_item,
                       .progress = on_worker_progress,
                       .inspect = hooks->inspect ? on_inspect : NULL,
                       .data = &worker};
  MsRunnerOptions ending = *options;
  g_autoptr(GError) error = NULL;

  ending.is_worker = TRUE;
  if (ms_runner_run(items, &ending, &own, cancellable, &error))
    ms_service_answer_done(channel, 0);
  else
    ms_service_answer_failure(channel, 0, error, FALSE);
  return error == NULL;
}
