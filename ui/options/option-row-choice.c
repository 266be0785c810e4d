/* SPDX-License-Identifier: MIT */
/*
 * The controls for toggles and other choices: buttons, menus and the field for shapes, with what each value costs and
 * whether all give the same pixels.
 */
#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "ui/common/format.h"
#include "ui/document/flips.h"
#include "ui/options/option-row-private.h"
#include "ui/options/price-tag.h"
#include "ui/options/radio.h"

/* What the row says of a value */

/* (transfer full) (nullable): how long a run would take, and which other kernel it needs */
static char *
cost_text(const MsFlip *flip)
{
  g_autofree char *time = flip->estimate_ms >= 0 ? ms_format_about(flip->estimate_ms) : NULL;
  g_autofree char *about = time ? g_strdup_printf(_("About %s."), time) : NULL;
  g_autofree char *need = flip->kernel ? g_strdup_printf(_("Needs the kernel '%s'."), flip->kernel) : NULL;

  if (need && about)
    return g_strdup_printf("%s %s", need, about);
  return g_strdup(need ? need : about);
}

/* Shows the tooltip of @widget, which is in @column, if the pointer or the keyboard is on it. */
static gboolean
show_tooltip_of(GtkWidget *widget, GtkWidget *column, int x, gboolean by_keyboard, GtkTooltip *tooltip)
{
  g_autofree char *text = widget ? gtk_widget_get_tooltip_text(widget) : NULL;
  int left, top;

  if (!text || !gtk_widget_is_ancestor(widget, column) ||
      !gtk_widget_translate_coordinates(widget, column, 0, 0, &left, &top))
    return FALSE;
  if (by_keyboard ? !gtk_widget_has_focus(widget) : x < left || x >= left + gtk_widget_get_allocated_width(widget))
    return FALSE;
  gtk_tooltip_set_text(tooltip, text);
  return TRUE;
}

/* GTK puts a tooltip below its widget: that of a value is the column's, so that it leaves the prices in sight. */
static gboolean
on_query_tooltip(MsOptionRow *self, int x, int y, gboolean by_keyboard, GtkTooltip *tooltip, GtkWidget *column)
{
  for (guint i = 0; i < self->buttons->len; i++)
    if (show_tooltip_of(self->buttons->pdata[i], column, x, by_keyboard, tooltip))
      return TRUE;
  return show_tooltip_of(self->entry, column, x, by_keyboard, tooltip) ||
         show_tooltip_of(self->opener, column, x, by_keyboard, tooltip);
}

static void
set_tooltip(MsOptionRow *self, GtkWidget *widget, const char *text)
{
  gtk_widget_set_tooltip_text(widget, text);
  if (self->tags && gtk_widget_is_ancestor(widget, GTK_WIDGET(self)))
    gtk_widget_set_has_tooltip(widget, FALSE); /* the column shows it */
}

/* Makes @widget insensitive while its value is unavailable, with the reason as its tooltip. */
static void
offer_flip(MsOptionRow *self, GtkWidget *widget, const MsFlip *flip)
{
  g_autofree char *cost = flip->refusal ? NULL : cost_text(flip);
  g_autofree char *help = cost ? g_strdup_printf("%s\n%s", ms_option_tooltip(self->option), cost) : NULL;

  gtk_widget_set_sensitive(widget, flip->refusal == NULL);
  set_tooltip(self, widget, flip->refusal ? flip->refusal : help ? help : ms_option_tooltip(self->option));
}

static MsFlip
look_at(MsOptionRow *self, const char *value)
{
  return self->document ? ms_document_look_at(self->document, self->option, value) : (MsFlip){.estimate_ms = -1};
}

static void
offer(MsOptionRow *self, GtkWidget *widget, const char *value)
{
  g_auto(MsFlip) flip = look_at(self, value);

  offer_flip(self, widget, &flip);
}

/* Whether all values give the same pixels */

static void
on_show_difference(MsOptionRow *self)
{
  MsRun *present = self->document ? ms_document_get_present_run(self->document) : NULL;
  GtkWidget *window = gtk_widget_get_toplevel(GTK_WIDGET(self));

  if (!present || !self->different)
    return;
  ms_document_show_difference(self->document, present, self->different);
  if (G_IS_ACTION_GROUP(window))
    g_action_group_change_action_state(G_ACTION_GROUP(window), "view-mode", g_variant_new_string("difference"));
}

/** ms_option_row_add_sameness: under the label, beside the prices. */
void
ms_option_row_add_sameness(MsOptionRow *self)
{
  GtkWidget *label = self->label, *column = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);

  g_object_ref(label);
  gtk_container_remove(GTK_CONTAINER(self->line), label);
  gtk_box_pack_start(GTK_BOX(column), label, TRUE, TRUE, 0);
  g_object_unref(label);
  self->sameness = GTK_LABEL(gtk_label_new(NULL));
  gtk_label_set_xalign(self->sameness, 0);
  gtk_label_set_ellipsize(self->sameness, PANGO_ELLIPSIZE_END);
  gtk_style_context_add_class(gtk_widget_get_style_context(GTK_WIDGET(self->sameness)), "price");
  gtk_container_add(GTK_CONTAINER(column), GTK_WIDGET(self->sameness));
  self->differing = gtk_button_new_with_label(_("pixels differ"));
  gtk_button_set_relief(GTK_BUTTON(self->differing), GTK_RELIEF_NONE);
  gtk_widget_set_halign(self->differing, GTK_ALIGN_START);
  gtk_widget_set_no_show_all(self->differing, TRUE);
  gtk_style_context_add_class(gtk_widget_get_style_context(self->differing), "price");
  g_signal_connect_object(self->differing, "clicked", G_CALLBACK(on_show_difference), self, G_CONNECT_SWAPPED);
  gtk_container_add(GTK_CONTAINER(column), self->differing);
  gtk_box_pack_start(GTK_BOX(self->line), column, TRUE, TRUE, 0);
}

static char *
sameness_text(const MsSameness *sameness)
{
  if (sameness->different || sameness->measured < 2)
    return g_strdup("");
  return sameness->measured == sameness->values
           ? g_strdup(_("same pixels, verified"))
           : g_strdup_printf(_("same pixels, %u of %u"), sameness->measured, sameness->values);
}

static void
show_sameness(MsOptionRow *self, GArray *flips, MsRun *present)
{
  const MsSameness sameness = ms_flips_compare((const MsFlip *)flips->data, flips->len, present);
  g_autofree char *count = ms_format_count(sameness.pixels), *text = sameness_text(&sameness);
  g_autofree char *tip =
    sameness.different ? g_strdup_printf(_("%s pixels differ between the values; click to see where."), count) : NULL;

  g_set_object(&self->different, sameness.different);
  gtk_label_set_text(self->sameness, text);
  gtk_widget_set_tooltip_text(GTK_WIDGET(self->sameness), text);
  gtk_widget_set_visible(GTK_WIDGET(self->sameness), !sameness.different);
  gtk_widget_set_tooltip_text(self->differing, tip);
  gtk_widget_set_visible(self->differing, sameness.different != NULL);
}

/* The largest ratio of the row, whose bar fills its width. */
static double
largest_ratio(GArray *flips, MsRun *present)
{
  double most = 1;

  for (guint i = 0; present && i < flips->len; i++) {
    MsRun *run = g_array_index(flips, MsFlip, i).run;
    most = run ? fmax(most, ms_run_compare(run, present).ratio) : most; /* ignores an unknown one */
  }
  return most;
}

/* Below an opener: the values of its menu that were measured. */
static void
show_prices(MsOptionRow *self, GArray *flips, MsRun *present)
{
  g_autoptr(GString) text = g_string_new(NULL);

  for (guint i = 0; present && i < flips->len; i++) {
    const MsFlip *flip = &g_array_index(flips, MsFlip, i);
    g_autofree char *price = ms_price_text(flip, present);
    if (flip->run && flip->run != present)
      g_string_append_printf(text, "%s%s %s", text->len > 0 ? " · " : "", gtk_widget_get_name(self->buttons->pdata[i]),
                             price);
  }
  gtk_label_set_text(self->prices, text->str);
  gtk_widget_set_tooltip_text(GTK_WIDGET(self->prices), text->str);
}

static void
show_in_tags(MsOptionRow *self, GArray *flips)
{
  MsRun *present = self->document ? ms_document_get_present_run(self->document) : NULL;
  const double most = largest_ratio(flips, present);

  for (guint i = 0; i < self->tags->len; i++)
    ms_price_tag_set(self->tags->pdata[i], &g_array_index(flips, MsFlip, i), present, most);
  if (self->prices)
    show_prices(self, flips, present);
  show_sameness(self, flips, present);
}

/* Shapes of work-groups */

static void
show_limit(MsOptionRow *self, const char *refusal)
{
  GtkStyleContext *style = gtk_widget_get_style_context(self->entry);
  MsDevice *device = self->document ? ms_window_engine_get_device(ms_document_get_engine(self->document)) : NULL;
  g_autofree char *text = NULL;

  if (!refusal && device)
    text = g_strdup_printf(_("This device takes up to %u work-items a group."), (guint)device->limits.max_work_group);
  gtk_label_set_text(GTK_LABEL(self->limit), refusal ? refusal : "");
  gtk_widget_set_visible(self->limit, refusal != NULL);
  if (text)
    set_tooltip(self, self->entry, text);
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
  g_autoptr(GError) error = NULL;

  show_limit(self, refusal);
  if (!refusal && self->document && !ms_document_set_option(self->document, self->option->name, value, &error))
    g_signal_emit_by_name(self->document, "problem", error);
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

  if (!gtk_toggle_button_get_active(button))
    return;
  if (self->opener)
    gtk_popover_popdown(gtk_menu_button_get_popover(GTK_MENU_BUTTON(self->opener)));
  if (self->entry)
    try_shape(self, value);
}

static int
number_of(const MsOptionInfo *option, const char *value)
{
  MsSettings settings = ms_settings_default();

  ms_option_set_text(option, &settings, value, NULL);
  return (int)ms_option_get_number(option, &settings);
}

/* A button is active while the document's property has the button's number. */
static gboolean
is_number_of(GBinding *binding, const GValue *from, GValue *to, gpointer number)
{
  g_value_set_boolean(to, g_value_get_int(from) == GPOINTER_TO_INT(number));
  return TRUE;
}

/* Becoming inactive sets nothing: another button became active. */
static gboolean
take_number(GBinding *binding, const GValue *from, GValue *to, gpointer number)
{
  g_value_set_int(to, GPOINTER_TO_INT(number));
  return g_value_get_boolean(from);
}

/* The value whose button has the pointer or the focus. */
static const char *
considered_choice(MsOptionRow *self)
{
  for (guint i = 0; i < self->buttons->len; i++)
    if (gtk_widget_get_mapped(self->buttons->pdata[i]) &&
        gtk_widget_get_state_flags(self->buttons->pdata[i]) & (GTK_STATE_FLAG_PRELIGHT | GTK_STATE_FLAG_FOCUSED))
      return gtk_widget_get_name(self->buttons->pdata[i]);
  return NULL;
}

static GtkWidget *
new_button(MsOptionRow *self, const char *value)
{
  GtkWidget *first = self->other ? self->other : self->buttons->len > 0 ? self->buttons->pdata[0] : NULL;
  GtkWidget *button = ms_radio_button_new(first ? GTK_RADIO_BUTTON(first) : NULL, value);

  gtk_widget_set_name(button, value);
  g_signal_connect_swapped(button, "toggled", G_CALLBACK(on_toggled), self);
  g_signal_connect_object(button, "state-flags-changed", G_CALLBACK(ms_option_row_consider), self, G_CONNECT_SWAPPED);
  if (self->option->kind == MS_OPTION_CHOICE)
    g_binding_group_bind_full(self->bindings, self->option->name, button, "active",
                              G_BINDING_SYNC_CREATE | G_BINDING_BIDIRECTIONAL, is_number_of, take_number,
                              GINT_TO_POINTER(number_of(self->option, value)), NULL);
  g_ptr_array_add(self->buttons, button);
  return button;
}

static void
clear_flip(gpointer flip)
{
  ms_flip_clear(flip);
}

static void
show_in_buttons(MsOptionRow *self, const char *value)
{
  g_autoptr(GArray) flips = g_array_new(FALSE, TRUE, sizeof(MsFlip));

  g_array_set_clear_func(flips, clear_flip);
  for (guint i = 0; i < self->buttons->len; i++) {
    GtkWidget *button = self->buttons->pdata[i];
    const MsFlip flip = look_at(self, gtk_widget_get_name(button));
    if (strcmp(gtk_widget_get_name(button), value) == 0)
      gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(button), TRUE);
    offer_flip(self, button, &flip);
    g_array_append_val(flips, flip);
  }
  if (self->tags)
    show_in_tags(self, flips);
}

/* (nullable): the tag of @value, which only toggles have */
static GtkWidget *
new_tag(MsOptionRow *self, const char *value)
{
  GtkWidget *tag = self->tags ? ms_price_tag_new(value) : NULL;

  if (tag)
    g_ptr_array_add(self->tags, tag);
  return tag;
}

/* The menu of the opener, in columns of @n_rows buttons, each with its price. */
static void
add_menu(MsOptionRow *self, int n_rows)
{
  const char *const *values = ms_flip_values(self->option);
  GtkWidget *popover = gtk_popover_new(self->opener), *grid = gtk_grid_new();

  gtk_container_set_border_width(GTK_CONTAINER(grid), 12);
  gtk_grid_set_column_spacing(GTK_GRID(grid), 12);
  gtk_grid_set_row_spacing(GTK_GRID(grid), 6);
  for (int i = 0; values[i]; i++) {
    gtk_grid_attach(GTK_GRID(grid), new_button(self, values[i]), 2 * (i / n_rows), i % n_rows, 1, 1);
    GtkWidget *tag = new_tag(self, values[i]);
    if (tag) {
      gtk_widget_set_size_request(tag, 56, -1);
      gtk_grid_attach(GTK_GRID(grid), tag, 2 * (i / n_rows) + 1, i % n_rows, 1, 1);
    }
  }
  gtk_container_add(GTK_CONTAINER(popover), grid);
  gtk_widget_show_all(grid);
  gtk_menu_button_set_popover(GTK_MENU_BUTTON(self->opener), popover);
}

/* Below an opener. */
static void
add_prices(MsOptionRow *self, GtkWidget *below)
{
  if (!self->tags)
    return;
  self->prices = GTK_LABEL(gtk_label_new(NULL));
  gtk_label_set_xalign(self->prices, 1);
  gtk_label_set_ellipsize(self->prices, PANGO_ELLIPSIZE_END);
  gtk_label_set_max_width_chars(self->prices, 24);
  gtk_style_context_add_class(gtk_widget_get_style_context(GTK_WIDGET(self->prices)), "price");
  gtk_container_add(GTK_CONTAINER(below), GTK_WIDGET(self->prices));
}

static GtkWidget *
new_column(MsOptionRow *self, GtkWidget *control)
{
  GtkWidget *column = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);

  gtk_widget_set_has_tooltip(column, self->tags != NULL);
  g_signal_connect_swapped(column, "query-tooltip", G_CALLBACK(on_query_tooltip), self);
  gtk_container_add(GTK_CONTAINER(column), control);
  return column;
}

static void
build_shape(MsOptionRow *self)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0), *column = new_column(self, box), *label;

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
  label = ms_option_row_add_label(self, column);
  add_prices(self, column);
  gtk_label_set_mnemonic_widget(GTK_LABEL(label), self->entry);
  ms_option_row_name_like(self->entry, label);
  atk_object_set_name(gtk_widget_get_accessible(self->opener), _("Common shapes"));
  add_limit(self);
  self->other = g_object_ref_sink(ms_radio_button_new(NULL, NULL));
  add_menu(self, 6);
}

static void
update_shape(MsOptionRow *self)
{
  MsSettings settings = ms_option_row_settings(self);
  g_autofree char *value = ms_option_get_text(self->option, &settings);

  gtk_entry_set_text(GTK_ENTRY(self->entry), value);
  offer(self, self->entry, value);
  offer(self, self->opener, value);
  gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(self->other), TRUE);
  show_in_buttons(self, value);
  show_limit(self, NULL);
}

const MsOptionRowKind ms_option_row_shape_kind = {build_shape, update_shape, considered_choice};

/* Choices */

/* Up to this many values are linked buttons; more values are a menu. */
#define SIDE_BY_SIDE 3

static GtkWidget *
new_linked(MsOptionRow *self)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0), *column = new_column(self, box);
  GtkWidget *tags = self->tags ? gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0) : NULL;

  gtk_style_context_add_class(gtk_widget_get_style_context(box), "linked");
  gtk_box_set_homogeneous(GTK_BOX(box), TRUE);
  for (guint i = 0; self->option->values[i]; i++) {
    GtkWidget *button = new_button(self, self->option->values[i]);
    gtk_toggle_button_set_mode(GTK_TOGGLE_BUTTON(button), FALSE);
    gtk_box_pack_start(GTK_BOX(box), button, TRUE, TRUE, 0);
    if (tags)
      gtk_box_pack_start(GTK_BOX(tags), new_tag(self, self->option->values[i]), TRUE, TRUE, 0);
  }
  if (tags) {
    gtk_box_set_homogeneous(GTK_BOX(tags), TRUE);
    gtk_container_add(GTK_CONTAINER(column), tags);
  }
  return column;
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
  GtkWidget *control = n <= SIDE_BY_SIDE ? new_linked(self) : new_column(self, new_opener(self));
  GtkWidget *label = ms_option_row_add_label(self, control);

  if (self->opener) {
    add_menu(self, (int)n);
    add_prices(self, control);
  }
  gtk_label_set_mnemonic_widget(GTK_LABEL(label), self->opener ? self->opener : self->buttons->pdata[0]);
  ms_option_row_name_like(control, label);
}

static void
update_choice(MsOptionRow *self)
{
  MsSettings settings = ms_option_row_settings(self);
  g_autofree char *value = ms_option_get_text(self->option, &settings);

  show_in_buttons(self, value);
  if (!self->shown)
    return;
  gtk_label_set_text(GTK_LABEL(self->shown), value);
  offer(self, self->opener, value);
}

const MsOptionRowKind ms_option_row_choice_kind = {build_choice, update_choice, considered_choice};
