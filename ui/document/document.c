/* SPDX-License-Identifier: MIT */
#include "ui/document/document.h"

#include <glib/gi18n-lib.h>

#include "core/filter/plan/plan.h"
#include "ui/common/format.h"
#include "ui/document/document-private.h"
#include "ui/document/flips.h"

/* Limit on the memory of the pictures of all runs, unless another one is set. */
#define DEFAULT_MEMORY_BOUND (G_GUINT64_CONSTANT(1) << 30)

G_DEFINE_FINAL_TYPE(MsDocument, ms_document, G_TYPE_OBJECT)

/* The settings and their history */

/* Changes of one control within this time are one step. */
#define MERGE_US (1500 * 1000)

#define MAX_STEPS 500

/* @name: (nullable): interned: the option that led to @settings; @number: unique among the steps of a document */
typedef struct {
  MsSettings settings;
  const char *name;
  guint number;
} Step;

static Step *
step_at(MsDocument *self, guint index)
{
  return &g_array_index(self->steps, Step, index);
}

const MsSettings *
ms_document_get_settings(MsDocument *self)
{
  return &step_at(self, self->position)->settings;
}

/** ms_document_get_step: identifies the current step of the history; the moves of one drag belong to one step. */
guint
ms_document_get_step(MsDocument *self)
{
  return step_at(self, self->position)->number;
}

static void
add_step(MsDocument *self, const MsSettings *settings, const char *name)
{
  const Step step = {*settings, name, self->n_steps++};

  if (self->steps->len == MAX_STEPS)
    g_array_remove_index(self->steps, 0);
  g_array_append_val(self->steps, step);
  self->position = self->steps->len - 1;
}

/* Properties of options follow the others. */
enum {
  PROP_0,
  PROP_CURRENT_RUN,
  PROP_RUN_A,
  PROP_RUN_B,
  PROP_SHOWN_RUN,
  PROP_STALE,
  PROP_CAN_UNDO,
  PROP_CAN_REDO,
  PROP_BUSY,
  PROP_PROGRESS,
  N_PROPS,
};

static GParamSpec *properties[N_PROPS];

static void
notify_options(MsDocument *self)
{
  const MsSettings before = self->told;

  self->told = *ms_document_get_settings(self);
  for (guint i = 0; i < ms_options.n_rows; i++)
    if (!ms_option_equal(&ms_options.rows[i], &before, &self->told))
      g_object_notify(G_OBJECT(self), ms_options.rows[i].name);
}

/** ms_document_tell_shown_run: notifies of what follows from the run on side B. */
void
ms_document_tell_shown_run(MsDocument *self)
{
  g_object_notify_by_pspec(G_OBJECT(self), properties[PROP_SHOWN_RUN]);
  g_object_notify_by_pspec(G_OBJECT(self), properties[PROP_STALE]);
}

static void
settings_changed(MsDocument *self)
{
  ms_document_stop_measuring(self);
  g_object_freeze_notify(G_OBJECT(self));
  notify_options(self);
  g_object_notify_by_pspec(G_OBJECT(self), properties[PROP_STALE]);
  g_object_notify_by_pspec(G_OBJECT(self), properties[PROP_CAN_UNDO]);
  g_object_notify_by_pspec(G_OBJECT(self), properties[PROP_CAN_REDO]);
  g_object_thaw_notify(G_OBJECT(self));
  g_signal_emit_by_name(self, "settings-changed");
  if (self->live)
    ms_document_request_filter(self);
}

/*
 * @name: (nullable): the option
 * @gradual: whether a change shortly after another one of the same option, or in the same drag, replaces it
 */
static void
change_settings(MsDocument *self, const MsSettings *settings, const char *name, gboolean gradual)
{
  const char *option = g_intern_string(name);
  const gboolean soon = g_get_monotonic_time() - self->changed_us < MERGE_US;

  if (ms_settings_equal(settings, ms_document_get_settings(self)))
    return;
  g_array_set_size(self->steps, self->position + 1);
  if (gradual && self->position > 0 && (soon || self->dragging) && option == self->merging)
    step_at(self, self->position)->settings = *settings;
  else
    add_step(self, settings, option);
  self->merging = option;
  self->changed_us = g_get_monotonic_time();
  settings_changed(self);
}

/** ms_document_set_settings: takes over all settings, as one undo step. */
void
ms_document_set_settings(MsDocument *self, const MsSettings *settings)
{
  change_settings(self, settings, NULL, FALSE);
}

/** ms_document_set_dragging: whether a slider is being dragged, all moves of which are one undo step and one run. */
void
ms_document_set_dragging(MsDocument *self, gboolean dragging)
{
  if (dragging == self->dragging)
    return;
  self->dragging = dragging;
  if (dragging)
    self->merging = NULL;
  else
    g_signal_emit_by_name(self, "flips-changed");
}

gboolean
ms_document_is_dragging(MsDocument *self)
{
  return self->dragging;
}

static void
change_option(MsDocument *self, const MsSettings *settings, const MsOptionInfo *option)
{
  change_settings(self, settings, option->name, option->kind == MS_OPTION_INT || option->kind == MS_OPTION_REAL);
}

/** ms_document_set_option: sets one option from text, with the syntax of the command line. */
gboolean
ms_document_set_option(MsDocument *self, const char *name, const char *value, GError **error)
{
  MsSettings settings = *ms_document_get_settings(self);
  const MsOptionInfo *option = ms_option_find(name);

  g_return_val_if_fail(option, FALSE);
  if (!ms_option_set_text(option, &settings, value, error))
    return FALSE;
  change_option(self, &settings, option);
  return TRUE;
}

/** ms_document_reset_option: sets one option to its default value. */
void
ms_document_reset_option(MsDocument *self, const MsOptionInfo *option)
{
  const MsSettings defaults = ms_settings_default();
  g_autofree char *value = ms_option_get_text(option, &defaults);

  ms_document_set_option(self, option->name, value, NULL);
}

gboolean
ms_document_can_undo(MsDocument *self)
{
  return self->position > 0;
}

gboolean
ms_document_can_redo(MsDocument *self)
{
  return self->position + 1 < self->steps->len;
}

static void
go_to_step(MsDocument *self, guint position)
{
  self->position = position;
  self->merging = NULL;
  settings_changed(self);
}

void
ms_document_undo(MsDocument *self)
{
  if (ms_document_can_undo(self))
    go_to_step(self, self->position - 1);
}

void
ms_document_redo(MsDocument *self)
{
  if (ms_document_can_redo(self))
    go_to_step(self, self->position + 1);
}

/** ms_document_get_undo_name: (nullable): the option whose change ms_document_undo() takes back. */
const char *
ms_document_get_undo_name(MsDocument *self)
{
  return step_at(self, self->position)->name;
}

/** ms_document_get_redo_name: (nullable): the option whose change ms_document_redo() makes again. */
const char *
ms_document_get_redo_name(MsDocument *self)
{
  return ms_document_can_redo(self) ? step_at(self, self->position + 1)->name : NULL;
}

/**
 * ms_document_plan: (transfer full) (nullable): the plan of @settings for the picture; %NULL with the errors of
 * ms_plan_new(), or without any while there is no OpenCL device.
 */
MsPlan *
ms_document_plan(MsDocument *self, const MsSettings *settings, GError **error)
{
  MsDevice *device = ms_window_engine_get_device(self->engine);
  const MsJob job = {.source = self->source, .settings = settings};

  return device ? ms_plan_new(&job, &(MsDeviceShare){.limits = &device->limits}, error) : NULL;
}

/**
 * ms_document_option_refusal: (transfer full) (nullable): the reason why @value is unavailable; see
 * ms_plan_option_refusal().
 */
char *
ms_document_option_refusal(MsDocument *self, const MsOptionInfo *option, const char *value)
{
  MsDevice *device = ms_window_engine_get_device(self->engine);
  const MsJob job = {.source = self->source, .settings = ms_document_get_settings(self)};

  if (option->group == MS_OPTION_GROUP_TOGGLE && ms_window_engine_is_reference(self->engine))
    return g_strdup(_("The serial reference has no toggles; choose an OpenCL device for them."));
  g_autofree char *refusal =
    device ? ms_plan_option_refusal(&job, &(MsDeviceShare){.limits = &device->limits}, option, value) : NULL;
  return refusal ? ms_words_of_window(refusal) : NULL;
}

/* The object */

/* The properties of options */

static GParamSpec *
spec_of(const MsOptionInfo *option)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;

  if (option->kind == MS_OPTION_CHOICE)
    return g_param_spec_int(option->name, NULL, NULL, 0, G_MAXINT, 0, flags);
  if (option->kind == MS_OPTION_SHAPE)
    return g_param_spec_string(option->name, NULL, NULL, NULL, flags);
  return g_param_spec_double(option->name, NULL, NULL, option->minimum, MAX(option->maximum, option->largest),
                             option->minimum, flags);
}

static void
get_option(MsDocument *self, const MsOptionInfo *option, GValue *value)
{
  const MsSettings *settings = ms_document_get_settings(self);

  if (option->kind == MS_OPTION_CHOICE)
    g_value_set_int(value, (int)ms_option_get_number(option, settings));
  else if (option->kind == MS_OPTION_SHAPE)
    g_value_take_string(value, ms_option_get_text(option, settings));
  else
    g_value_set_double(value, ms_option_get_number(option, settings));
}

static void
ms_document_set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  MsDocument *self = MS_DOCUMENT(object);
  const MsOptionInfo *option = &ms_options.rows[id - N_PROPS];
  MsSettings settings = *ms_document_get_settings(self);

  if (option->kind == MS_OPTION_CHOICE)
    ms_option_set_number(option, &settings, g_value_get_int(value));
  else if (option->kind == MS_OPTION_SHAPE)
    ms_option_set_text(option, &settings, g_value_get_string(value), NULL);
  else
    ms_option_set_number(option, &settings, g_value_get_double(value));
  change_option(self, &settings, option);
}

static void
ms_document_get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  MsDocument *self = MS_DOCUMENT(object);

  switch (id) {
  case PROP_CURRENT_RUN:
    g_value_set_object(value, self->current);
    break;
  case PROP_RUN_A:
    g_value_set_object(value, self->run_a);
    break;
  case PROP_RUN_B:
    g_value_set_object(value, self->run_b);
    break;
  case PROP_SHOWN_RUN:
    g_value_set_object(value, ms_document_get_shown_run(self));
    break;
  case PROP_STALE:
    g_value_set_boolean(value, ms_document_is_stale(self));
    break;
  case PROP_CAN_UNDO:
    g_value_set_boolean(value, ms_document_can_undo(self));
    break;
  case PROP_CAN_REDO:
    g_value_set_boolean(value, ms_document_can_redo(self));
    break;
  case PROP_BUSY:
    g_value_set_boolean(value, ms_document_is_busy(self));
    break;
  case PROP_PROGRESS:
    g_value_set_double(value, self->progress);
    break;
  default:
    get_option(self, &ms_options.rows[id - N_PROPS], value);
  }
}

static void
ms_document_dispose(GObject *object)
{
  MsDocument *self = MS_DOCUMENT(object);

  g_clear_handle_id(&self->cancel_timer, g_source_remove);
  g_clear_handle_id(&self->measuring_timer, g_source_remove);
  if (self->measuring)
    g_cancellable_cancel(self->measuring);
  g_clear_object(&self->measuring);
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
  ms_known_winners_clear(&self->winners);
  g_clear_object(&self->source);
  g_clear_object(&self->file);
  g_clear_object(&self->current);
  g_clear_object(&self->run_a);
  g_clear_object(&self->run_b);
  g_clear_object(&self->baseline);
  g_clear_object(&self->runs);
  g_array_unref(self->steps);
  g_ptr_array_unref(self->pieces);
  g_ptr_array_unref(self->flips);
  g_array_unref(self->to_measure);
  g_clear_pointer(&self->removed, g_ptr_array_unref);
  g_clear_object(&self->repeated);
  g_free(self->title);
  G_OBJECT_CLASS(ms_document_parent_class)->finalize(object);
}

static void
add_signal(const char *name, GType argument)
{
  g_signal_new(name, MS_TYPE_DOCUMENT, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE,
               argument == G_TYPE_NONE ? 0 : 1, argument);
}

static void
ms_document_class_init(MsDocumentClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS(klass);
  const GParamFlags readable = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;

  object_class->get_property = ms_document_get_property;
  object_class->set_property = ms_document_set_property;
  object_class->dispose = ms_document_dispose;
  object_class->finalize = ms_document_finalize;
  properties[PROP_CURRENT_RUN] = g_param_spec_object("current-run", NULL, NULL, MS_TYPE_RUN, readable);
  properties[PROP_RUN_A] = g_param_spec_object("run-a", NULL, NULL, MS_TYPE_RUN, readable);
  properties[PROP_RUN_B] = g_param_spec_object("run-b", NULL, NULL, MS_TYPE_RUN, readable);
  properties[PROP_SHOWN_RUN] = g_param_spec_object("shown-run", NULL, NULL, MS_TYPE_RUN, readable);
  properties[PROP_STALE] = g_param_spec_boolean("stale", NULL, NULL, FALSE, readable);
  properties[PROP_CAN_UNDO] = g_param_spec_boolean("can-undo", NULL, NULL, FALSE, readable);
  properties[PROP_CAN_REDO] = g_param_spec_boolean("can-redo", NULL, NULL, FALSE, readable);
  properties[PROP_BUSY] = g_param_spec_boolean("busy", NULL, NULL, FALSE, readable);
  properties[PROP_PROGRESS] = g_param_spec_double("progress", NULL, NULL, 0, 1, 0, readable);
  g_object_class_install_properties(object_class, N_PROPS, properties);
  for (guint i = 0; i < ms_options.n_rows; i++)
    g_object_class_install_property(object_class, N_PROPS + i, spec_of(&ms_options.rows[i]));
  add_signal("settings-changed", G_TYPE_NONE);
  add_signal("pieces-changed", G_TYPE_NONE);
  add_signal("flips-changed", G_TYPE_NONE);
  add_signal("pointed", G_TYPE_NONE);
  add_signal("run-removed", MS_TYPE_RUN);
  add_signal("problem", G_TYPE_ERROR);
  add_signal("pictures-dropped", G_TYPE_UINT);
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
  const MsSettings settings = ms_settings_default();

  self->steps = g_array_new(FALSE, FALSE, sizeof(Step));
  add_step(self, &settings, NULL);
  self->told = settings;
  self->runs = g_list_store_new(MS_TYPE_RUN);
  self->memory_bound = DEFAULT_MEMORY_BOUND;
  self->pieces = g_ptr_array_new_with_free_func(piece_free);
  self->live = TRUE;
  ms_document_init_flips(self);
}

/* The picture */

static void
on_engine_changed(MsDocument *self)
{
  if (ms_window_engine_get_state(self->engine) != MS_WINDOW_ENGINE_FAILED && self->live)
    ms_document_request_filter(self);
}

/**
 * ms_document_new:
 * @engine: computes for all documents
 * @file: (nullable): the file that the picture was read from
 * @title: shown as the name of the picture
 *
 * Returns: (transfer full): a document with the default settings
 */
MsDocument *
ms_document_new(MsWindowEngine *engine, MsImage *source, GFile *file, const char *title)
{
  MsDocument *self = g_object_new(MS_TYPE_DOCUMENT, NULL);

  self->engine = g_object_ref(engine);
  self->source = g_object_ref(source);
  self->file = file ? g_object_ref(file) : NULL;
  self->title = g_strdup(title);
  g_signal_connect_object(engine, "changed", G_CALLBACK(on_engine_changed), self, G_CONNECT_SWAPPED);
  return self;
}

MsWindowEngine *
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

/** ms_document_set_pointed: says which pixel the pointer is on; @pointed: (nullable) */
void
ms_document_set_pointed(MsDocument *self, const MsPointed *pointed)
{
  if (!pointed && !self->is_pointed)
    return;
  self->is_pointed = pointed != NULL;
  if (pointed)
    self->pointed = *pointed;
  g_signal_emit_by_name(self, "pointed");
}

/** ms_document_get_pointed: (transfer none) (nullable): the pixel that the pointer is on. */
const MsPointed *
ms_document_get_pointed(MsDocument *self)
{
  return self->is_pointed ? &self->pointed : NULL;
}
