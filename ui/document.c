/* SPDX-License-Identifier: MIT */
#include "ui/document.h"

#include "ui/history.h"
#include "ui/run-list.h"

/*
 * While a slider is dragged each move is a new request. The one that runs may go on this long to show something, unless
 * what is visible is done already; then the newest takes its place.
 */
#define SHOW_SOMETHING_MS 250

struct _MsDocument {
  GObject parent_instance;
  MsEngine *engine;
  MsImage *source;
  GFile *file;
  char *title;
  MsHistory *history;
  MsRunList *runs;
  MsRun *current;
  MsRun *run_a;
  MsRun *run_b;
  MsRegion visible;
  gboolean live;

  GCancellable *cancellable; /* of the request that runs, NULL when none does */
  GPtrArray *pieces;
  gboolean wanted;
  gboolean shown;
  gint64 started_us;
  guint cancel_timer;
  double progress;
};

G_DEFINE_FINAL_TYPE(MsDocument, ms_document, G_TYPE_OBJECT)

enum {
  PROP_0,
  PROP_TITLE,
  PROP_SOURCE,
  PROP_CURRENT_RUN,
  PROP_RUN_A,
  PROP_RUN_B,
  PROP_BUSY,
  PROP_PROGRESS,
  PROP_CAN_UNDO,
  PROP_CAN_REDO,
  N_PROPS,
};

enum {
  SIGNAL_SETTINGS_CHANGED,
  SIGNAL_PIECES_CHANGED,
  SIGNAL_PROBLEM,
  SIGNAL_PICTURES_DROPPED,
  N_SIGNALS,
};

static GParamSpec *properties[N_PROPS];
static guint signals[N_SIGNALS];

static void start(MsDocument *self);

static void
notify(MsDocument *self, guint property)
{
  g_object_notify_by_pspec(G_OBJECT(self), properties[property]);
}

static void
ms_document_get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  MsDocument *self = MS_DOCUMENT(object);

  switch (id) {
  case PROP_TITLE:
    g_value_set_string(value, self->title);
    break;
  case PROP_SOURCE:
    g_value_set_object(value, self->source);
    break;
  case PROP_CURRENT_RUN:
    g_value_set_object(value, self->current);
    break;
  case PROP_RUN_A:
    g_value_set_object(value, self->run_a);
    break;
  case PROP_RUN_B:
    g_value_set_object(value, self->run_b);
    break;
  case PROP_BUSY:
    g_value_set_boolean(value, ms_document_is_busy(self));
    break;
  case PROP_PROGRESS:
    g_value_set_double(value, self->progress);
    break;
  case PROP_CAN_UNDO:
    g_value_set_boolean(value, ms_document_can_undo(self));
    break;
  case PROP_CAN_REDO:
    g_value_set_boolean(value, ms_document_can_redo(self));
    break;
  default:
    G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
  }
}

static void
ms_document_set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  MsDocument *self = MS_DOCUMENT(object);

  if (id == PROP_RUN_A)
    ms_document_set_run_a(self, g_value_get_object(value));
  else if (id == PROP_RUN_B)
    ms_document_set_run_b(self, g_value_get_object(value));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
}

static void
ms_document_dispose(GObject *object)
{
  MsDocument *self = MS_DOCUMENT(object);

  g_clear_handle_id(&self->cancel_timer, g_source_remove);
  if (self->engine)
    g_signal_handlers_disconnect_by_data(self->engine, self);
  if (self->cancellable)
    g_cancellable_cancel(self->cancellable);
  g_clear_object(&self->cancellable);
  G_OBJECT_CLASS(ms_document_parent_class)->dispose(object);
}

static void
ms_document_finalize(GObject *object)
{
  MsDocument *self = MS_DOCUMENT(object);

  g_clear_object(&self->engine);
  g_clear_object(&self->source);
  g_clear_object(&self->file);
  g_clear_object(&self->current);
  g_clear_object(&self->run_a);
  g_clear_object(&self->run_b);
  g_clear_object(&self->runs);
  g_clear_pointer(&self->history, ms_history_free);
  g_ptr_array_unref(self->pieces);
  g_free(self->title);
  G_OBJECT_CLASS(ms_document_parent_class)->finalize(object);
}

static void
install_properties(GObjectClass *object_class)
{
  const GParamFlags readable = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;
  const GParamFlags writable = G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;

  properties[PROP_TITLE] = g_param_spec_string("title", NULL, NULL, NULL, readable);
  properties[PROP_SOURCE] = g_param_spec_object("source", NULL, NULL, MS_TYPE_IMAGE, readable);
  properties[PROP_CURRENT_RUN] = g_param_spec_object("current-run", NULL, NULL, MS_TYPE_RUN, readable);
  properties[PROP_RUN_A] = g_param_spec_object("run-a", NULL, NULL, MS_TYPE_RUN, writable);
  properties[PROP_RUN_B] = g_param_spec_object("run-b", NULL, NULL, MS_TYPE_RUN, writable);
  properties[PROP_BUSY] = g_param_spec_boolean("busy", NULL, NULL, FALSE, readable);
  properties[PROP_PROGRESS] = g_param_spec_double("progress", NULL, NULL, 0, 1, 0, readable);
  properties[PROP_CAN_UNDO] = g_param_spec_boolean("can-undo", NULL, NULL, FALSE, readable);
  properties[PROP_CAN_REDO] = g_param_spec_boolean("can-redo", NULL, NULL, FALSE, readable);
  g_object_class_install_properties(object_class, N_PROPS, properties);
}

static guint
new_signal(const char *name, GType argument)
{
  return g_signal_new(name, MS_TYPE_DOCUMENT, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE,
                      argument == G_TYPE_NONE ? 0 : 1, argument);
}

static void
ms_document_class_init(MsDocumentClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS(klass);

  object_class->get_property = ms_document_get_property;
  object_class->set_property = ms_document_set_property;
  object_class->dispose = ms_document_dispose;
  object_class->finalize = ms_document_finalize;
  install_properties(object_class);
  signals[SIGNAL_SETTINGS_CHANGED] = new_signal("settings-changed", G_TYPE_NONE);
  signals[SIGNAL_PIECES_CHANGED] = new_signal("pieces-changed", G_TYPE_NONE);
  signals[SIGNAL_PROBLEM] = new_signal("problem", G_TYPE_ERROR);
  signals[SIGNAL_PICTURES_DROPPED] = new_signal("pictures-dropped", G_TYPE_UINT);
}

static void
piece_free(gpointer data)
{
  MsPiece *piece = data;

  g_clear_object(&piece->image);
  g_free(piece);
}

static void
ms_document_init(MsDocument *self)
{
  MsSettings settings = ms_settings_default();

  self->history = ms_history_new(&settings);
  self->runs = ms_run_list_new();
  self->pieces = g_ptr_array_new_with_free_func(piece_free);
  self->live = TRUE;
}

static void
pictures_dropped_cb(MsDocument *self, guint n)
{
  g_signal_emit(self, signals[SIGNAL_PICTURES_DROPPED], 0, n);
}

static void
engine_changed_cb(MsDocument *self)
{
  if (ms_engine_get_state(self->engine) != MS_ENGINE_FAILED && self->live)
    ms_document_request_filter(self);
}

/**
 * ms_document_new:
 * @engine: computes for all documents
 * @file: (nullable): where the picture came from
 * @title: what to call it
 *
 * Returns: (transfer full): a document with the default settings, which filters itself once it is shown
 */
MsDocument *
ms_document_new(MsEngine *engine, MsImage *source, GFile *file, const char *title)
{
  MsDocument *self = g_object_new(MS_TYPE_DOCUMENT, NULL);

  self->engine = g_object_ref(engine);
  self->source = g_object_ref(source);
  self->file = file ? g_object_ref(file) : NULL;
  self->title = g_strdup(title);
  g_signal_connect_object(engine, "changed", G_CALLBACK(engine_changed_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->runs, "dropped", G_CALLBACK(pictures_dropped_cb), self, G_CONNECT_SWAPPED);
  return self;
}

MsEngine *
ms_document_get_engine(MsDocument *self)
{
  return self->engine;
}

/** ms_document_get_source: (transfer none): the picture as it was opened. */
MsImage *
ms_document_get_source(MsDocument *self)
{
  return self->source;
}

/** ms_document_get_file: (transfer none) (nullable): %NULL for a pasted picture. */
GFile *
ms_document_get_file(MsDocument *self)
{
  return self->file;
}

const char *
ms_document_get_title(MsDocument *self)
{
  return self->title;
}

/* Settings and their history */

const MsSettings *
ms_document_get_settings(MsDocument *self)
{
  return ms_history_get(self->history);
}

static void
settings_changed(MsDocument *self)
{
  g_signal_emit(self, signals[SIGNAL_SETTINGS_CHANGED], 0);
  notify(self, PROP_CAN_UNDO);
  notify(self, PROP_CAN_REDO);
  if (self->live)
    ms_document_request_filter(self);
}

/**
 * ms_document_set_settings:
 * @merge: (nullable): names the control that is being moved, so that undo takes the whole movement back
 */
void
ms_document_set_settings(MsDocument *self, const MsSettings *settings, const char *merge)
{
  if (ms_settings_equal(settings, ms_document_get_settings(self)))
    return;
  ms_history_push(self->history, settings, merge);
  settings_changed(self);
}

/** ms_document_set_option: sets one option as the command line would. */
gboolean
ms_document_set_option(MsDocument *self, const char *name, const char *value, GError **error)
{
  MsSettings settings = *ms_document_get_settings(self);
  const MsOptionInfo *option = ms_option_find(name);

  g_return_val_if_fail(option != NULL, FALSE);
  if (!ms_option_set_text(option, &settings, value, error))
    return FALSE;
  ms_document_set_settings(self, &settings, name);
  return TRUE;
}

/** ms_document_plan_request: what a plan depends on, as it is now; %FALSE while there is no OpenCL device. */
gboolean
ms_document_plan_request(MsDocument *self, MsPlanRequest *request)
{
  MsDevice *device = ms_engine_get_device(self->engine);

  if (!device)
    return FALSE;
  *request = ms_plan_request(ms_document_get_settings(self), ms_device_get_limits(device),
                             ms_image_get_width(self->source), ms_image_get_height(self->source));
  return TRUE;
}

/** ms_document_option_refusal: (transfer full) (nullable): why @value cannot be chosen now; see ms_plan_option_refusal(). */
char *
ms_document_option_refusal(MsDocument *self, const MsOptionInfo *option, const char *value)
{
  MsPlanRequest request;

  if (option->group == MS_OPTION_GROUP_TOGGLE && ms_engine_is_reference(self->engine))
    return g_strdup("The serial reference has one way to compute; choose an OpenCL device for the toggles.");
  return ms_document_plan_request(self, &request) ? ms_plan_option_refusal(&request, option, value) : NULL;
}

void
ms_document_undo(MsDocument *self)
{
  if (ms_history_undo(self->history))
    settings_changed(self);
}

void
ms_document_redo(MsDocument *self)
{
  if (ms_history_redo(self->history))
    settings_changed(self);
}

gboolean
ms_document_can_undo(MsDocument *self)
{
  return ms_history_can_undo(self->history);
}

gboolean
ms_document_can_redo(MsDocument *self)
{
  return ms_history_can_redo(self->history);
}

/* Running the filter */

/** ms_document_set_live: whether every change starts the filter, or only ms_document_request_filter() does. */
void
ms_document_set_live(MsDocument *self, gboolean live)
{
  self->live = live;
}

gboolean
ms_document_is_live(MsDocument *self)
{
  return self->live;
}

/** ms_document_set_visible: what part of the picture is on the screen, to be computed first. */
void
ms_document_set_visible(MsDocument *self, const MsRegion *visible)
{
  self->visible = *visible;
}

static void
set_progress(MsDocument *self, double progress)
{
  self->progress = progress;
  notify(self, PROP_PROGRESS);
}

static gboolean
covers_visible(MsDocument *self, const MsRegion *last)
{
  return last->y + last->height >= self->visible.y + self->visible.height;
}

static void
piece_cb(MsImage *image, const MsRegion *region, gpointer data)
{
  MsDocument *self = data;
  MsPiece *piece = g_new0(MsPiece, 1);

  piece->image = g_object_ref(image);
  piece->region = *region;
  g_ptr_array_add(self->pieces, piece);
  self->shown = self->shown || covers_visible(self, region);
  g_signal_emit(self, signals[SIGNAL_PIECES_CHANGED], 0);
  if (self->wanted && self->shown && self->cancellable)
    g_cancellable_cancel(self->cancellable);
}

static void
progress_cb(double done, gpointer data)
{
  set_progress(data, done);
}

static void
clear_pieces(MsDocument *self)
{
  if (self->pieces->len == 0)
    return;
  g_ptr_array_set_size(self->pieces, 0);
  g_signal_emit(self, signals[SIGNAL_PIECES_CHANGED], 0);
}

static void
set_current(MsDocument *self, MsRun *run)
{
  g_set_object(&self->current, run);
  ms_run_list_pin(self->runs, self->current, self->run_a, self->run_b);
  notify(self, PROP_CURRENT_RUN);
  if (!self->run_b)
    notify(self, PROP_RUN_B);
}

static void
end_request(MsDocument *self)
{
  g_clear_object(&self->cancellable);
  g_clear_handle_id(&self->cancel_timer, g_source_remove);
  if (self->wanted) {
    start(self);
    return;
  }
  notify(self, PROP_BUSY);
  set_progress(self, 0);
}

static void
filtered_cb(GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(MsDocument) self = data;
  g_autoptr(GError) error = NULL;
  g_autoptr(MsRun) run = ms_engine_filter_finish(MS_ENGINE(source), result, &error);

  if (run) {
    ms_run_list_add(self->runs, run);
    set_current(self, run);
    clear_pieces(self);
  } else if (!g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED)) {
    self->wanted = FALSE;
    clear_pieces(self);
    g_signal_emit(self, signals[SIGNAL_PROBLEM], 0, error);
  }
  end_request(self);
}

/* New parts go over old ones; the view draws them in order, so what came before stays until it is covered. */
static void
forget_covered_pieces(MsDocument *self)
{
  guint keep = 64;

  if (self->pieces->len > keep)
    g_ptr_array_remove_range(self->pieces, 0, self->pieces->len - keep);
}

static void
start(MsDocument *self)
{
  static const MsFilterEvents events = {.piece = piece_cb, .progress = progress_cb};
  gboolean seen = self->visible.width > 0 && self->visible.height > 0;

  self->wanted = FALSE;
  self->shown = !seen;
  self->cancellable = g_cancellable_new();
  self->started_us = g_get_monotonic_time();
  forget_covered_pieces(self);
  ms_engine_filter_async(self->engine, self->source, ms_document_get_settings(self), seen ? &self->visible : NULL,
                         &events, self->cancellable, filtered_cb, g_object_ref(self));
  notify(self, PROP_BUSY);
}

static gboolean
cancel_late_cb(gpointer data)
{
  MsDocument *self = data;

  self->cancel_timer = 0;
  if (self->wanted && self->cancellable)
    g_cancellable_cancel(self->cancellable);
  return G_SOURCE_REMOVE;
}

/** ms_document_request_filter: filters with the settings as they are; the newest request takes the place of any before. */
void
ms_document_request_filter(MsDocument *self)
{
  gint64 age_ms = (g_get_monotonic_time() - self->started_us) / 1000;

  if (!self->cancellable) {
    start(self);
    return;
  }
  self->wanted = TRUE;
  if (self->shown || age_ms >= SHOW_SOMETHING_MS)
    g_cancellable_cancel(self->cancellable);
  else if (self->cancel_timer == 0)
    self->cancel_timer = g_timeout_add(SHOW_SOMETHING_MS - age_ms, cancel_late_cb, self);
}

/** ms_document_cancel: ends the request that runs after the band it is in; the last result stays. */
void
ms_document_cancel(MsDocument *self)
{
  self->wanted = FALSE;
  if (!self->cancellable)
    return;
  g_cancellable_cancel(self->cancellable);
  clear_pieces(self);
}

gboolean
ms_document_is_busy(MsDocument *self)
{
  return self->cancellable != NULL;
}

double
ms_document_get_progress(MsDocument *self)
{
  return self->progress;
}

/** ms_document_get_pieces: (transfer none) (element-type MsPiece): what of the next result is there; later ones cover earlier. */
GPtrArray *
ms_document_get_pieces(MsDocument *self)
{
  return self->pieces;
}

/* Runs */

/** ms_document_get_runs: (transfer none): the runs (MsRun), oldest first. */
GListModel *
ms_document_get_runs(MsDocument *self)
{
  return G_LIST_MODEL(self->runs);
}

/** ms_document_get_current_run: (transfer none) (nullable): the newest finished run, or the one that was restored. */
MsRun *
ms_document_get_current_run(MsDocument *self)
{
  return self->current;
}

/** ms_document_remove_run: forgets a run; the views fall back to the source or the newest run. */
void
ms_document_remove_run(MsDocument *self, MsRun *run)
{
  g_autoptr(MsRun) held = g_object_ref(run);

  ms_run_list_remove(self->runs, run);
  if (self->run_a == held)
    ms_document_set_run_a(self, NULL);
  if (self->run_b == held)
    ms_document_set_run_b(self, NULL);
  if (self->current == held)
    set_current(self, ms_run_list_get_newest(self->runs));
}

/** ms_document_get_baseline: (transfer none) (nullable): what the others are judged against: the first run unless set. */
MsRun *
ms_document_get_baseline(MsDocument *self)
{
  return ms_run_list_get_baseline(self->runs);
}

void
ms_document_set_baseline(MsDocument *self, MsRun *run)
{
  ms_run_list_set_baseline(self->runs, run);
}

/** ms_document_restore_run: takes the settings of @run; where its picture is still there nothing is computed. */
void
ms_document_restore_run(MsDocument *self, MsRun *run)
{
  gboolean live = self->live;

  self->live = live && !ms_run_has_result(run);
  ms_document_set_settings(self, ms_run_get_requested(run), NULL);
  self->live = live;
  if (!ms_run_has_result(run))
    return;
  ms_document_cancel(self);
  set_current(self, run);
}

/** ms_document_set_memory_bound: bytes that the pictures of the runs may take together. */
void
ms_document_set_memory_bound(MsDocument *self, guint64 bytes)
{
  ms_run_list_set_bound(self->runs, bytes);
}

/* What is compared */

MsRun *
ms_document_get_run_a(MsDocument *self)
{
  return self->run_a;
}

MsRun *
ms_document_get_run_b(MsDocument *self)
{
  return self->run_b;
}

static void
set_side(MsDocument *self, MsRun **side, MsRun *run, guint property)
{
  if (!g_set_object(side, run))
    return;
  ms_run_list_pin(self->runs, self->current, self->run_a, self->run_b);
  notify(self, property);
}

/** ms_document_set_run_a: @run: (nullable): what the left side shows, %NULL for the source. */
void
ms_document_set_run_a(MsDocument *self, MsRun *run)
{
  set_side(self, &self->run_a, run, PROP_RUN_A);
}

/** ms_document_set_run_b: @run: (nullable): what the right side shows, %NULL for the current run. */
void
ms_document_set_run_b(MsDocument *self, MsRun *run)
{
  set_side(self, &self->run_b, run, PROP_RUN_B);
}

/** ms_document_get_picture_a: (transfer none) (nullable): the picture of side A; %NULL when it was dropped. */
MsImage *
ms_document_get_picture_a(MsDocument *self)
{
  return self->run_a ? ms_run_get_result(self->run_a) : self->source;
}

/** ms_document_get_picture_b: (transfer none) (nullable): the picture of side B; %NULL before the first run. */
MsImage *
ms_document_get_picture_b(MsDocument *self)
{
  MsRun *run = self->run_b ? self->run_b : self->current;

  return run ? ms_run_get_result(run) : NULL;
}
