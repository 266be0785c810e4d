/* SPDX-License-Identifier: MIT */
#include "ui/panels/common/lab-bar.h"

#include <glib/gi18n-lib.h>

struct _MsLabBar {
  GtkBox parent_instance;
  GtkWidget *button;
  GtkWidget *progress;
  GtkWidget *note;
  char *verb;
  gboolean running;
  gboolean ready;
};

G_DEFINE_FINAL_TYPE(MsLabBar, ms_lab_bar, GTK_TYPE_BOX)

enum {
  PROP_0,
  PROP_VERB,
  N_PROPS,
};

enum {
  SIGNAL_START,
  SIGNAL_CANCEL,
  N_SIGNALS,
};

static GParamSpec *properties[N_PROPS];
static guint signals[N_SIGNALS];

static void
update(MsLabBar *self)
{
  GtkStyleContext *style = gtk_widget_get_style_context(self->button);

  gtk_button_set_label(GTK_BUTTON(self->button), self->running ? _("C_ancel") : self->verb ? self->verb : _("_Run"));
  gtk_widget_set_sensitive(self->button, self->running || self->ready);
  gtk_widget_set_visible(self->progress, self->running);
  if (self->running)
    gtk_style_context_remove_class(style, "suggested-action");
  else
    gtk_style_context_add_class(style, "suggested-action");
}

/* The job ends after its current band, which may take a moment. */
static void
on_clicked(MsLabBar *self)
{
  if (!self->running) {
    g_signal_emit(self, signals[SIGNAL_START], 0);
    return;
  }
  gtk_widget_set_sensitive(self->button, FALSE);
  gtk_progress_bar_set_text(GTK_PROGRESS_BAR(self->progress), _("Stopping…"));
  g_signal_emit(self, signals[SIGNAL_CANCEL], 0);
}

static void
ms_lab_bar_get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  g_value_set_string(value, MS_LAB_BAR(object)->verb);
}

static void
ms_lab_bar_set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  MsLabBar *self = MS_LAB_BAR(object);

  g_free(self->verb);
  self->verb = g_value_dup_string(value);
  update(self);
}

static void
ms_lab_bar_finalize(GObject *object)
{
  g_free(MS_LAB_BAR(object)->verb);
  G_OBJECT_CLASS(ms_lab_bar_parent_class)->finalize(object);
}

static void
ms_lab_bar_class_init(MsLabBarClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS(klass);

  object_class->get_property = ms_lab_bar_get_property;
  object_class->set_property = ms_lab_bar_set_property;
  object_class->finalize = ms_lab_bar_finalize;
  properties[PROP_VERB] = g_param_spec_string("verb", NULL, NULL, NULL, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties(object_class, N_PROPS, properties);
  signals[SIGNAL_START] =
    g_signal_new("start", MS_TYPE_LAB_BAR, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[SIGNAL_CANCEL] =
    g_signal_new("cancel", MS_TYPE_LAB_BAR, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
ms_lab_bar_init(MsLabBar *self)
{
  self->ready = TRUE;
  self->button = gtk_button_new_with_mnemonic(_("_Run"));
  self->progress = gtk_progress_bar_new();
  self->note = gtk_label_new(NULL);
  gtk_box_set_spacing(GTK_BOX(self), 12);
  gtk_progress_bar_set_show_text(GTK_PROGRESS_BAR(self->progress), TRUE);
  gtk_progress_bar_set_ellipsize(GTK_PROGRESS_BAR(self->progress), PANGO_ELLIPSIZE_END);
  gtk_widget_set_hexpand(self->progress, TRUE);
  gtk_widget_set_valign(self->progress, GTK_ALIGN_CENTER);
  gtk_widget_set_no_show_all(self->progress, TRUE);
  gtk_label_set_xalign(GTK_LABEL(self->note), 0);
  gtk_label_set_ellipsize(GTK_LABEL(self->note), PANGO_ELLIPSIZE_END);
  gtk_box_pack_start(GTK_BOX(self), self->button, FALSE, FALSE, 0);
  gtk_box_pack_start(GTK_BOX(self), self->progress, TRUE, TRUE, 0);
  gtk_box_pack_start(GTK_BOX(self), self->note, TRUE, TRUE, 0);
  g_signal_connect_object(self->button, "clicked", G_CALLBACK(on_clicked), self, G_CONNECT_SWAPPED);
  gtk_widget_show(self->button);
  gtk_widget_show(self->note);
  update(self);
}

void
ms_lab_bar_set_running(MsLabBar *self, gboolean running)
{
  self->running = running;
  if (running)
    ms_lab_bar_set_progress(self, 0, _("Starting…"));
  gtk_widget_set_visible(self->note, !running);
  update(self);
}

void
ms_lab_bar_set_progress(MsLabBar *self, double fraction, const char *message)
{
  gtk_progress_bar_set_fraction(GTK_PROGRESS_BAR(self->progress), CLAMP(fraction, 0, 1));
  gtk_progress_bar_set_text(GTK_PROGRESS_BAR(self->progress), message);
}

/** ms_lab_bar_set_note: sets the text beside the button while nothing runs. */
void
ms_lab_bar_set_note(MsLabBar *self, const char *note)
{
  gtk_label_set_text(GTK_LABEL(self->note), note);
  gtk_widget_set_tooltip_text(self->note, note);
}

/** ms_lab_bar_set_ready: sets whether the button can be clicked. */
void
ms_lab_bar_set_ready(MsLabBar *self, gboolean ready)
{
  self->ready = ready;
  update(self);
}
