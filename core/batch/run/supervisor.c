/* SPDX-License-Identifier: MIT */
#include "core/batch/run/supervisor.h"

#include "core/batch/run/supervised-worker.h"

/* The batch ends when this many workers in a row died, each with a single image. */
#define MOST_DEATHS_IN_A_ROW 5

/* Images are passed to one worker after another, those that were in work when a worker died to one each. */
typedef struct {
  MsSupervision run;
  GPtrArray *rest;     /* items for the next worker */
  GPtrArray *suspects; /* items that were in work when a worker died */
  guint deaths_before_device;
} Supervisor;

static void
fail_suspect(Supervisor *s, MsBatchItem *item, const char *cause)
{
  g_autofree char *name = ms_batch_item_input_name(item);

  s->run.deaths_in_a_row++;
  ms_batch_item_fail(item, "'%s': the worker process did not survive this image twice: %s.", name, cause);
  ms_runner_report(s->run.options, s->run.hooks, item);
}

/*
 * Sorts the items of a dead worker: those in work are retried one by one, those that waited for the device are passed
 * to the next worker. A retry compares its result with the output, which may have been saved before the worker died.
 */
static void
divide(Supervisor *s, MsSupervisedWorker *w, const char *cause)
{
  for (guint i = 0; i < w->items->len; i++) {
    MsBatchItem *item = g_ptr_array_index(w->items, i);
    if (item->status != MS_ITEM_PENDING)
      continue;
    if (w->in_work[i]) {
      item->perhaps_saved = item->output && !item->overwrite;
      g_hash_table_insert(s->run.deaths, item, g_strdup(cause));
    }
    g_ptr_array_add(w->in_work[i] && s->run.ever_opened ? s->suspects : s->rest, item);
  }
}

static void
note(const Supervisor *s, const char *sentence)
{
  if (s->run.supervision->note)
    s->run.supervision->note(sentence, s->run.hooks->data);
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
  if (!s->run.supervision->falls_back || s->run.gave_up || s->run.is_processor)
    return FALSE;
  g_autofree char *sentence =
    g_strdup_printf("The device is given up because its driver ended the worker process: %s. The processor is used "
                    "instead.",
                    cause);
  s->run.gave_up = TRUE;
  s->deaths_before_device = s->run.deaths_in_a_row = 0;
  note(s, sentence);
  return TRUE;
}

static gboolean
take_death(Supervisor *s, MsSupervisedWorker *w, MsWorkerEnd end, gboolean alone, GError **error)
{
  g_autofree char *cause = ms_supervised_worker_describe_death(w, &s->run, end);

  if (!s->run.ever_opened && ++s->deaths_before_device > 1 && !give_up_device(s, cause)) {
    ms_set_error(error, MS_ERROR_NO_DEVICE,
                 "The worker process did not survive opening the device: %s. Choose another device with --device.",
                 cause);
    return FALSE;
  }
  if (!s->run.ever_opened && s->deaths_before_device == 1)
    note_second_opening(s, cause);
  if (alone && s->run.ever_opened && w->items->len == 1 && w->in_work[0])
    fail_suspect(s, g_ptr_array_index(w->items, 0), cause);
  else
    divide(s, w, cause);
  if (s->run.deaths_in_a_row < MOST_DEATHS_IN_A_ROW || give_up_device(s, cause))
    return TRUE;
  ms_set_error(error, MS_ERROR_DEVICE,
               "%u images in a row ended the worker process, so the batch ends: %s. Choose another device with "
               "--device.",
               s->run.deaths_in_a_row, cause);
  return FALSE;
}

static gboolean
run_group(Supervisor *s, GPtrArray *items, gboolean alone, GError **error)
{
  g_autofree gboolean *in_work = g_new0(gboolean, items->len);
  g_autoptr(GString) end_of_stderr = g_string_new(NULL);
  MsSupervisedWorker w = {.items = items, .in_work = in_work, .process.messages = {.fd = -1, .end = end_of_stderr}};
  g_autoptr(GError) failure = NULL;
  MsWorkerEnd end = ms_supervised_worker_run(&w, &s->run, &failure);

  if (!failure)
    failure = g_steal_pointer(&w.error);
  if (end == MS_WORKER_END_CANCELLED && !failure)
    g_cancellable_set_error_if_cancelled(s->run.cancellable, &failure);
  if (failure) {
    g_propagate_error(error, g_steal_pointer(&failure));
    return FALSE;
  }
  return end == MS_WORKER_END_REPORTED || end == MS_WORKER_END_CANCELLED || take_death(s, &w, end, alone, error);
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

/* Takes the pending items, and reports those that are not or whose input is a pipe that cannot be read. */
static gboolean
take_items(Supervisor *s, GPtrArray *items, GError **error)
{
  const MsRunnerOptions *options = s->run.options;

  for (guint i = 0; i < items->len; i++) {
    MsBatchItem *item = g_ptr_array_index(items, i);
    g_autoptr(GError) failure = NULL;
    if (item->status == MS_ITEM_PENDING &&
        !ms_stream_spool_take(s->run.spool, item, &options->limits, s->run.cancellable, &failure)) {
      if (g_error_matches(failure, G_IO_ERROR, G_IO_ERROR_CANCELLED)) {
        g_propagate_error(error, g_steal_pointer(&failure));
        return FALSE;
      }
      ms_batch_item_fail_with(item, failure);
    }
    if (item->status == MS_ITEM_PENDING)
      g_ptr_array_add(s->rest, item);
    else
      ms_runner_report(options, s->run.hooks, item);
  }
  return TRUE;
}

/**
 * ms_supervisor_run:
 * @hooks: @open and @inspect are not used, since the worker calls its own
 *
 * Does what ms_runner_run() does, in worker processes. Images that were in work when a worker died are tried once
 * more alone; they get a note where that succeeds, and otherwise fail with the cause. A worker that dies
 * while it opens the device is noted and started once more. When several in a row fail, the
 * device is given up, and the rest is filtered on the processor if the options allow it. Cancelling ends the worker,
 * also when its driver hangs.
 *
 * Returns: %FALSE as ms_runner_run() does, or with #MS_ERROR_DEVICE when several images in a row ended their workers
 */
gboolean
ms_supervisor_run(GPtrArray *items, const MsSupervisorOptions *options, const MsRunnerHooks *hooks,
                  GCancellable *cancellable, GError **error)
{
  Supervisor s = {.rest = g_ptr_array_new(), .suspects = g_ptr_array_new()};
  gboolean good;

  s.run = (MsSupervision){.options = options->runner,
                          .supervision = options,
                          .hooks = hooks,
                          .cancellable = cancellable,
                          .spool = ms_stream_spool_new(options->runner->scratch),
                          .deaths = g_hash_table_new_full(NULL, NULL, NULL, g_free)};
  good = take_items(&s, items, error) && run_groups(&s, error);
  ms_stream_spool_free(s.run.spool);
  g_hash_table_unref(s.run.deaths);
  g_ptr_array_unref(s.rest);
  g_ptr_array_unref(s.suspects);
  return good;
}
