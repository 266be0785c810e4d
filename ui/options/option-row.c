/* SPDX-License-Identifier: MIT */
#include "ui/options/option-row.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "core/option/option.h"
#include "ui/common/format.h"
#include "ui/options/radio.h"

/* What differs by the kind of value: @build makes the controls, @update shows the settings. */
typedef struct {
  void (*build)(MsOptionRow *self);
  void (*update)(MsOptionRow *self);
} Kind;

struct _MsOptionRow {
  GtkBox parent_instance;
  const MsOptionInfo *option;
  const Kind *kind;
  MsDocument *document; /* (nullable) */
  GtkWidget *line;      /* the label at the left, the control at the right */
  GtkWidget *reset;     /* visible while the value is not the default */
  gboolean updating;    /* the controls change because the settings did; their signals are ignored */

  /* Of a number */
  GtkAdjustment *value;  /* of the spin button: the number itself */
  GtkAdjustment *slider; /* of the scale: the number, or its logarithm */

  /* Of a choice and of a shape */
  GPtrArray *buttons; /* GtkRadioButton, whose names are values */
  GtkWidget *opener;  /* opens the menu with the buttons; NULL for linked buttons */
  GtkWidget *shown;   /* (nullable): the text of the opener: the value */

  /* Of a shape */
  GtkWidget *entry;
  GtkWidget *limit;
  GtkWidget *other; /* the active button when the shape is none of the menu's */
};

G_DEFINE_FINAL_TYPE(MsOptionRow, ms_option_row, GTK_TYPE_BOX)

static guint considered_signal;

/* What all rows do */

/* The document's settings, or the default ones without a document. */
static MsSettings
current_settings(MsOptionRow *self)
{
  return self->document ? *ms_document_get_settings(self->document) : ms_settings_default();
}

/* Sets the option of the document; called by the controls. */
static void
set_value(MsOptionRow *self, const char *value)
{
  g_autoptr(GError) error = NULL;

  if (!self->updating && self->document && !ms_document_set_option(self->document, self->option->name, value, &error))
    g_signal_emit_by_name(self->document, "problem", error);
}

/* Emits "considered" for @value (nullable), so that its estimated time is shown. */
static void
consider(MsOptionRow *self, const char *value)
{
  if (!self->updating)
    g_signal_emit(self, considered_signal, 0, value);
}

static void
on_state_changed(GtkWidget *button, GtkStateFlags before, MsOptionRow *self)
{
  const GtkStateFlags considered = GTK_STATE_FLAG_PRELIGHT | GTK_STATE_FLAG_FOCUSED;
  GtkStateFlags now = gtk_widget_get_state_flags(button);

  if (((now ^ before) & considered) != 0)
    consider(self, (now & considered) != 0 ? gtk_widget_get_name(button) : NULL);
}

/* Sets the option to its default value. */
static void
reset(MsOptionRow *self)
{
  MsSettings defaults = ms_settings_default();
  g_autofree char *value = ms_option_get_text(self->option, &defaults);

  set_value(self, value);
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
  return button;
}

/* (nullable): how long a run would take with @value, and which other kernel it needs */
static char *
estimate(MsOptionRow *self, const char *value)
{
  MsSettings settings = current_settings(self);

  if (!self->document || !ms_option_set_text(self->option, &settings, value, NULL))
    return NULL;
  double ms = ms_document_estimate_ms(self->document, &settings);
  g_autofree char *time = ms >= 0 ? ms_format_about(ms) : NULL;
  const char *kernel = ms_document_needed_kernel(self->document, self->option, value);
  g_autofree char *need = kernel ? g_strdup_printf(_("Needs the kernel '%s'."), kernel) : NULL;
  g_autofree char *about = time ? g_strdup_printf(_("About %s."), time) : NULL;

  if (need && about)
    return g_strdup_printf("%s %s", need, about);
  return g_strdup(need ? need : about);
}

/* Makes @widget insensitive, with the reason as its tooltip, while @value is unavailable. */
static void
offer(MsOptionRow *self, GtkWidget *widget, const char *value)
{
  g_autofree char *reason = self->document ? ms_document_option_refusal(self->document, self->option, value) : NULL;
  g_autofree char *cost = reason ? NULL : estimate(self, value);
  g_autofree char *help = cost ? g_strdup_printf("%s\n%s", ms_option_tooltip(self->option), cost) : NULL;

  gtk_widget_set_sensitive(widget, reason == NULL);
  gtk_widget_set_tooltip_text(widget, reason ? reason : help ? help : ms_option_tooltip(self->option));
}

/* Adds a line with the option's label at the left and @beside at the right. */
static GtkWidget *
add_label(MsOptionRow *self, GtkWidget *beside)
{
  GtkWidget *line = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *label = gtk_label_new_with_mnemonic(_(self->option->label));

  gtk_label_set_xalign(GTK_LABEL(label), 0);
  gtk_widget_set_tooltip_text(label, ms_option_tooltip(self->option));
  gtk_box_pack_start(GTK_BOX(line), label, TRUE, TRUE, 0);
  gtk_box_pack_end(GTK_BOX(line), beside, FALSE, FALSE, 0);
  self->reset = new_reset_button(self);
  gtk_box_pack_end(GTK_BOX(line), self->reset, FALSE, FALSE, 0);
  gtk_container_add(GTK_CONTAINER(self), line);
  self->line = line;
  return label;
}

/* Numbers */

/* Ranges with more steps than this get a logarithmic slider. */
#define LINEAR_STEPS 2000

/* Ranges with more steps than this, such as the colour radius, give most of the travel to small values. */
#define CURVED_STEPS 120
#define CURVE 4.0

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
on_scroll(GtkWidget *widget, GdkEvent *event)
{
  if (!gtk_widget_has_focus(widget))
    g_signal_stop_emission_by_name(widget, "scroll-event");
  return GDK_EVENT_PROPAGATE;
}

static void
set_number(MsOptionRow *self, double value)
{
  MsSettings settings = current_settings(self);

  ms_option_set_number(self->option, &settings, value);
  g_autofree char *text = ms_option_get_text(self->option, &settings);
  set_value(self, text);
}

static void
on_value_changed(MsOptionRow *self)
{
  if (!self->updating)
    set_number(self, gtk_adjustment_get_value(self->value));
}

static void
on_slider_changed(MsOptionRow *self)
{
  if (!self->updating)
    set_number(self, from_slider(self->option, gtk_adjustment_get_value(self->slider)));
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
on_output(GtkSpinButton *spin, MsOptionRow *self)
{
  double value = gtk_adjustment_get_value(self->value);
  g_autofree char *text = value == rint(value) ? g_strdup_printf("%.0f", value) : g_strdup_printf("%.2f", value);

  if (g_strcmp0(text, gtk_entry_get_text(GTK_ENTRY(spin))) != 0)
    gtk_entry_set_text(GTK_ENTRY(spin), text);
  return TRUE;
}

/* Shows the estimated time of the typed number before it is set. */
static void
on_typed(MsOptionRow *self, GtkEntry *spin)
{
  consider(self, gtk_widget_has_focus(GTK_WIDGET(spin)) ? gtk_entry_get_text(spin) : NULL);
}

static GtkWidget *
new_spin(MsOptionRow *self, const MsOptionInfo *option)
{
  GtkWidget *spin = gtk_spin_button_new(self->value, option->step, option->kind == MS_OPTION_REAL ? 2 : 0);

  gtk_spin_button_set_numeric(GTK_SPIN_BUTTON(spin), TRUE);
  gtk_entry_set_width_chars(GTK_ENTRY(spin), 7);
  gtk_widget_set_tooltip_text(spin, ms_option_tooltip(option));
  g_signal_connect(spin, "output", G_CALLBACK(on_output), self);
  g_signal_connect(spin, "scroll-event", G_CALLBACK(on_scroll), NULL);
  g_signal_connect(spin, "input", G_CALLBACK(on_input), NULL);
  g_signal_connect_swapped(spin, "changed", G_CALLBACK(on_typed), self);
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
  GtkWidget *scale = gtk_scale_new(GTK_ORIENTATION_HORIZONTAL, self->slider);

  gtk_scale_set_draw_value(GTK_SCALE(scale), FALSE);
  g_signal_connect(scale, "scroll-event", G_CALLBACK(on_scroll), NULL);
  g_signal_connect_swapped(scale, "button-press-event", G_CALLBACK(on_scale_pressed), self);
  g_signal_connect_swapped(scale, "button-release-event", G_CALLBACK(on_scale_released), self);
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
build_number(MsOptionRow *self)
{
  const MsOptionInfo *option = self->option;
  double low = to_slider(option, option->minimum), high = to_slider(option, option->maximum);
  GtkWidget *label, *spin, *scale;

  self->value = g_object_ref_sink(
    gtk_adjustment_new(option->minimum, option->minimum, option->maximum, option->step, option->step * 5, 0));
  self->slider = g_object_ref_sink(gtk_adjustment_new(low, low, high, slider_step(option), (high - low) / 20, 0));
  spin = new_spin(self, option);
  scale = new_scale(self, option);
  label = add_label(self, spin);
  gtk_label_set_mnemonic_widget(GTK_LABEL(label), spin);
  name_like_label(spin, label);
  name_like_label(scale, label);
  gtk_container_add(GTK_CONTAINER(self), scale);
  g_signal_connect_swapped(self->value, "value-changed", G_CALLBACK(on_value_changed), self);
  g_signal_connect_swapped(self->slider, "value-changed", G_CALLBACK(on_slider_changed), self);
}

static void
update_number(MsOptionRow *self)
{
  const MsOptionInfo *option = self->option;
  MsSettings settings = current_settings(self);
  double value = ms_option_get_number(option, &settings);

  gtk_adjustment_set_value(self->value, value);
  /* A slider that differs only by rounding is not moved, because it may be under the pointer. */
  if (from_slider(option, gtk_adjustment_get_value(self->slider)) != value)
    gtk_adjustment_set_value(self->slider, to_slider(option, value));
}

static const Kind number_kind = {build_number, update_number};

/* Shapes of work-groups */

/* Shapes in the menu: those of the published study at 128 work-items, squares, and rows. */
static const char *const common_shapes[] = {"auto", "8x8",  "16x8",  "16x16", "32x4",  "32x8",
                                            "64x1", "64x2", "128x1", "1x128", "256x1", NULL};

static void
show_limit(MsOptionRow *self, const char *refusal)
{
  GtkStyleContext *style = gtk_widget_get_style_context(self->entry);
  MsPlanRequest request;
  g_autofree char *text = NULL;

  if (!refusal && self->document && ms_document_plan_request(self->document, &request))
    text = g_strdup_printf(_("This device takes up to %u work-items a group."), (guint)request.limits.max_work_group);
  gtk_label_set_text(GTK_LABEL(self->limit), refusal ? refusal : text ? text : "");
  gtk_widget_set_visible(self->limit, refusal || text);
  if (refusal)
    gtk_style_context_add_class(style, GTK_STYLE_CLASS_ERROR);
  else
    gtk_style_context_remove_class(style, GTK_STYLE_CLASS_ERROR);
}

/* Invalid text stays in the field with the reason below it and does not change the settings. */
static void
try_shape(MsOptionRow *self, const char *value)
{
  g_autofree char *refusal = self->document ? ms_document_option_refusal(self->document, self->option, value) : NULL;

  show_limit(self, refusal);
  if (!refusal)
    set_value(self, value);
}

static void
on_activate(MsOptionRow *self)
{
  g_autofree char *text = g_ascii_strdown(gtk_entry_get_text(GTK_ENTRY(self->entry)), -1);
  g_auto(GStrv) sides = g_strsplit(text, "×", -1);
  g_autofree char *value = g_strjoinv("x", sides);

  try_shape(self, g_strstrip(value));
}

/* Leaving the field applies a valid shape and restores the current one in place of an invalid one. */
static gboolean
on_focus_out(MsOptionRow *self)
{
  on_activate(self);
  ms_option_row_update(self);
  return GDK_EVENT_PROPAGATE;
}

static void
add_limit(MsOptionRow *self)
{
  self->limit = gtk_label_new(NULL);
  gtk_label_set_xalign(GTK_LABEL(self->limit), 0);
  gtk_label_set_line_wrap(GTK_LABEL(self->limit), TRUE);
  gtk_label_set_max_width_chars(GTK_LABEL(self->limit), 34);
  gtk_widget_set_no_show_all(self->limit, TRUE);
  gtk_style_context_add_class(gtk_widget_get_style_context(self->limit), GTK_STYLE_CLASS_DIM_LABEL);
  gtk_style_context_add_class(gtk_widget_get_style_context(self->limit), "caption");
  gtk_container_add(GTK_CONTAINER(self), self->limit);
}

/* Buttons for values */

static void
on_toggled(MsOptionRow *self, GtkToggleButton *button)
{
  const char *value = gtk_widget_get_name(GTK_WIDGET(button));

  if (self->updating || !gtk_toggle_button_get_active(button))
    return;
  if (self->opener)
    gtk_popover_popdown(gtk_menu_button_get_popover(GTK_MENU_BUTTON(self->opener)));
  if (self->entry)
    try_shape(self, value);
  else
    set_value(self, value);
}

/* The value is considered while the pointer is on the button or it has the focus. */
static GtkWidget *
new_button(MsOptionRow *self, const char *value)
{
  GtkWidget *first = self->other ? self->other : self->buttons->len > 0 ? self->buttons->pdata[0] : NULL;
  GtkWidget *button = ms_radio_button_new(first ? GTK_RADIO_BUTTON(first) : NULL, value);

  gtk_widget_set_name(button, value);
  g_signal_connect_swapped(button, "toggled", G_CALLBACK(on_toggled), self);
  g_signal_connect_object(button, "state-flags-changed", G_CALLBACK(on_state_changed), self, 0);
  g_ptr_array_add(self->buttons, button);
  return button;
}

static void
show_in_buttons(MsOptionRow *self, const char *value)
{
  for (guint i = 0; i < self->buttons->len; i++) {
    GtkWidget *button = self->buttons->pdata[i];
    if (strcmp(gtk_widget_get_name(button), value) == 0)
      gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(button), TRUE);
    offer(self, button, gtk_widget_get_name(button));
  }
}

/* The menu of the opener, in columns of @n_rows buttons. */
static void
add_menu(MsOptionRow *self, const char *const *values, int n_rows)
{
  GtkWidget *popover = gtk_popover_new(self->opener), *grid = gtk_grid_new();

  gtk_container_set_border_width(GTK_CONTAINER(grid), 12);
  gtk_grid_set_column_spacing(GTK_GRID(grid), 12);
  gtk_grid_set_row_spacing(GTK_GRID(grid), 6);
  for (int i = 0; values[i]; i++)
    gtk_grid_attach(GTK_GRID(grid), new_button(self, values[i]), i / n_rows, i % n_rows, 1, 1);
  gtk_container_add(GTK_CONTAINER(popover), grid);
  gtk_widget_show_all(grid);
  gtk_menu_button_set_popover(GTK_MENU_BUTTON(self->opener), popover);
}

static void
build_shape(MsOptionRow *self)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0), *label;

  gtk_style_context_add_class(gtk_widget_get_style_context(box), "linked");
  self->entry = gtk_entry_new();
  gtk_entry_set_width_chars(GTK_ENTRY(self->entry), 9);
  gtk_widget_set_tooltip_text(self->entry, ms_option_tooltip(self->option));
  g_signal_connect_swapped(self->entry, "activate", G_CALLBACK(on_activate), self);
  g_signal_connect_swapped(self->entry, "focus-out-event", G_CALLBACK(on_focus_out), self);
  self->opener = gtk_menu_button_new();
  gtk_widget_set_tooltip_text(self->opener, _("Common shapes"));
  gtk_box_pack_start(GTK_BOX(box), self->entry, TRUE, TRUE, 0);
  gtk_box_pack_start(GTK_BOX(box), self->opener, FALSE, FALSE, 0);
  label = add_label(self, box);
  gtk_label_set_mnemonic_widget(GTK_LABEL(label), self->entry);
  name_like_label(self->entry, label);
  atk_object_set_name(gtk_widget_get_accessible(self->opener), _("Common shapes"));
  add_limit(self);
  self->other = g_object_ref_sink(ms_radio_button_new(NULL, NULL));
  add_menu(self, common_shapes, 6);
}

static void
update_shape(MsOptionRow *self)
{
  MsSettings settings = current_settings(self);
  g_autofree char *value = ms_option_get_text(self->option, &settings);

  gtk_entry_set_text(GTK_ENTRY(self->entry), value);
  offer(self, self->entry, value);
  offer(self, self->opener, value);
  gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(self->other), TRUE);
  show_in_buttons(self, value);
  show_limit(self, NULL);
}

static const Kind shape_kind = {build_shape, update_shape};

/* Choices */

/* Up to this many values are linked buttons; more values are a menu. */
#define SIDE_BY_SIDE 3

static GtkWidget *
new_linked(MsOptionRow *self)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);

  gtk_style_context_add_class(gtk_widget_get_style_context(box), "linked");
  gtk_box_set_homogeneous(GTK_BOX(box), TRUE);
  for (guint i = 0; self->option->values[i]; i++) {
    GtkWidget *button = new_button(self, self->option->values[i]);
    gtk_toggle_button_set_mode(GTK_TOGGLE_BUTTON(button), FALSE);
    gtk_box_pack_start(GTK_BOX(box), button, TRUE, TRUE, 0);
  }
  return box;
}

static GtkWidget *
new_opener(MsOptionRow *self)
{
  GtkWidget *content = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);

  self->opener = gtk_menu_button_new();
  self->shown = gtk_label_new(self->option->values[0]);
  gtk_box_pack_start(GTK_BOX(content), self->shown, TRUE, TRUE, 0);
  gtk_box_pack_end(GTK_BOX(content), gtk_image_new_from_icon_name("pan-down-symbolic", GTK_ICON_SIZE_BUTTON), FALSE,
                   FALSE, 0);
  gtk_container_add(GTK_CONTAINER(self->opener), content);
  gtk_widget_set_tooltip_text(self->opener, ms_option_tooltip(self->option));
  return self->opener;
}

static void
build_choice(MsOptionRow *self)
{
  const guint n = ms_option_n_values(self->option);
  GtkWidget *control = n <= SIDE_BY_SIDE ? new_linked(self) : new_opener(self);
  GtkWidget *label = add_label(self, control);

  if (self->opener)
    add_menu(self, self->option->values, (int)n);
  gtk_label_set_mnemonic_widget(GTK_LABEL(label), self->opener ? self->opener : self->buttons->pdata[0]);
  name_like_label(control, label);
}

static void
update_choice(MsOptionRow *self)
{
  MsSettings settings = current_settings(self);
  g_autofree char *value = ms_option_get_text(self->option, &settings);

  show_in_buttons(self, value);
  if (!self->shown)
    return;
  gtk_label_set_text(GTK_LABEL(self->shown), value);
  offer(self, self->opener, value);
}

static const Kind choice_kind = {build_choice, update_choice};

/* The row */

static void
ms_option_row_dispose(GObject *object)
{
  MsOptionRow *self = MS_OPTION_ROW(object);

  if (self->value)
    g_signal_handlers_disconnect_by_data(self->value, self);
  if (self->slider)
    g_signal_handlers_disconnect_by_data(self->slider, self);
  g_clear_object(&self->value);
  g_clear_object(&self->slider);
  g_clear_object(&self->document);
  G_OBJECT_CLASS(ms_option_row_parent_class)->dispose(object);
}

static void
ms_option_row_finalize(GObject *object)
{
  MsOptionRow *self = MS_OPTION_ROW(object);

  g_ptr_array_unref(self->buttons);
  g_clear_object(&self->other);
  G_OBJECT_CLASS(ms_option_row_parent_class)->finalize(object);
}

static void
ms_option_row_class_init(MsOptionRowClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = ms_option_row_dispose;
  G_OBJECT_CLASS(klass)->finalize = ms_option_row_finalize;
  considered_signal = g_signal_new("considered", MS_TYPE_OPTION_ROW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                   G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
ms_option_row_init(MsOptionRow *self)
{
  self->buttons = g_ptr_array_new();
}

static const Kind *
kind_of(const MsOptionInfo *option)
{
  switch (option->kind) {
  case MS_OPTION_CHOICE:
    return &choice_kind;
  case MS_OPTION_SHAPE:
    return &shape_kind;
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
    g_object_new(MS_TYPE_OPTION_ROW, "orientation", GTK_ORIENTATION_VERTICAL, "spacing", 3, "name", option->name, NULL);

  self->option = option;
  self->kind = kind_of(option);
  self->kind->build(self);
  gtk_widget_show_all(GTK_WIDGET(self));
  ms_option_row_update(self);
  return GTK_WIDGET(self);
}

const MsOptionInfo *
ms_option_row_get_option(MsOptionRow *self)
{
  return self->option;
}

/** ms_option_row_set_document: @document: (nullable) */
void
ms_option_row_set_document(MsOptionRow *self, MsDocument *document)
{
  g_set_object(&self->document, document);
  gtk_widget_set_sensitive(GTK_WIDGET(self), document != NULL);
  ms_option_row_update(self);
}

/** ms_option_row_add_beside: puts a further control at the left of the row's own. */
void
ms_option_row_add_beside(MsOptionRow *self, GtkWidget *widget)
{
  gtk_box_pack_end(GTK_BOX(self->line), widget, FALSE, FALSE, 0);
}

/** ms_option_row_update: updates the controls from the document's settings. */
void
ms_option_row_update(MsOptionRow *self)
{
  const MsSettings settings = current_settings(self);
  const gboolean is_default = ms_option_is_default(self->option, &settings);

  if (self->updating)
    return;
  self->updating = TRUE;
  gtk_widget_set_opacity(self->reset, is_default ? 0 : 1);
  gtk_widget_set_sensitive(self->reset, !is_default);
  self->kind->update(self);
  self->updating = FALSE;
}
