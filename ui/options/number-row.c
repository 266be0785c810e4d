/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "core/option/option.h"
#include "ui/document/document-settings.h"
#include "ui/options/option-row.h"

/* Ranges with more steps than this get a logarithmic slider. */
#define LINEAR_STEPS 2000

/* Ranges with more steps than this, such as the colour radius, give most of the travel to small values. */
#define CURVED_STEPS 120
#define CURVE 4.0

struct _MsNumberRow {
  MsOptionRow parent_instance;
  GtkAdjustment *value;  /* of the spin button: the number itself */
  GtkAdjustment *slider; /* of the scale: the number, or its logarithm */
};

G_DEFINE_FINAL_TYPE(MsNumberRow, ms_number_row, MS_TYPE_OPTION_ROW)

static gboolean
is_logarithmic(const MsOptionInfo *option)
{
  return (option->maximum - option->minimum) / option->step > LINEAR_STEPS;
}

static gboolean
is_curved(const MsOptionInfo *option)
{
  return !is_logarithmic(option) && (option->maximum - option->minimum) / option->step > CURVED_STEPS;
}

static double
to_slider(const MsOptionInfo *option, double value)
{
  if (is_logarithmic(option))
    return log10(1 + value - option->minimum);
  return is_curved(option) ? pow((value - option->minimum) / (option->maximum - option->minimum), 1 / CURVE) : value;
}

static double
from_slider(const MsOptionInfo *option, double position)
{
  double value = position;

  if (is_logarithmic(option))
    value = pow(10, position) - 1 + option->minimum;
  else if (is_curved(option))
    value = option->minimum + pow(position, CURVE) * (option->maximum - option->minimum);
  return CLAMP(rint(value), option->minimum, option->maximum);
}

/* The wheel scrolls the panel unless the control has the focus, so that scrolling changes no setting by accident. */
static gboolean
scroll_cb(GtkWidget *widget, GdkEvent *event)
{
  if (!gtk_widget_has_focus(widget))
    g_signal_stop_emission_by_name(widget, "scroll-event");
  return GDK_EVENT_PROPAGATE;
}

static void
choose(MsNumberRow *self, double value)
{
  MsSettings settings = ms_option_row_get_settings(MS_OPTION_ROW(self));
  const MsOptionInfo *option = ms_option_row_get_option(MS_OPTION_ROW(self));
  g_autofree char *text = NULL;

  ms_option_set_number(option, &settings, value);
  text = ms_option_get_text(option, &settings);
  ms_option_row_choose(MS_OPTION_ROW(self), text);
}

static void
value_changed_cb(MsNumberRow *self)
{
  if (!ms_option_row_is_updating(MS_OPTION_ROW(self)))
    choose(self, gtk_adjustment_get_value(self->value));
}

static void
slider_changed_cb(MsNumberRow *self)
{
  const MsOptionInfo *option = ms_option_row_get_option(MS_OPTION_ROW(self));

  if (!ms_option_row_is_updating(MS_OPTION_ROW(self)))
    choose(self, from_slider(option, gtk_adjustment_get_value(self->slider)));
}

/* An emptied field keeps its value; GTK would take the minimum, as it does for letters, which a number field drops. */
static int
input_cb(GtkSpinButton *spin, double *value)
{
  const char *text = gtk_entry_get_text(GTK_ENTRY(spin));

  if (text[strspn(text, " ")])
    return FALSE;
  *value = gtk_spin_button_get_value(spin);
  return TRUE;
}

/* Decimals only where there are any. */
static gboolean
output_cb(GtkSpinButton *spin, MsNumberRow *self)
{
  double value = gtk_adjustment_get_value(self->value);
  g_autofree char *text = value == rint(value) ? g_strdup_printf("%.0f", value) : g_strdup_printf("%.2f", value);

  if (g_strcmp0(text, gtk_entry_get_text(GTK_ENTRY(spin))) != 0)
    gtk_entry_set_text(GTK_ENTRY(spin), text);
  return TRUE;
}

/* Shows the estimated time of the typed number before it is set. */
static void
typed_cb(MsNumberRow *self, GtkEntry *spin)
{
  ms_option_row_consider(MS_OPTION_ROW(self), gtk_widget_has_focus(GTK_WIDGET(spin)) ? gtk_entry_get_text(spin) : NULL);
}

static GtkWidget *
new_spin(MsNumberRow *self, const MsOptionInfo *option)
{
  GtkWidget *spin = gtk_spin_button_new(self->value, option->step, option->kind == MS_OPTION_REAL ? 2 : 0);

  gtk_spin_button_set_numeric(GTK_SPIN_BUTTON(spin), TRUE);
  gtk_entry_set_width_chars(GTK_ENTRY(spin), 7);
  gtk_widget_set_tooltip_text(spin, ms_option_tooltip(option));
  g_signal_connect(spin, "output", G_CALLBACK(output_cb), self);
  g_signal_connect(spin, "scroll-event", G_CALLBACK(scroll_cb), NULL);
  g_signal_connect(spin, "input", G_CALLBACK(input_cb), NULL);
  g_signal_connect_swapped(spin, "changed", G_CALLBACK(typed_cb), self);
  return spin;
}

static void
set_dragging(MsOptionRow *row, gboolean dragging)
{
  MsDocument *document = ms_option_row_get_document(row);

  if (document)
    ms_document_set_dragging(document, dragging);
}

static gboolean
scale_released_cb(GtkWidget *scale, GdkEventButton *event, MsOptionRow *row)
{
  set_dragging(row, FALSE);
  return GDK_EVENT_PROPAGATE;
}

static gboolean
scale_pressed_cb(GtkWidget *scale, GdkEventButton *event, MsOptionRow *row)
{
  if (event->type == GDK_BUTTON_PRESS)
    set_dragging(row, TRUE);
  if (event->type != GDK_2BUTTON_PRESS || event->button != GDK_BUTTON_PRIMARY)
    return GDK_EVENT_PROPAGATE;
  ms_option_row_reset(row);
  return GDK_EVENT_STOP;
}

static GtkWidget *
new_scale(MsNumberRow *self, const MsOptionInfo *option)
{
  GtkWidget *scale = gtk_scale_new(GTK_ORIENTATION_HORIZONTAL, self->slider);

  gtk_scale_set_draw_value(GTK_SCALE(scale), FALSE);
  g_signal_connect(scale, "scroll-event", G_CALLBACK(scroll_cb), NULL);
  g_signal_connect(scale, "button-press-event", G_CALLBACK(scale_pressed_cb), self);
  g_signal_connect(scale, "button-release-event", G_CALLBACK(scale_released_cb), self);
  gtk_widget_set_tooltip_text(scale, ms_option_tooltip(option));
  return scale;
}

static double
slider_step(const MsOptionInfo *option)
{
  return is_logarithmic(option) ? 0.05 : is_curved(option) ? 0.005 : option->step;
}

static void
name_like_label(GtkWidget *widget, GtkWidget *label)
{
  atk_object_set_name(gtk_widget_get_accessible(widget), gtk_label_get_text(GTK_LABEL(label)));
}

static void
ms_number_row_build(MsOptionRow *row)
{
  MsNumberRow *self = MS_NUMBER_ROW(row);
  const MsOptionInfo *option = ms_option_row_get_option(row);
  double low = to_slider(option, option->minimum), high = to_slider(option, option->maximum);
  GtkWidget *label, *spin, *scale;

  self->value = g_object_ref_sink(
    gtk_adjustment_new(option->minimum, option->minimum, option->maximum, option->step, option->step * 5, 0));
  self->slider = g_object_ref_sink(gtk_adjustment_new(low, low, high, slider_step(option), (high - low) / 20, 0));
  spin = new_spin(self, option);
  scale = new_scale(self, option);
  label = ms_option_row_add_label(row, spin);
  gtk_label_set_mnemonic_widget(GTK_LABEL(label), spin);
  name_like_label(spin, label);
  name_like_label(scale, label);
  gtk_container_add(GTK_CONTAINER(self), scale);
  g_signal_connect_swapped(self->value, "value-changed", G_CALLBACK(value_changed_cb), self);
  g_signal_connect_swapped(self->slider, "value-changed", G_CALLBACK(slider_changed_cb), self);
}

static void
ms_number_row_update(MsOptionRow *row)
{
  MsNumberRow *self = MS_NUMBER_ROW(row);
  const MsOptionInfo *option = ms_option_row_get_option(row);
  MsSettings settings = ms_option_row_get_settings(row);
  double value = ms_option_get_number(option, &settings);

  gtk_adjustment_set_value(self->value, value);
  /* A slider that differs only by rounding is not moved, because it may be under the pointer. */
  if (from_slider(option, gtk_adjustment_get_value(self->slider)) != value)
    gtk_adjustment_set_value(self->slider, to_slider(option, value));
}

static void
ms_number_row_dispose(GObject *object)
{
  MsNumberRow *self = MS_NUMBER_ROW(object);

  if (self->value)
    g_signal_handlers_disconnect_by_data(self->value, self);
  if (self->slider)
    g_signal_handlers_disconnect_by_data(self->slider, self);
  g_clear_object(&self->value);
  g_clear_object(&self->slider);
  G_OBJECT_CLASS(ms_number_row_parent_class)->dispose(object);
}

static void
ms_number_row_class_init(MsNumberRowClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = ms_number_row_dispose;
  MS_OPTION_ROW_CLASS(klass)->build = ms_number_row_build;
  MS_OPTION_ROW_CLASS(klass)->update = ms_number_row_update;
}

static void
ms_number_row_init(MsNumberRow *self)
{
}
