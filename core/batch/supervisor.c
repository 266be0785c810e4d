/* SPDX-License-Identifier: MIT */
/*
 * Images are passed to one worker after another. Those that were in work when a worker died are tried once more, each
 * alone in a worker of its own. What follows a death is decided by MsDriver.
 */
#include "core/batch/supervisor.h"

#include <unistd.h>

#include "core/batch/output-folder.h"
#include "core/batch/stream-spool.h"
#include "core/batch/worker.h"
#include "core/service/protocol.h"

/* The time in which a worker must exit after it was told to stop, or has reported its end and another one follows. */
#define EXIT_S 3

/* The longest silence if --timeout is not given; compiling kernels and decoding large images report nothing. */
#define USUAL_SILENCE_S 120

/*
 * @is_naming: whether only the name of the device is wanted, which becomes @device_name
 * @rest: items for the next workers, of which each gets one that has a death, or all others
 */
struct _MsSupervisor {
  const MsBatchRun *run;
  MsDriver *driver;
  gboolean falls_back;
  gboolean is_naming;
  char *device_name;
  GArray *spool;
  GPtrArray *rest;
  gboolean is_processor; /* whether the device that was opened last is a processor */

  /* The present worker. */
  GPtrArray *items;
  gboolean opened;
  GError *error; /* (nullable): in its last message */
};

static void
tell(MsSupervisor *s, MsBatchEvent *event)
{
  ms_batch_run_tell(s->run, event);
}

static void
on_note(const char *sentence, gpointer data)
{
  tell(data, &(MsBatchEvent){.kind = MS_BATCH_NOTE, .sentence = sentence});
}

static void
tell_end(MsSupervisor *s, MsBatchItem *item)
{
  const MsBatchRequest *request = s->run->request;
  g_autoptr(GError) error = NULL;

  if (request->manifest && !ms_manifest_append(request->manifest, item, request, &error) && error)
    tell(s, &(MsBatchEvent){.kind = MS_BATCH_PROBLEM, .sentence = error->message});
  tell(s, &(MsBatchEvent){.kind = MS_BATCH_FINISHED, .item = item});
}

/* Messages of the worker */

static MsDriverEvent
take_device(MsSupervisor *s, MsBatchEvent *event)
{
  s->opened = TRUE;
  s->is_processor = g_strcmp0(event->device.type, ms_device_type_name(MS_DEVICE_TYPE_CPU)) == 0;
  if (s->is_naming)
    s->device_name = g_strdup(event->device.name);
  else
    tell(s, event);
  return s->is_processor ? MS_DRIVER_OPENED_PROCESSOR : MS_DRIVER_OPENED;
}

/* States that a second attempt succeeded, since a driver that ends a process is not to be trusted. */
static void
note_retry(MsBatchItem *item)
{
  g_autofree char *name = ms_batch_item_input_name(item);

  if (item->death && item->status == MS_ITEM_DONE)
    ms_note_add(&item->notes, MS_NOTE_RETRIED, name, item->death);
}

/* %FALSE where an interruption ended the wait for the reader of a pipe, which leaves the item pending. */
static gboolean
deliver(MsSupervisor *s, MsBatchItem *item)
{
  g_autoptr(GError) error = NULL;

  if (item->status != MS_ITEM_DONE ||
      ms_stream_spool_deliver(s->spool, item, &s->run->request->limits.wait, s->run->cancellable, &error))
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
report_result(MsSupervisor *s, MsBatchItem *item)
{
  if (!deliver(s, item))
    return;
  note_retry(item);
  tell_end(s, item);
}

/* (nullable): the item of an answer, unless its result has arrived */
static MsBatchItem *
find_item(MsSupervisor *s, MsMessage *message)
{
  guint32 index;

  g_variant_get_child(message->payload, 0, "u", &index);
  MsBatchItem *item = s->items && index < s->items->len ? g_ptr_array_index(s->items, index) : NULL;
  return item && item->status == MS_ITEM_PENDING ? item : NULL;
}

static MsDriverEvent
take_item_event(MsSupervisor *s, MsBatchEvent *event)
{
  if (event->kind == MS_BATCH_FINISHED) {
    report_result(s, event->item);
    return MS_DRIVER_RESULT;
  }
  event->item->in_work = event->kind != MS_BATCH_WAITS;
  event->item->is_saving |= event->kind == MS_BATCH_SAVING;
  if (event->kind == MS_BATCH_STARTED || event->kind == MS_BATCH_PROGRESS)
    tell(s, event);
  return MS_DRIVER_NOTHING;
}

static MsDriverEvent
take_event(MsSupervisor *s, MsMessage *message, GVariant *content)
{
  g_auto(MsBatchEvent) event = {.item = s->is_naming ? NULL : find_item(s, message)};

  ms_batch_event_take(&event, content);
  if (event.kind == MS_BATCH_DEVICE)
    return take_device(s, &event);
  return event.item ? take_item_event(s, &event) : MS_DRIVER_NOTHING;
}

static MsDriverEvent
take_answer(MsMessage *message, gpointer data)
{
  MsSupervisor *s = data;
  g_autoptr(GVariant) content = g_variant_get_child_value(message->payload, 1);
  gboolean is_lost;

  if (message->kind == MS_ANSWER_EVENT)
    return take_event(s, message, content);
  if (message->kind == MS_ANSWER_FAILED) {
    g_clear_error(&s->error);
    s->error = ms_service_take_failure(content, &is_lost);
    return MS_DRIVER_FINISHED;
  }
  if (message->kind != MS_ANSWER_DONE || (s->is_naming && !s->device_name))
    return MS_DRIVER_NOTHING;
  return s->is_naming ? MS_DRIVER_IDLE : MS_DRIVER_FINISHED;
}

/* Deaths */

/* Whether the file that the worker was about to name has the name of the output: then the image is done. */
static gboolean
was_saved(const MsBatchItem *item)
{
  return item->is_saving && item->output &&
         ms_file_stamp_is_at(&item->result, item->output, MS_STAMP_TIME | MS_STAMP_INODE);
}

/* Reports the images whose files were complete when the worker died; whether there are any. */
static gboolean
report_saved(MsSupervisor *s)
{
  gboolean any = FALSE;

  for (guint i = 0; i < s->items->len; i++) {
    MsBatchItem *item = g_ptr_array_index(s->items, i);
    if (item->status != MS_ITEM_PENDING || !was_saved(item))
      continue;
    item->status = MS_ITEM_DONE;
    ms_file_stamp_take(&item->result, item->output, s->run->request->resume == MS_RESUME_HASH);
    report_result(s, item);
    any = TRUE;
  }
  return any;
}

/*
 * Those in work are retried one by one, those that waited for the device are passed to the next worker. One that was
 * retried alone has failed if the device was open.
 */
static void
divide_pending(MsSupervisor *s, const char *cause)
{
  for (guint i = 0; i < s->items->len; i++) {
    MsBatchItem *item = g_ptr_array_index(s->items, i);
    const gboolean is_suspect = item->in_work && s->opened;
    if (item->status != MS_ITEM_PENDING)
      continue;
    if (is_suspect && item->death) {
      g_autofree char *name = ms_batch_item_input_name(item);
      ms_batch_item_fail(item, "'%s': the worker process did not survive this image twice: %s.", name, cause);
      tell_end(s, item);
      continue;
    }
    if (is_suspect)
      item->death = g_strdup(cause);
    g_ptr_array_add(s->rest, item);
  }
}

/* A worker that dies after its last image, when it closes the device, costs nothing. */
static MsDriverDeath
take_death(MsChildEnd end, const char *how, gpointer data)
{
  MsSupervisor *s = data;

  if (s->is_naming)
    return MS_DRIVER_DEATH_COUNTS;
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
  const MsSupervisor *s = data;

  return !s->error && (s->is_naming ? !s->device_name : s->rest->len > 0);
}

/* (transfer full): one item that was in work when a worker died, else all. */
static GPtrArray *
take_next_items(MsSupervisor *s)
{
  for (guint i = 0; i < s->rest->len; i++) {
    if (!((const MsBatchItem *)s->rest->pdata[i])->death)
      continue;
    GPtrArray *one = g_ptr_array_new();
    g_ptr_array_add(one, g_ptr_array_steal_index(s->rest, i));
    return one;
  }
  GPtrArray *all = s->rest;
  s->rest = g_ptr_array_new();
  return all;
}

/* Asks a worker for the name of the device, or to filter items. */
static void
begin(gpointer data)
{
  MsSupervisor *s = data;
  const gboolean on_processor = ms_driver_is_given_up(s->driver);

  s->opened = FALSE;
  if (s->is_naming) {
    ms_service_request(s->driver, 0, MS_REQUEST_DEVICE, g_variant_new("(b)", on_processor), NULL);
    return;
  }
  g_clear_pointer(&s->items, g_ptr_array_unref);
  s->items = take_next_items(s);
  for (guint i = 0; i < s->items->len; i++) {
    MsBatchItem *item = s->items->pdata[i];
    item->in_work = item->is_saving = FALSE;
  }
  ms_service_request(s->driver, 0, MS_REQUEST_ITEMS, ms_worker_new_items(s->items, on_processor), NULL);
}

static gboolean
is_left(gpointer data)
{
  const MsSupervisor *s = data;

  return !s->is_processor && !has_work(data);
}

/**
 * ms_supervisor_new: (transfer full)
 * @run: (transfer none): read when the batch runs; its events are told on the thread that runs it, and functions of the
 *   process with the device are not called
 * @driver: (transfer none): whose processes are the workers; one that waits is asked first, unless the batch has pipes
 * @falls_back: whether the processor takes over when the driver of another device ends several workers
 */
MsSupervisor *
ms_supervisor_new(const MsBatchRun *run, MsDriver *driver, gboolean falls_back)
{
  MsSupervisor *self = g_new0(MsSupervisor, 1);

  self->run = run;
  self->driver = driver;
  self->falls_back = falls_back;
  self->spool = ms_stream_spool_new();
  self->rest = g_ptr_array_new();
  return self;
}

void
ms_supervisor_free(MsSupervisor *self)
{
  if (!self)
    return;
  g_clear_error(&self->error);
  g_clear_pointer(&self->items, g_ptr_array_unref);
  g_free(self->device_name);
  g_array_unref(self->spool);
  g_ptr_array_unref(self->rest);
  g_free(self);
}

static gboolean
run_workers(MsSupervisor *s, GError **error)
{
  const double timeout_s = s->run->request->limits.wait.silence_s;
  /* A worker is killed at the limit, unless that is too small for any image. */
  const guint64 limit = s->run->request->memory_limit;
  const MsDriverUser user = {.rules = {.most_fruitless = 5, .usual_cache = 2, .has_processor = s->falls_back},
                             .watch = {.silence_s = timeout_s > 0 ? timeout_s : USUAL_SILENCE_S,
                                       .grace_s = EXIT_S,
                                       .memory = limit > s->run->memory_runtime ? limit : 0},
                             .adapts_silence = timeout_s <= 0,
                             .exit_s = EXIT_S,
                             .has_work = has_work,
                             .begin = begin,
                             .take = take_answer,
                             .died = take_death,
                             .leaves = is_left,
                             .note = on_note,
                             .data = s};
  g_autoptr(GError) failure = NULL;

  /* A worker that was started before the files for pipes existed cannot inherit them. */
  if (s->spool->len > 0)
    ms_driver_set_files(s->driver, s->spool);
  if (ms_driver_run(s->driver, &user, s->run->cancellable, &failure) == MS_CHILD_END_CANCELLED) {
    if (s->items)
      report_saved(s);
    if (!s->error)
      g_cancellable_set_error_if_cancelled(s->run->cancellable, &s->error);
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
take_items(MsSupervisor *s, GPtrArray *items, gboolean streams, GError **error)
{
  MsImageLimits limits = s->run->request->limits;

  limits.wait.note = on_note;
  limits.wait.data = s;
  for (guint i = 0; i < items->len; i++) {
    MsBatchItem *item = g_ptr_array_index(items, i);
    g_autoptr(GError) failure = NULL;
    if (item->input_is_stream != streams)
      continue;
    if (item->status == MS_ITEM_PENDING &&
        !ms_stream_spool_take(s->spool, s->run->request->scratch, item, &limits, s->run->cancellable, &failure)) {
      if (g_error_matches(failure, G_IO_ERROR, G_IO_ERROR_CANCELLED)) {
        g_propagate_error(error, g_steal_pointer(&failure));
        return FALSE;
      }
      ms_batch_item_fail_with(item, failure);
    }
    if (item->status == MS_ITEM_PENDING)
      g_ptr_array_add(s->rest, item);
    else
      tell_end(s, item);
  }
  return TRUE;
}

/** ms_supervisor_name_device: (transfer full) (nullable): the name of the device, which stays open for the batch. */
char *
ms_supervisor_name_device(MsSupervisor *self, GError **error)
{
  self->is_naming = TRUE;
  const gboolean good = run_workers(self, error);
  self->is_naming = FALSE;
  return good ? g_steal_pointer(&self->device_name) : NULL;
}

/**
 * ms_supervisor_run:
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
ms_supervisor_run(MsSupervisor *self, GPtrArray *items, GError **error)
{
  const int folder = ms_output_folder_hold(items);
  /* A pipe that gives nothing keeps no file waiting. */
  const gboolean good = take_items(self, items, FALSE, error) && run_workers(self, error) &&
                        take_items(self, items, TRUE, error) && run_workers(self, error);

  if (folder >= 0)
    close(folder);
  return good;
}
