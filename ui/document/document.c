/* SPDX-License-Identifier: MIT */
#include "ui/document/document-filter.h"
#include "ui/document/document-private.h"
#include "ui/document/document-runs.h"
#include "ui/document/document-settings.h"

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

static GParamSpec *properties[N_PROPS];

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
  ms_document_forget_removed_runs(self);
  g_clear_object(&self->repeated);
  g_clear_pointer(&self->tuned, ms_rates_free);
  g_free(self->tuned_path);
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

  object_class->get_property = ms_document_get_property;
  object_class->set_property = ms_document_set_property;
  object_class->dispose = ms_document_dispose;
  object_class->finalize = ms_document_finalize;
  install_properties(object_class);
  add_signal("settings-changed", G_TYPE_NONE);
  add_signal("pieces-changed", G_TYPE_NONE);
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
  MsSettings settings = ms_settings_default();

  self->history = ms_history_new(&settings);
  self->runs = ms_run_list_new();
  self->pieces = g_ptr_array_new_with_free_func(piece_free);
  self->live = TRUE;
}

static void
pictures_dropped_cb(MsDocument *self, guint n)
{
  g_signal_emit_by_name(self, "pictures-dropped", n);
}

static void
engine_changed_cb(MsDocument *self)
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
  g_signal_connect_object(engine, "changed", G_CALLBACK(engine_changed_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->runs, "dropped", G_CALLBACK(pictures_dropped_cb), self, G_CONNECT_SWAPPED);
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
