/* SPDX-License-Identifier: MIT */
#include "ui/options/option-row.h"

#include <glib/gi18n-lib.h>

#include "core/option/option.h"
#include "ui/common/format.h"
#include "ui/document/document-estimate.h"
#include "ui/document/document-settings.h"

typedef struct {
  const MsOptionInfo *option;
  MsDocument *document;
  GtkWidget *reset; /* visible while the value is not the default */
  gboolean updating;
} MsOptionRowPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE(MsOptionRow, ms_option_row, GTK_TYPE_BOX)

enum {
  SIGNAL_CONSIDERED,
  N_SIGNALS,
};

static guint signals[N_SIGNALS];

#define PRIVATE(self) ((MsOptionRowPrivate *)ms_option_row_get_instance_private(self))

static void
ms_option_row_dispose(GObject *object)
{
  g_clear_object(&PRIVATE(MS_OPTION_ROW(object))->document);
  G_OBJECT_CLASS(ms_option_row_parent_class)->dispose(object);
}

static void
ms_option_row_class_init(MsOptionRowClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = ms_option_row_dispose;
  signals[SIGNAL_CONSIDERED] = g_signal_new("considered", MS_TYPE_OPTION_ROW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                            G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
ms_option_row_init(MsOptionRow *self)
{
}

static GType
type_for(const MsOptionInfo *option)
{
  switch (option->kind) {
  case MS_OPTION_CHOICE:
    return MS_TYPE_CHOICE_ROW;
  case MS_OPTION_SHAPE:
    return MS_TYPE_SHAPE_ROW;
  case MS_OPTION_INT:
  case MS_OPTION_REAL:
    return MS_TYPE_NUMBER_ROW;
  case MS_OPTION_FLAG:
  case MS_OPTION_TEXT:
  case MS_OPTION_AMOUNT:
  case MS_OPTION_SECONDS:
  case MS_OPTION_PARSED:
    break; /* options that only the command line has */
  }
  g_return_val_if_reached(G_TYPE_INVALID);
}

/** ms_option_row_new: (transfer floating): the control for @option. */
GtkWidget *
ms_option_row_new(const MsOptionInfo *option)
{
  MsOptionRow *self = g_object_new(type_for(option), "orientation", GTK_ORIENTATION_VERTICAL, "spacing", 3, NULL);

  PRIVATE(self)->option = option;
  gtk_widget_set_name(GTK_WIDGET(self), option->name);
  MS_OPTION_ROW_GET_CLASS(self)->build(self);
  gtk_widget_show_all(GTK_WIDGET(self));
  ms_option_row_update(self);
  return GTK_WIDGET(self);
}

const MsOptionInfo *
ms_option_row_get_option(MsOptionRow *self)
{
  return PRIVATE(self)->option;
}

/** ms_option_row_get_document: (transfer none) (nullable) */
MsDocument *
ms_option_row_get_document(MsOptionRow *self)
{
  return PRIVATE(self)->document;
}

void
ms_option_row_set_document(MsOptionRow *self, MsDocument *document)
{
  g_set_object(&PRIVATE(self)->document, document);
  gtk_widget_set_sensitive(GTK_WIDGET(self), document != NULL);
  ms_option_row_update(self);
}

/** ms_option_row_update: updates the controls from the document's settings. */
void
ms_option_row_update(MsOptionRow *self)
{
  MsOptionRowPrivate *priv = PRIVATE(self);

  if (priv->updating)
    return;
  MsSettings settings = ms_option_row_get_settings(self);
  priv->updating = TRUE;
  gtk_widget_set_opacity(priv->reset, ms_option_is_default(priv->option, &settings) ? 0 : 1);
  gtk_widget_set_sensitive(priv->reset, !ms_option_is_default(priv->option, &settings));
  MS_OPTION_ROW_GET_CLASS(self)->update(self);
  priv->updating = FALSE;
}

/** ms_option_row_is_updating: whether the controls change because the settings did; their signals are then ignored. */
gboolean
ms_option_row_is_updating(MsOptionRow *self)
{
  return PRIVATE(self)->updating;
}

/** ms_option_row_get_settings: the document's settings, or the default ones without a document. */
MsSettings
ms_option_row_get_settings(MsOptionRow *self)
{
  MsDocument *document = PRIVATE(self)->document;

  return document ? *ms_document_get_settings(document) : ms_settings_default();
}

/** ms_option_row_choose: sets the option of the document; called by the controls. */
void
ms_option_row_choose(MsOptionRow *self, const char *value)
{
  MsOptionRowPrivate *priv = PRIVATE(self);
  g_autoptr(GError) error = NULL;

  if (!priv->updating && priv->document && !ms_document_set_option(priv->document, priv->option->name, value, &error))
    g_signal_emit_by_name(priv->document, "problem", error);
}

/** ms_option_row_consider: emits "considered" for @value (nullable), so that its estimated time is shown. */
void
ms_option_row_consider(MsOptionRow *self, const char *value)
{
  if (!PRIVATE(self)->updating)
    g_signal_emit(self, signals[SIGNAL_CONSIDERED], 0, value);
}

static void
state_changed_cb(GtkWidget *button, GtkStateFlags before, MsOptionRow *self)
{
  const GtkStateFlags considered = GTK_STATE_FLAG_PRELIGHT | GTK_STATE_FLAG_FOCUSED;
  GtkStateFlags now = gtk_widget_get_state_flags(button);

  if (((now ^ before) & considered) != 0)
    ms_option_row_consider(self, (now & considered) != 0 ? gtk_widget_get_name(button) : NULL);
}

/** ms_option_row_watch: considers the value of @button while the pointer is on it or it has the focus. */
void
ms_option_row_watch(MsOptionRow *self, GtkWidget *button)
{
  g_signal_connect_object(button, "state-flags-changed", G_CALLBACK(state_changed_cb), self, 0);
}

/** ms_option_row_reset: sets the option to its default value. */
void
ms_option_row_reset(MsOptionRow *self)
{
  MsSettings defaults = ms_settings_default();
  g_autofree char *value = ms_option_get_text(PRIVATE(self)->option, &defaults);

  ms_option_row_choose(self, value);
}

static GtkWidget *
new_reset_button(MsOptionRow *self)
{
  GtkWidget *button = gtk_button_new_from_icon_name("edit-undo-symbolic", GTK_ICON_SIZE_BUTTON);
  g_autofree char *label = ms_format_plain(_(PRIVATE(self)->option->label));
  g_autofree char *name = g_strdup_printf(_("Reset %s"), label);

  gtk_button_set_relief(GTK_BUTTON(button), GTK_RELIEF_NONE);
  gtk_style_context_add_class(gtk_widget_get_style_context(button), "reset");
  gtk_widget_set_tooltip_text(button, _("Back to the default value"));
  gtk_widget_set_valign(button, GTK_ALIGN_CENTER);
  atk_object_set_name(gtk_widget_get_accessible(button), name);
  g_signal_connect_object(button, "clicked", G_CALLBACK(ms_option_row_reset), self, G_CONNECT_SWAPPED);
  return button;
}

/* (nullable): how long a run would take with @value */
static char *
estimate(MsOptionRow *self, const char *value)
{
  MsOptionRowPrivate *priv = PRIVATE(self);
  MsSettings settings = ms_option_row_get_settings(self);

  if (!priv->document || !ms_option_set_text(priv->option, &settings, value, NULL))
    return NULL;
  double ms = ms_document_estimate_ms(priv->document, &settings);
  g_autofree char *time = ms >= 0 ? ms_format_about(ms) : NULL;
  return time ? g_strdup_printf(_("About %s."), time) : NULL;
}

/** ms_option_row_offer: makes @widget insensitive, with the reason as its tooltip, while @value is unavailable. */
void
ms_option_row_offer(MsOptionRow *self, GtkWidget *widget, const char *value)
{
  MsOptionRowPrivate *priv = PRIVATE(self);
  g_autofree char *reason = priv->document ? ms_document_option_refusal(priv->document, priv->option, value) : NULL;

  g_autofree char *cost = reason ? NULL : estimate(self, value);
  g_autofree char *help = cost ? g_strdup_printf("%s\n%s", ms_option_tooltip(priv->option), cost) : NULL;

  gtk_widget_set_sensitive(widget, reason == NULL);
  gtk_widget_set_tooltip_text(widget, reason ? reason : help ? help : ms_option_tooltip(priv->option));
}

/** ms_option_row_add_label: adds a line with the option's label at the left and @beside at the right. */
GtkWidget *
ms_option_row_add_label(MsOptionRow *self, GtkWidget *beside)
{
  const MsOptionInfo *option = PRIVATE(self)->option;
  GtkWidget *line = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *label = gtk_label_new_with_mnemonic(_(option->label));

  gtk_label_set_xalign(GTK_LABEL(label), 0);
  gtk_widget_set_tooltip_text(label, ms_option_tooltip(option));
  gtk_box_pack_start(GTK_BOX(line), label, TRUE, TRUE, 0);
  gtk_box_pack_end(GTK_BOX(line), beside, FALSE, FALSE, 0);
  PRIVATE(self)->reset = new_reset_button(self);
  gtk_box_pack_end(GTK_BOX(line), PRIVATE(self)->reset, FALSE, FALSE, 0);
  gtk_container_add(GTK_CONTAINER(self), line);
  return label;
}
