/* SPDX-License-Identifier: MIT */
#include "ui/panels/common/panel.h"

#include <glib/gi18n-lib.h>

#include "ui/document/document.h"
#include "ui/panels/ms-panels.h"

typedef struct {
  MsDocument *document;   /* (nullable) */
  MsWindowEngine *engine; /* (nullable): of the window, for panels that need no document */
  GSignalGroup *follows;  /* of the document */
  GSignalGroup *states;   /* of the engine */
  GPtrArray *followed;    /* further objects that the panel is connected to while it shows the document */
  guint idle;
  gboolean stale;
  gboolean compact;
} MsPanelPrivate;

G_DEFINE_TYPE_WITH_PRIVATE(MsPanel, ms_panel, GTK_TYPE_BIN)

enum {
  PROP_0,
  PROP_DOCUMENT,
  PROP_ENGINE,
  PROP_COMPACT,
  N_PROPS,
};

static GParamSpec *properties[N_PROPS];
static guint problem_signal;

static MsPanelPrivate *
private_of(MsPanel *self)
{
  return ms_panel_get_instance_private(self);
}

static void
refresh_now(MsPanel *self)
{
  MsPanelClass *klass = MS_PANEL_GET_CLASS(self);

  private_of(self)->stale = FALSE;
  if (klass->refresh)
    klass->refresh(self);
}

static gboolean
on_idle(gpointer data)
{
  MsPanel *self = data;

  private_of(self)->idle = 0;
  refresh_now(self);
  return G_SOURCE_REMOVE;
}

/** ms_panel_invalidate: schedules one refresh for many calls; a hidden panel is refreshed when it is shown. */
void
ms_panel_invalidate(MsPanel *self)
{
  MsPanelPrivate *priv = private_of(self);

  priv->stale = TRUE;
  if (gtk_widget_get_mapped(GTK_WIDGET(self)) && priv->idle == 0)
    priv->idle = g_idle_add_full(GDK_PRIORITY_REDRAW - 5, on_idle, self, NULL);
}

/** ms_panel_connect: calls @callback with the panel at a signal of @object until another document is shown. */
void
ms_panel_connect(MsPanel *self, gpointer object, const char *detailed_signal, GCallback callback)
{
  g_ptr_array_add(private_of(self)->followed, g_object_ref(object));
  g_signal_connect_object(object, detailed_signal, callback, self, G_CONNECT_SWAPPED);
}

static void
ms_panel_map(GtkWidget *widget)
{
  MsPanel *self = MS_PANEL(widget);

  GTK_WIDGET_CLASS(ms_panel_parent_class)->map(widget);
  if (private_of(self)->stale)
    ms_panel_invalidate(self);
}

/** ms_panel_is_compact: whether this is the short form for the side at the left. */
gboolean
ms_panel_is_compact(MsPanel *self)
{
  return private_of(self)->compact;
}

MsDocument *
ms_panel_get_document(MsPanel *self)
{
  return private_of(self)->document;
}

/** ms_panel_get_waiting: what the panel waits for; @is_computing: whether it has asked for what it shows */
MsWaiting
ms_panel_get_waiting(MsPanel *self, gboolean is_computing)
{
  MsDocument *document = ms_panel_get_document(self);

  if (!document)
    return (MsWaiting){FALSE};
  return (MsWaiting){.has_picture = TRUE,
                     .has_run = ms_document_get_shown_run(document) != NULL,
                     .is_filtering = ms_document_is_busy(document),
                     .is_computing = is_computing,
                     .is_held = ms_window_engine_is_held(ms_document_get_engine(document))};
}

/** ms_waiting_text: (transfer none): a sentence in place of what a panel will show. */
const char *
ms_waiting_text(const MsWaiting *self)
{
  if (!self->has_picture)
    return _("Open a picture to see this.");
  if (self->is_held && (self->is_computing || self->is_filtering))
    return _("This waits for the end of a measurement, which has the device to itself.");
  if (self->is_filtering)
    return self->has_run ? _("This is computed when the picture has been filtered again.")
                         : _("The picture is being filtered.");
  if (!self->has_run)
    return _("The picture has not been filtered yet.");
  return _("Computing…");
}

/** ms_panel_get_engine: (transfer none) (nullable): of the document, without one that of the window */
MsWindowEngine *
ms_panel_get_engine(MsPanel *self)
{
  MsPanelPrivate *priv = private_of(self);

  return priv->document ? ms_document_get_engine(priv->document) : priv->engine;
}

/** ms_panel_get_device: (transfer none) (nullable): the device of the engine; %NULL for the serial reference */
MsDevice *
ms_panel_get_device(MsPanel *self)
{
  MsWindowEngine *engine = ms_panel_get_engine(self);

  return engine ? ms_window_engine_get_device(engine) : NULL;
}

/** ms_panel_apply_toggles: applies only the toggles of @settings, so that the picture stays the same. */
void
ms_panel_apply_toggles(MsPanel *self, const MsFactors *settings)
{
  MsDocument *document = ms_panel_get_document(self);
  const MsOptionInfo *table = ms_options.rows;

  if (!document)
    return;
  MsSettings chosen = *ms_document_get_settings(document);
  for (guint i = 0; i < ms_options.n_rows; i++) {
    const char *value = ms_factors_get(settings, table[i].name);
    if (table[i].group == MS_OPTION_GROUP_TOGGLE && value)
      ms_option_set_text(&table[i], &chosen, value, NULL);
  }
  ms_document_set_settings(document, &chosen);
}

/** ms_panel_report_problem: has the window show an error, whatever picture is open by then. */
void
ms_panel_report_problem(MsPanel *self, const GError *error)
{
  g_signal_emit(self, problem_signal, 0, error);
}

/* The groups let go first, since what is disconnected by data may belong to them. */
static void
detach(MsPanel *self)
{
  MsPanelPrivate *priv = private_of(self);

  g_signal_group_set_target(priv->follows, NULL);
  g_signal_group_set_target(priv->states, NULL);
  for (guint i = 0; i < priv->followed->len; i++)
    g_signal_handlers_disconnect_by_data(priv->followed->pdata[i], self);
  g_ptr_array_set_size(priv->followed, 0);
  g_signal_group_set_target(priv->states, priv->engine);
  g_clear_object(&priv->document);
}

/*
 * @document: (nullable): the document to show. A hidden panel, which is refreshed when it is shown, lets go of the one
 * before at once: a closed picture must not stay in memory for as long as nobody looks.
 */
static void
set_document(MsPanel *self, MsDocument *document)
{
  MsPanelPrivate *priv = private_of(self);

  if (priv->document == document)
    return;
  if (document)
    g_object_ref(document);
  detach(self);
  if (!gtk_widget_get_mapped(GTK_WIDGET(self)) && !gtk_widget_in_destruction(GTK_WIDGET(self)))
    refresh_now(self);
  priv->document = document;
  if (document) {
    g_signal_group_set_target(priv->follows, document);
    g_signal_group_set_target(priv->states, ms_document_get_engine(document));
  }
  if (document && MS_PANEL_GET_CLASS(self)->attach)
    MS_PANEL_GET_CLASS(self)->attach(self, document);
  ms_panel_invalidate(self);
  g_object_notify_by_pspec(G_OBJECT(self), properties[PROP_DOCUMENT]);
}

static void
ms_panel_get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_COMPACT)
    g_value_set_boolean(value, ms_panel_is_compact(MS_PANEL(object)));
  else
    g_value_set_object(value, ms_panel_get_document(MS_PANEL(object)));
}

static void
ms_panel_set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  if (id == PROP_COMPACT)
    private_of(MS_PANEL(object))->compact = g_value_get_boolean(value);
  else if (id == PROP_ENGINE)
    private_of(MS_PANEL(object))->engine = g_value_dup_object(value);
  else
    set_document(MS_PANEL(object), g_value_get_object(value));
}

static void
ms_panel_constructed(GObject *object)
{
  MsPanelPrivate *priv = private_of(MS_PANEL(object));
  const char *const *follows = MS_PANEL_GET_CLASS(object)->follows;

  G_OBJECT_CLASS(ms_panel_parent_class)->constructed(object);
  for (guint i = 0; follows && follows[i]; i++)
    g_signal_group_connect_swapped(priv->follows, follows[i], G_CALLBACK(ms_panel_invalidate), object);
  g_signal_group_connect_swapped(priv->states, "changed", G_CALLBACK(ms_panel_invalidate), object);
  g_signal_group_set_target(priv->states, priv->engine);
}

static void
ms_panel_dispose(GObject *object)
{
  MsPanel *self = MS_PANEL(object);

  g_clear_object(&private_of(self)->engine);
  detach(self);
  g_clear_handle_id(&private_of(self)->idle, g_source_remove);
  G_OBJECT_CLASS(ms_panel_parent_class)->dispose(object);
}

static void
ms_panel_finalize(GObject *object)
{
  MsPanelPrivate *priv = private_of(MS_PANEL(object));

  g_ptr_array_unref(priv->followed);
  g_object_unref(priv->follows);
  g_object_unref(priv->states);
  G_OBJECT_CLASS(ms_panel_parent_class)->finalize(object);
}

static void
ms_panel_class_init(MsPanelClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS(klass);

  /* This call keeps the linker from leaving the templates out of a program that links this library. */
  ms_panels_get_resource();
  object_class->constructed = ms_panel_constructed;
  object_class->dispose = ms_panel_dispose;
  object_class->finalize = ms_panel_finalize;
  object_class->get_property = ms_panel_get_property;
  object_class->set_property = ms_panel_set_property;
  GTK_WIDGET_CLASS(klass)->map = ms_panel_map;
  problem_signal =
    g_signal_new("problem", MS_TYPE_PANEL, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_ERROR);
  properties[PROP_DOCUMENT] = g_param_spec_object("document", NULL, NULL, MS_TYPE_DOCUMENT,
                                                  G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  properties[PROP_ENGINE] = g_param_spec_object("engine", NULL, NULL, MS_TYPE_WINDOW_ENGINE,
                                                G_PARAM_WRITABLE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS);
  properties[PROP_COMPACT] = g_param_spec_boolean("compact", NULL, NULL, FALSE,
                                                  G_PARAM_READWRITE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties(object_class, N_PROPS, properties);
}

static void
ms_panel_init(MsPanel *self)
{
  private_of(self)->follows = g_signal_group_new(MS_TYPE_DOCUMENT);
  private_of(self)->states = g_signal_group_new(MS_TYPE_WINDOW_ENGINE);
  private_of(self)->followed = g_ptr_array_new_with_free_func(g_object_unref);
  private_of(self)->stale = TRUE;
}
