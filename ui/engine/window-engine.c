/* SPDX-License-Identifier: MIT */
#include "ui/engine/window-engine-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_WATCHDOG_MS 30000

/* How long the process may take to end by itself when the window is closed. */
#define CLOSE_S 1.5

G_DEFINE_FINAL_TYPE(MsWindowEngine, ms_window_engine, G_TYPE_OBJECT)

/* Requests */

/** ms_window_request_new: (transfer full): @content: (transfer floating): as the table of requests says */
MsWindowRequest *
ms_window_request_new(MsRequestKind kind, GVariant *content)
{
  MsWindowRequest *self = g_new0(MsWindowRequest, 1);

  self->kind = kind;
  self->content = g_variant_ref_sink(content);
  return self;
}

/** ms_window_request_add_pixels: @pixels: (transfer full): for the next descriptor */
void
ms_window_request_add_pixels(MsWindowRequest *self, MsSharedPixels *pixels)
{
  self->pixels[self->n_pixels++] = pixels;
}

/** ms_window_request_add_image: adds the pixels of @image; where there is no memory for them, the request fails. */
void
ms_window_request_add_image(MsWindowRequest *self, MsImage *image)
{
  ms_window_request_add_pixels(self, ms_shared_image_get(image, self->error ? NULL : &self->error));
}

void
ms_window_request_free(MsWindowRequest *self)
{
  if (self->cancelled) {
    g_source_destroy(self->cancelled);
    g_source_unref(self->cancelled);
  }
  if (self->free_data)
    self->free_data(self->data);
  g_clear_pointer(&self->content, g_variant_unref);
  for (guint i = 0; i < MS_CHANNEL_MOST_FDS; i++)
    g_clear_pointer(&self->pixels[i], ms_shared_pixels_unref);
  g_clear_error(&self->error);
  g_clear_object(&self->task);
  g_free(self);
}

/** ms_window_request_get_cancellable: (transfer none) (nullable): what cancels it. */
GCancellable *
ms_window_request_get_cancellable(const MsWindowRequest *request)
{
  return request->task ? g_task_get_cancellable(request->task) : NULL;
}

/** ms_window_request_fail: frees a request, whose task returns @error (transfer full). */
void
ms_window_request_fail(MsWindowRequest *request, GError *error)
{
  if (request->task)
    g_task_return_error(request->task, error);
  else
    g_error_free(error);
  ms_window_request_free(request);
}

/** ms_window_request_fail_cancelled: frees a request, whose task was cancelled. */
void
ms_window_request_fail_cancelled(MsWindowRequest *request)
{
  ms_window_request_fail(request,
                         g_error_new_literal(G_IO_ERROR, G_IO_ERROR_CANCELLED, _("The request was cancelled.")));
}

void
ms_answer_free(MsAnswer *self)
{
  g_variant_unref(self->content);
  if (self->fd >= 0)
    close(self->fd);
  g_free(self);
}

static int
rank_of(const MsWindowRequest *request)
{
  return request->kind == MS_REQUEST_FILTER ? 0 : request->kind == MS_WINDOW_REQUEST_HOLD ? 2 : 1;
}

/** ms_window_request_compare: the order in which waiting requests are taken. */
int
ms_window_request_compare(gconstpointer a, gconstpointer b, gpointer unused)
{
  const MsWindowRequest *p = a, *q = b;
  const int rank = rank_of(p) - rank_of(q);

  return rank != 0 ? rank : (p->serial > q->serial) - (p->serial < q->serial);
}

/** ms_window_engine_name_device: (transfer none): the name of the device in use, else its selector. */
const char *
ms_window_engine_name_device(MsWindowEngine *self)
{
  return self->device ? self->device->title : self->device_selector;
}

/* What the process sends */

/** ms_window_engine_take_running: (transfer full) (nullable): takes the running request out; nothing runs then. */
MsWindowRequest *
ms_window_engine_take_running(MsWindowEngine *self)
{
  if (self->driver)
    ms_driver_expect(self->driver, FALSE, 0);
  g_clear_handle_id(&self->cancel_timer, g_source_remove);
  return g_steal_pointer(&self->running);
}

static void
take_failure(MsWindowEngine *self, GVariant *content)
{
  MsWindowRequest *request = ms_window_engine_take_running(self);
  gboolean is_lost;
  GError *error = ms_service_take_failure(content, &is_lost);

  if (request->kind == MS_REQUEST_OPEN && self->opening == self->openings)
    ms_window_engine_fail(self, error);
  if (is_lost)
    ms_driver_stop(self->driver, MS_CHILD_END_FINISHED);
  ms_window_request_fail(request, error);
}

static gboolean
take_answer(MsWindowEngine *self, MsMessage *message, GVariant *content)
{
  MsWindowRequest *request = self->running;

  if (message->kind != MS_ANSWER_OPENED + request->kind)
    return FALSE;
  if (request->kind == MS_REQUEST_OPEN) {
    if (self->opening == self->openings && !ms_window_engine_take_opened(self, content))
      return FALSE;
    ms_window_request_free(ms_window_engine_take_running(self));
    return TRUE;
  }
  MsAnswer *answer = g_new(MsAnswer, 1);
  *answer = (MsAnswer){g_variant_ref(content), message->fds[0]};
  message->fds[0] = -1;
  gpointer result = request->complete ? request->complete(request, answer) : answer;
  if (!result)
    return FALSE;
  self->deaths = 0;
  request = ms_window_engine_take_running(self);
  g_task_return_pointer(request->task, result,
                        request->complete ? request->free_result : (GDestroyNotify)ms_answer_free);
  ms_window_request_free(request);
  return TRUE;
}

static gboolean
take_message(MsWindowEngine *self, MsMessage *message)
{
  g_autoptr(GVariant) content = g_variant_get_child_value(message->payload, 1);
  MsWindowRequest *request = self->running;
  guint32 number;

  g_variant_get_child(message->payload, 0, "u", &number);
  if (!request || number != self->number)
    return FALSE;
  if (message->kind == MS_ANSWER_FAILED) {
    take_failure(self, content);
    return TRUE;
  }
  if (message->kind > MS_ANSWER_PIECE)
    return take_answer(self, message, content);
  request->has_reported = TRUE;
  return !request->report || g_cancellable_is_cancelled(ms_window_request_get_cancellable(request)) ||
         request->report(request, message->kind, content);
}

/** ms_window_engine_on_message: takes a message of the process. */
MsDriverEvent
ms_window_engine_on_message(MsMessage *message, gpointer data)
{
  g_autoptr(MsWindowEngine) self = g_object_ref(data);

  if (!take_message(self, message) && self->driver)
    ms_driver_stop(self->driver, MS_CHILD_END_BROKEN);
  ms_window_engine_send_next(self);
  return message->kind == MS_ANSWER_OPENED && self->is_open ? MS_DRIVER_OPENED : MS_DRIVER_NOTHING;
}

/* What is sent to the process */

/** ms_window_engine_send: sends @request (transfer full), which runs from now on. */
void
ms_window_engine_send(MsWindowEngine *self, MsWindowRequest *request)
{
  int fds[MS_CHANNEL_MOST_FDS];

  for (guint i = 0; i < MS_CHANNEL_MOST_FDS; i++)
    fds[i] = request->pixels[i] ? ms_shared_pixels_get_fd(request->pixels[i]) : -1;
  self->running = request;
  self->number++;
  request->has_reported = FALSE;
  ms_window_engine_watch(self, request);
  ms_service_request(self->driver, self->number, request->kind, request->content, fds);
}

/* Completes what is not sent to the process; whether it did. */
static gboolean
complete_at_once(MsWindowEngine *self, MsWindowRequest *request)
{
  if (g_cancellable_is_cancelled(ms_window_request_get_cancellable(request))) {
    ms_window_request_fail_cancelled(request);
    return TRUE;
  }
  if (request->kind == MS_WINDOW_REQUEST_HOLD) {
    self->is_held = TRUE;
    g_task_return_boolean(request->task, TRUE);
    ms_window_request_free(request);
    return TRUE;
  }
  if (!request->error && self->state != MS_WINDOW_ENGINE_FAILED)
    return FALSE;
  ms_window_request_fail(request, g_error_copy(request->error ? request->error : self->problem));
  return TRUE;
}

/** ms_window_engine_send_next: sends what is next, unless something runs. */
void
ms_window_engine_send_next(MsWindowEngine *self)
{
  while (!self->running && !self->is_held && !self->is_closed && !ms_driver_is_ending(self->driver)) {
    const MsWindowRequest *next = g_queue_peek_head(&self->waiting);
    const gboolean needs_device = next ? next->kind != MS_WINDOW_REQUEST_HOLD : FALSE;
    if (self->state != MS_WINDOW_ENGINE_FAILED && !self->is_open &&
        (needs_device || ms_window_engine_opens_early(self))) {
      ms_window_engine_open(self);
      continue;
    }
    if (!next)
      return;
    MsWindowRequest *request = g_queue_pop_head(&self->waiting);
    if (!complete_at_once(self, request))
      ms_window_engine_send(self, request);
  }
}

static gboolean
on_cancelled(GCancellable *cancellable, gpointer data)
{
  MsWindowRequest *request = data;
  MsWindowEngine *self = g_task_get_source_object(request->task);

  if (request == self->running) {
    if (self->driver)
      ms_service_request(self->driver, self->number, MS_REQUEST_CANCEL, g_variant_new("()"), NULL);
  } else if (g_queue_remove(&self->waiting, request)) {
    ms_window_request_fail_cancelled(request);
  }
  return G_SOURCE_REMOVE;
}

/**
 * ms_window_engine_ask_async:
 * @request: (transfer full): queued behind the ones of its kind
 * @cancellable: (nullable): checked between bands
 * @user_data: for @callback and for the events of @request
 */
void
ms_window_engine_ask_async(MsWindowEngine *self, MsWindowRequest *request, GCancellable *cancellable,
                           GAsyncReadyCallback callback, gpointer user_data)
{
  request->task = g_task_new(self, cancellable, callback, user_data);
  request->user_data = user_data;
  request->serial = ++self->serial;
  /* A run that was completed just before its cancellation is returned. */
  g_task_set_check_cancellable(request->task, !request->complete && request->kind != MS_WINDOW_REQUEST_HOLD);
  if (self->is_closed) {
    ms_window_request_fail_cancelled(request);
    return;
  }
  if (cancellable) {
    request->cancelled = g_cancellable_source_new(cancellable);
    g_source_set_callback(request->cancelled, G_SOURCE_FUNC(on_cancelled), request, NULL);
    g_source_attach(request->cancelled, NULL);
  }
  g_queue_insert_sorted(&self->waiting, request, ms_window_request_compare, NULL);
  ms_window_engine_send_next(self);
}

/** ms_window_engine_ask_finish: (transfer full): the answer, or %NULL with @error set. */
MsAnswer *
ms_window_engine_ask_finish(MsWindowEngine *self, GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer(G_TASK(result), error);
}

/** ms_window_engine_refuse_answer: for a caller that found that an answer makes no sense: ends the process. */
void
ms_window_engine_refuse_answer(MsWindowEngine *self, GError **error)
{
  ms_set_error(error, MS_ERROR_DEVICE, "The driver of %s wrote what makes no sense.",
               ms_window_engine_name_device(self));
  if (self->driver)
    ms_driver_stop(self->driver, MS_CHILD_END_BROKEN);
}

/* The object */

static void
ms_window_engine_dispose(GObject *object)
{
  ms_window_engine_shut_down(MS_WINDOW_ENGINE(object));
  G_OBJECT_CLASS(ms_window_engine_parent_class)->dispose(object);
}

static void
ms_window_engine_finalize(GObject *object)
{
  MsWindowEngine *self = MS_WINDOW_ENGINE(object);

  g_free(self->device_selector);
  g_clear_pointer(&self->device, ms_device_unref);
  g_clear_pointer(&self->devices, g_ptr_array_unref);
  g_free(self->explanation);
  g_free(self->death);
  g_free(self->death_detail);
  g_clear_error(&self->problem);
  g_ptr_array_unref(self->holders);
  ms_rates_free(self->rates);
  G_OBJECT_CLASS(ms_window_engine_parent_class)->finalize(object);
}

static void
ms_window_engine_class_init(MsWindowEngineClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS(klass);

  object_class->dispose = ms_window_engine_dispose;
  object_class->finalize = ms_window_engine_finalize;
  g_signal_new("changed", MS_TYPE_WINDOW_ENGINE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  g_signal_new("holders-changed", MS_TYPE_WINDOW_ENGINE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  g_signal_new("recovered", MS_TYPE_WINDOW_ENGINE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
               G_TYPE_ERROR);
}

static void
ms_window_engine_init(MsWindowEngine *self)
{
  const MsChildStart start = ms_service_start(MS_SERVICE_ROLE);

  self->driver = ms_driver_new(&start);
  self->rates = ms_rates_new();
  self->device_selector = g_strdup("auto");
  self->devices = g_ptr_array_new_with_free_func((GDestroyNotify)ms_device_unref);
  self->holders = g_ptr_array_new_with_free_func(g_object_unref);
  self->state = MS_WINDOW_ENGINE_OPENING;
  self->watchdog_ms = DEFAULT_WATCHDOG_MS;
  g_queue_init(&self->waiting);
  g_queue_init(&self->shared);
}

/** ms_window_engine_new: (transfer full): an engine without a process; ms_window_engine_choose() gives it a device. */
MsWindowEngine *
ms_window_engine_new(void)
{
  return g_object_new(MS_TYPE_WINDOW_ENGINE, NULL);
}

/**
 * ms_window_engine_choose:
 * @device_selector: as ms_device_choose() takes it, or #MS_ENGINE_REFERENCE
 *
 * Opens another device once the running request has ended; then "changed" is emitted.
 */
void
ms_window_engine_choose(MsWindowEngine *self, const char *device_selector)
{
  g_autofree char *previous = self->device_selector; /* which @device_selector may be */

  self->device_selector = g_strdup(device_selector);
  self->openings++;
  self->is_open = FALSE;
  self->deaths = 0;
  if (self->driver)
    ms_driver_forgive(self->driver);
  self->state = MS_WINDOW_ENGINE_OPENING;
  g_clear_error(&self->problem);
  g_clear_pointer(&self->device, ms_device_unref);
  g_clear_pointer(&self->explanation, g_free);
  g_clear_pointer(&self->death, g_free);
  g_signal_emit_by_name(self, "changed");
  ms_window_engine_send_next(self);
}

static void
free_weak_ref(gpointer data)
{
  g_weak_ref_clear(data);
  g_free(data);
}

/** ms_window_engine_shut_down: ends the process; waiting requests are cancelled. */
void
ms_window_engine_shut_down(MsWindowEngine *self)
{
  MsWindowRequest *request = ms_window_engine_take_running(self);

  self->is_closed = TRUE;
  if (self->driver)
    ms_driver_close(g_steal_pointer(&self->driver), CLOSE_S);
  if (request)
    ms_window_request_fail_cancelled(request);
  while ((request = g_queue_pop_head(&self->waiting)))
    ms_window_request_fail_cancelled(request);
  g_queue_clear_full(&self->shared, free_weak_ref);
}

/**
 * ms_window_engine_set_watchdog: how long the device may report no progress before it counts as hung; 0 for no limit.
 * It applies to the request that runs as well.
 */
void
ms_window_engine_set_watchdog(MsWindowEngine *self, guint milliseconds)
{
  self->watchdog_ms = milliseconds;
  if (self->running && self->driver)
    ms_window_engine_watch(self, self->running);
}

MsWindowEngineState
ms_window_engine_get_state(MsWindowEngine *self)
{
  return self->state;
}

/** ms_window_engine_get_device_selector: (transfer none): the device selector that was chosen last. */
const char *
ms_window_engine_get_device_selector(MsWindowEngine *self)
{
  return self->device_selector;
}

/** ms_window_engine_get_device: (transfer none) (nullable): the device in use. */
MsDevice *
ms_window_engine_get_device(MsWindowEngine *self)
{
  return self->device;
}

/** ms_window_engine_is_reference: whether the serial reference was chosen in place of a device. */
gboolean
ms_window_engine_is_reference(MsWindowEngine *self)
{
  return strcmp(self->device_selector, MS_ENGINE_REFERENCE) == 0;
}

/** ms_window_engine_get_devices: (transfer none) (element-type MsDevice): every device of the machine. */
GPtrArray *
ms_window_engine_get_devices(MsWindowEngine *self)
{
  return self->devices;
}

/** ms_window_engine_get_explanation: (transfer none) (nullable): why devices before the one in use were rejected. */
const char *
ms_window_engine_get_explanation(MsWindowEngine *self)
{
  return self->explanation;
}

/** ms_window_engine_get_problem: (transfer none) (nullable): why there is no device. */
const GError *
ms_window_engine_get_problem(MsWindowEngine *self)
{
  return self->problem;
}

/** ms_window_engine_get_rates: (transfer none): the kernel times of all runs so far. */
MsRates *
ms_window_engine_get_rates(MsWindowEngine *self)
{
  return self->rates;
}

/** ms_window_engine_get_pid: the process that has the device, 0 for none. */
GPid
ms_window_engine_get_pid(MsWindowEngine *self)
{
  return self->driver ? ms_driver_get_pid(self->driver) : 0;
}
