/* SPDX-License-Identifier: MIT */
#include "ui/engine/picture-result.h"
#include "ui/common/format.h"

typedef struct {
  gpointer known;            /* (nullable): the work that was completed last */
  gpointer requested;        /* (nullable): the work of the running request */
  GCancellable *cancellable; /* (nullable): of the running request */
  char *problem;             /* (nullable) */
} MsPictureResultPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE(MsPictureResult, ms_picture_result, G_TYPE_OBJECT)

static guint changed_signal;

static MsPictureResultPrivate *
private_of(MsPictureResult *self)
{
  return ms_picture_result_get_instance_private(self);
}

static void
forget_request(MsPictureResult *self)
{
  MsPictureResultPrivate *priv = private_of(self);

  if (priv->cancellable)
    g_cancellable_cancel(priv->cancellable);
  g_clear_object(&priv->cancellable);
  g_clear_pointer(&priv->requested, MS_PICTURE_RESULT_GET_CLASS(self)->release);
}

static void
ms_picture_result_dispose(GObject *object)
{
  MsPictureResult *self = MS_PICTURE_RESULT(object);

  forget_request(self);
  g_clear_pointer(&private_of(self)->known, MS_PICTURE_RESULT_GET_CLASS(self)->release);
  g_clear_pointer(&private_of(self)->problem, g_free);
  G_OBJECT_CLASS(ms_picture_result_parent_class)->dispose(object);
}

static void
ms_picture_result_class_init(MsPictureResultClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = ms_picture_result_dispose;
  changed_signal =
    g_signal_new("changed", MS_TYPE_PICTURE_RESULT, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
ms_picture_result_init(MsPictureResult *self)
{
}

/* A failure clears the known result, so that the next request computes it again. */
static void
take_result(MsPictureResult *self, const GError *error)
{
  MsPictureResultPrivate *priv = private_of(self);

  g_clear_pointer(&priv->known, MS_PICTURE_RESULT_GET_CLASS(self)->release);
  g_clear_pointer(&priv->problem, g_free);
  if (error)
    priv->problem = ms_words_of_window(error->message);
  else
    priv->known = g_steal_pointer(&priv->requested);
  forget_request(self);
  g_signal_emit(self, changed_signal, 0);
}

/* What the thread that reads an answer gets. */
typedef struct {
  MsPictureResultClass *klass;
  MsWindowEngine *engine;
  gpointer work;
  MsAnswer *answer;
} Reading;

static void
reading_free(gpointer data)
{
  Reading *self = data;

  self->klass->release(self->work);
  g_object_unref(self->engine);
  ms_answer_free(self->answer);
  g_free(self);
}

static void
read_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Reading *reading = data;

  g_task_return_boolean(task, reading->klass->take(reading->work, reading->answer));
}

/* Whether the request of this cancellable is still wanted. */
static gboolean
is_current(MsPictureResult *self, GAsyncResult *result)
{
  return private_of(self)->cancellable && private_of(self)->cancellable == g_task_get_cancellable(G_TASK(result));
}

static void
on_read(GObject *source, GAsyncResult *result, gpointer data)
{
  MsPictureResult *self = MS_PICTURE_RESULT(source);
  Reading *reading = g_task_get_task_data(G_TASK(result));
  const gboolean good = g_task_propagate_boolean(G_TASK(result), NULL);
  g_autoptr(GError) error = NULL;

  if (!is_current(self, result))
    return;
  if (!good)
    ms_window_engine_refuse_answer(reading->engine, &error);
  take_result(self, error);
}

static void
on_computed(GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(MsPictureResult) self = data;
  g_autoptr(GError) error = NULL;
  MsAnswer *answer = ms_window_engine_ask_finish(MS_WINDOW_ENGINE(source), result, &error);

  if (!is_current(self, result) || !answer) {
    g_clear_pointer(&answer, ms_answer_free);
    if (is_current(self, result) && !g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
      take_result(self, error);
    return;
  }
  Reading *reading = g_new(Reading, 1);
  *reading = (Reading){MS_PICTURE_RESULT_GET_CLASS(self), g_object_ref(MS_WINDOW_ENGINE(source)),
                       g_atomic_rc_box_acquire(private_of(self)->requested), answer};
  g_autoptr(GTask) task = g_task_new(self, private_of(self)->cancellable, on_read, NULL);
  g_task_set_task_data(task, reading, reading_free);
  g_task_run_in_thread(task, read_in_thread);
}

/**
 * ms_picture_result_request: has the process of @engine complete @work; cancels the previous request.
 * @work: (transfer full): with its inputs, and with those outputs that are known already
 */
void
ms_picture_result_request(MsPictureResult *self, MsWindowEngine *engine, gpointer work)
{
  MsPictureResultPrivate *priv = private_of(self);

  forget_request(self);
  priv->cancellable = g_cancellable_new();
  priv->requested = work;
  ms_window_engine_ask_async(engine, MS_PICTURE_RESULT_GET_CLASS(self)->describe(work), priv->cancellable, on_computed,
                             g_object_ref(self));
}

/** ms_picture_result_cancel: cancels the running request, without a signal; what is known stays. */
void
ms_picture_result_cancel(MsPictureResult *self)
{
  forget_request(self);
}

/** ms_picture_result_get_known: (nullable) (transfer none): the completed work; %NULL before the first and after a
 * failure. */
gconstpointer
ms_picture_result_get_known(MsPictureResult *self)
{
  return private_of(self)->known;
}

/** ms_picture_result_get_latest: (nullable) (transfer none): the work requested last; its outputs must not be read. */
gconstpointer
ms_picture_result_get_latest(MsPictureResult *self)
{
  MsPictureResultPrivate *priv = private_of(self);

  return priv->requested ? priv->requested : priv->known;
}

/** ms_picture_result_get_problem: (nullable): the reason why there is no result. */
const char *
ms_picture_result_get_problem(MsPictureResult *self)
{
  return private_of(self)->problem;
}

gboolean
ms_picture_result_is_busy(MsPictureResult *self)
{
  return private_of(self)->requested != NULL;
}
