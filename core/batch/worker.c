/* SPDX-License-Identifier: MIT */
#include "core/batch/worker.h"

#include "core/record/record.h"
#include "core/service/protocol.h"

#define JOB(member, form) MS_FIELD(MsBatchItem, member, form, NULL)

/* What a worker needs of an item. */
static const MsField job_members[] = {
  JOB(input, TEXT),          JOB(output, TEXT),           JOB(input_is_stream, BOOLEAN), JOB(output_is_stream, BOOLEAN),
  JOB(folder_length, COUNT), JOB(folder.device, COUNT),   JOB(folder.inode, COUNT),      JOB(follow_links, BOOLEAN),
  JOB(overwrite, BOOLEAN),   JOB(skip_existing, BOOLEAN), JOB(numbered, BOOLEAN),        JOB(shortened, BOOLEAN),
  JOB(input_spool, WHOLE),   JOB(output_spool, WHOLE)};

static const MsRecord job_record = MS_RECORD(job_members);

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

/* Progress is reported at most this often. */
#define PROGRESS_US (100 * 1000)

typedef struct {
  MsChannel *channel;
  gint64 last_progress_us;
} Worker;

/* @index: of the item among those of the request */
static void
answer_event(MsChannel *channel, guint index, MsBatchEvent *event)
{
  ms_service_answer(channel, index, MS_ANSWER_EVENT, ms_batch_event_to_message(event), NULL);
}

/** ms_worker_answer_device: sends what the reports say of the device, which is open. */
void
ms_worker_answer_device(MsChannel *channel, MsEngine *engine)
{
  answer_event(channel, 0, &(MsBatchEvent){.kind = MS_BATCH_DEVICE, .device = ms_engine_describe(engine)});
}

static gboolean
is_progress_due(Worker *w)
{
  const gint64 now = g_get_monotonic_time(), passed = now - w->last_progress_us;

  if (passed >= PROGRESS_US)
    w->last_progress_us = now;
  return passed >= PROGRESS_US;
}

static void
on_event(MsBatchEvent *event, gpointer data)
{
  Worker *w = data;

  if (event->kind == MS_BATCH_PROGRESS && !is_progress_due(w))
    return;
  answer_event(w->channel, event->item ? event->item->index : 0, event);
  if (event->kind == MS_BATCH_FINISHED)
    ms_batch_item_forget_results(event->item);
}

/**
 * ms_worker_run:
 * @items: (element-type MsBatchItem): of ms_worker_take_items()
 * @run: the settings of the supervisor's run; each event is sent to the supervisor as an answer
 *
 * Runs the items and answers what happens to each; the numbers of the answers are their places in the request. The
 * device stays open, since the caller ends the process.
 *
 * Returns: %FALSE when the run ended with an error, which is the last answer
 */
gboolean
ms_worker_run(MsChannel *channel, GPtrArray *items, const MsBatchRun *run)
{
  Worker worker = {.channel = channel};
  MsBatchRun own = *run;
  g_autoptr(GError) error = NULL;

  own.event = on_event;
  own.event_data = &worker;
  own.keeps_devices = TRUE;
  if (ms_runner_run(items, &own, &error))
    ms_service_answer_done(channel, 0);
  else
    ms_service_answer_failure(channel, 0, error, FALSE);
  return error == NULL;
}
