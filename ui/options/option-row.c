/* SPDX-License-Identifier: MIT */
#include "ui/options/option-row-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "core/option/option.h"
#include "ui/common/format.h"

G_DEFINE_FINAL_TYPE(MsOptionRow, ms_option_row, GTK_TYPE_BOX)

static guint considered_signal;

/* What all rows do */

/** ms_option_row_settings: the document's settings, or the default ones without a document. */
MsSettings
ms_option_row_settings(MsOptionRow *self)
{
  return self->document ? *ms_document_get_settings(self->document) : ms_settings_default();
}

/** ms_option_row_consider: emits "considered", so that the estimated time of another value is shown. */
void
ms_option_row_consider(MsOptionRow *self)
{
  g_signal_emit(self, considered_signal, 0);
}

/** ms_option_row_get_considered: (nullable): the value under the pointer or the focus, before it is chosen. */
const char *
ms_option_row_get_considered(MsOptionRow *self)
{
  return gtk_widget_get_mapped(GTK_WIDGET(self)) ? self->kind->considered(self) : NULL;
}

static void
reset(MsOptionRow *self)
{
  if (self->document)
    ms_document_reset_option(self->document, self->option);
}

/* Whether a value of the document's property differs from the default: what a button that resets it is for. */
static gboolean
differs_from_default(GBinding *binding, const GValue *from, GValue *to, gpointer data)
{
  MsOptionRow *self = data;
  const MsSettings settings = ms_option_row_settings(self);

  g_value_set_boolean(to, !ms_option_is_default(self->option, &settings));
  return TRUE;
}

static GtkWidget *
new_reset_button(MsOptionRow *self)
{
  GtkWidget *button = gtk_button_new_from_icon_name("edit-undo-symbolic", GTK_ICON_SIZE_BUTTON);
  g_autofree char *label = ms_format_plain(_(self->option->label));
  g_autofree char *name = g_strdup_printf(_("Reset %s"), label);

  gtk_button_set_relief(GTK_BUTTON(button), GTK_RELIEF_NONE);
  gtk_style_context_add_class(gtk_widget_get_style_context(button), "reset");
  gtk_widget_set_tooltip_text(button, _("Back to the default value"));
  gtk_widget_set_valign(button, GTK_ALIGN_CENTER);
  atk_object_set_name(gtk_widget_get_accessible(button), name);
  g_signal_connect_object(button, "clicked", G_CALLBACK(reset), self, G_CONNECT_SWAPPED);
  g_binding_group_bind_full(self->bindings, self->option->name, button, "sensitive", G_BINDING_SYNC_CREATE,
                            differs_from_default, NULL, self, NULL);
  return button;
}

/* Where labels of the panel end, so that sliders begin below each other. */
#define LABEL_WIDTH 98

/** ms_option_row_add_label: adds a line with the option's label at the left and @beside at the right. */
GtkWidget *
ms_option_row_add_label(MsOptionRow *self, GtkWidget *beside)
{
  GtkWidget *line = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *label = gtk_label_new_with_mnemonic(_(self->option->label));

  gtk_label_set_xalign(GTK_LABEL(label), 0);
  gtk_label_set_ellipsize(GTK_LABEL(label), PANGO_ELLIPSIZE_END);
  gtk_widget_set_size_request(label, LABEL_WIDTH, -1);
  gtk_widget_set_tooltip_text(label, ms_option_tooltip(self->option));
  gtk_box_pack_start(GTK_BOX(line), label, self->slider == NULL, TRUE, 0);
  gtk_box_pack_end(GTK_BOX(line), beside, FALSE, FALSE, 0);
  gtk_box_pack_end(GTK_BOX(line), new_reset_button(self), FALSE, FALSE, 0);
  gtk_container_add(GTK_CONTAINER(self), line);
  self->line = line;
  self->label = label;
  return label;
}

/** ms_option_row_name_like: names @widget for assistive technology like its label. */
void
ms_option_row_name_like(GtkWidget *widget, GtkWidget *label)
{
  atk_object_set_name(gtk_widget_get_accessible(widget), gtk_label_get_text(GTK_LABEL(label)));
}

/* Numbers */

/* The wheel scrolls the panel unless the control has the focus, so that scrolling changes no setting by accident. */
static gboolean
on_scroll(GtkWidget *widget, GdkEvent *event)
{
  if (!gtk_widget_has_focus(widget))
    g_signal_stop_emission_by_name(widget, "scroll-event");
  return GDK_EVENT_PROPAGATE;
}

/* An emptied field keeps its value; GTK would take the minimum, as it does for letters, which a number field drops. */
static int
on_input(GtkSpinButton *spin, double *value)
{
  const char *text = gtk_entry_get_text(GTK_ENTRY(spin));

  if (text[strspn(text, " ")])
    return FALSE;
  *value = gtk_spin_button_get_value(spin);
  return TRUE;
}

/* Decimals only where there are any. */
static gboolean
on_output(GtkSpinButton *spin)
{
  double value = gtk_adjustment_get_value(gtk_spin_button_get_adjustment(spin));
  g_autofree char *text = value == rint(value) ? g_strdup_printf("%.0f", value) : g_strdup_printf("%.2f", value);

  if (g_strcmp0(text, gtk_entry_get_text(GTK_ENTRY(spin))) != 0)
    gtk_entry_set_text(GTK_ENTRY(spin), text);
  return TRUE;
}

/* The number that is typed, before it is set. */
static const char *
considered_number(MsOptionRow *self)
{
  return gtk_widget_is_focus(self->spin) ? gtk_entry_get_text(GTK_ENTRY(self->spin)) : NULL;
}

static GtkWidget *
new_spin(MsOptionRow *self, const MsOptionInfo *option)
{
  GtkAdjustment *value =
    gtk_adjustment_new(option->minimum, option->minimum, option->maximum, option->step, option->step * 5, 0);
  GtkWidget *spin = gtk_spin_button_new(value, option->step, option->kind == MS_OPTION_REAL ? 2 : 0);

  gtk_spin_button_set_numeric(GTK_SPIN_BUTTON(spin), TRUE);
  gtk_entry_set_width_chars(GTK_ENTRY(spin), 4);
  gtk_style_context_add_class(gtk_widget_get_style_context(spin), "slim");
  gtk_widget_set_tooltip_text(spin, ms_option_tooltip(option));
  g_signal_connect(spin, "output", G_CALLBACK(on_output), NULL);
  g_signal_connect(spin, "scroll-event", G_CALLBACK(on_scroll), NULL);
  g_signal_connect(spin, "input", G_CALLBACK(on_input), NULL);
  g_signal_connect_swapped(spin, "changed", G_CALLBACK(ms_option_row_consider), self);
  g_signal_connect_swapped(spin, "notify::is-focus", G_CALLBACK(ms_option_row_consider), self);
  g_binding_group_bind(self->bindings, option->name, value, "value", G_BINDING_SYNC_CREATE | G_BINDING_BIDIRECTIONAL);
  return spin;
}

static void
set_dragging(MsOptionRow *self, gboolean dragging)
{
  if (self->document)
    ms_document_set_dragging(self->document, dragging);
}

static gboolean
on_scale_released(MsOptionRow *self)
{
  set_dragging(self, FALSE);
  return GDK_EVENT_PROPAGATE;
}

static gboolean
on_scale_pressed(MsOptionRow *self, GdkEventButton *event)
{
  if (event->type == GDK_BUTTON_PRESS)
    set_dragging(self, TRUE);
  if (event->type != GDK_2BUTTON_PRESS || event->button != GDK_BUTTON_PRIMARY)
    return GDK_EVENT_PROPAGATE;
  reset(self);
  return GDK_EVENT_STOP;
}

static GtkWidget *
new_scale(MsOptionRow *self, const MsOptionInfo *option)
{
  GtkWidget *scale = ms_slider_new(option);

  g_signal_connect_swapped(scale, "button-press-event", G_CALLBACK(on_scale_pressed), self);
  g_signal_connect_swapped(scale, "button-release-event", G_CALLBACK(on_scale_released), self);
  g_binding_group_bind(self->bindings, option->name, scale, "number", G_BINDING_SYNC_CREATE | G_BINDING_BIDIRECTIONAL);
  gtk_widget_set_tooltip_text(scale, ms_option_tooltip(option));
  return scale;
}

/* One line: the label, the slider, the number. */
static void
build_number(MsOptionRow *self)
{
  const MsOptionInfo *option = self->option;
  GtkWidget *label, *spin;

  spin = self->spin = new_spin(self, option);
  self->slider = new_scale(self, option);
  label = ms_option_row_add_label(self, spin);
  gtk_label_set_mnemonic_widget(GTK_LABEL(label), spin);
  ms_option_row_name_like(spin, label);
  ms_option_row_name_like(self->slider, label);
  gtk_box_pack_start(GTK_BOX(self->line), self->slider, TRUE, TRUE, 0);
}

static const MsOptionRowKind number_kind = {build_number, NULL, considered_number};

/* The row */

static void
ms_option_row_dispose(GObject *object)
{
  MsOptionRow *self = MS_OPTION_ROW(object);

  g_clear_object(&self->bindings);
  g_clear_object(&self->different);
  g_clear_object(&self->document);
  G_OBJECT_CLASS(ms_option_row_parent_class)->dispose(object);
}

static void
ms_option_row_finalize(GObject *object)
{
  MsOptionRow *self = MS_OPTION_ROW(object);

  g_ptr_array_unref(self->buttons);
  g_clear_pointer(&self->tags, g_ptr_array_unref);
  g_clear_object(&self->other);
  G_OBJECT_CLASS(ms_option_row_parent_class)->finalize(object);
}

static void
ms_option_row_class_init(MsOptionRowClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = ms_option_row_dispose;
  G_OBJECT_CLASS(klass)->finalize = ms_option_row_finalize;
  considered_signal =
    g_signal_new("considered", MS_TYPE_OPTION_ROW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
ms_option_row_init(MsOptionRow *self)
{
  self->bindings = g_binding_group_new();
  self->buttons = g_ptr_array_new();
}

static const MsOptionRowKind *
kind_of(const MsOptionInfo *option)
{
  switch (option->kind) {
  case MS_OPTION_CHOICE:
    return &ms_option_row_choice_kind;
  case MS_OPTION_SHAPE:
    return &ms_option_row_shape_kind;
  case MS_OPTION_INT:
  case MS_OPTION_REAL:
    return &number_kind;
  case MS_OPTION_FLAG:
  case MS_OPTION_TEXT:
  case MS_OPTION_AMOUNT:
  case MS_OPTION_SECONDS:
  case MS_OPTION_PARSED:
    break; /* options that only the command line has */
  }
  g_return_val_if_reached(NULL);
}

/** ms_option_row_new: (transfer floating): the control for @option. */
GtkWidget *
ms_option_row_new(const MsOptionInfo *option)
{
  MsOptionRow *self =
    g_object_new(MS_TYPE_OPTION_ROW, "orientation", GTK_ORIENTATION_VERTICAL, "name", option->name, NULL);

  gtk_style_context_add_class(gtk_widget_get_style_context(GTK_WIDGET(self)), "option-row");
  self->option = option;
  self->kind = kind_of(option);
  self->tags = option->group == MS_OPTION_GROUP_TOGGLE ? g_ptr_array_new() : NULL;
  self->kind->build(self);
  if (self->tags)
    ms_option_row_add_sameness(self);
  gtk_widget_show_all(GTK_WIDGET(self));
  ms_option_row_update(self);
  return GTK_WIDGET(self);
}

const MsOptionInfo *
ms_option_row_get_option(MsOptionRow *self)
{
  return self->option;
}

/** ms_option_row_set_document: @document: (nullable): whose property the controls show and set */
void
ms_option_row_set_document(MsOptionRow *self, MsDocument *document)
{
  g_set_object(&self->document, document);
  g_binding_group_set_source(self->bindings, document);
  gtk_widget_set_sensitive(GTK_WIDGET(self), document != NULL);
}

/** ms_option_row_add_beside: puts a further control at the left of the row's own. */
void
ms_option_row_add_beside(MsOptionRow *self, GtkWidget *widget)
{
  gtk_box_pack_end(GTK_BOX(self->line), widget, FALSE, FALSE, 0);
}

/** ms_option_row_update: shows what the values cost beside the document's settings, and which are possible. */
void
ms_option_row_update(MsOptionRow *self)
{
  if (self->kind->update)
    self->kind->update(self);
}
