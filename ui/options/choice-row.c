/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "core/option/option.h"
#include "ui/options/option-row.h"
#include "ui/options/radio.h"

/* Up to this many values are linked buttons; more values are a menu. */
#define SIDE_BY_SIDE 3

struct _MsChoiceRow {
  MsOptionRow parent_instance;
  GPtrArray *buttons; /* GtkRadioButton, in the order of the values */
  GtkWidget *opener;  /* opens the menu; NULL for linked buttons */
  GtkWidget *shown;
};

G_DEFINE_FINAL_TYPE(MsChoiceRow, ms_choice_row, MS_TYPE_OPTION_ROW)

static const char *
value_of(GtkWidget *button)
{
  return gtk_widget_get_name(button);
}

static void
toggled_cb(MsChoiceRow *self, GtkToggleButton *button)
{
  GtkPopover *popover = self->opener ? gtk_menu_button_get_popover(GTK_MENU_BUTTON(self->opener)) : NULL;

  if (ms_option_row_is_updating(MS_OPTION_ROW(self)) || !gtk_toggle_button_get_active(button))
    return;
  if (popover)
    gtk_popover_popdown(popover);
  ms_option_row_choose(MS_OPTION_ROW(self), value_of(GTK_WIDGET(button)));
}

static GtkWidget *
new_button(MsChoiceRow *self, const char *value)
{
  GtkRadioButton *first = self->buttons->len > 0 ? g_ptr_array_index(self->buttons, 0) : NULL;
  GtkWidget *button = ms_radio_button_new(first, value);

  gtk_widget_set_name(button, value);
  g_signal_connect_swapped(button, "toggled", G_CALLBACK(toggled_cb), self);
  ms_option_row_watch(MS_OPTION_ROW(self), button);
  g_ptr_array_add(self->buttons, button);
  return button;
}

static GtkWidget *
new_linked(MsChoiceRow *self, const MsOptionInfo *option)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);

  gtk_style_context_add_class(gtk_widget_get_style_context(box), "linked");
  gtk_box_set_homogeneous(GTK_BOX(box), TRUE);
  for (guint i = 0; option->values[i]; i++) {
    GtkWidget *button = new_button(self, option->values[i]);
    gtk_toggle_button_set_mode(GTK_TOGGLE_BUTTON(button), FALSE);
    gtk_box_pack_start(GTK_BOX(box), button, TRUE, TRUE, 0);
  }
  return box;
}

static GtkWidget *
new_opener(MsChoiceRow *self, const MsOptionInfo *option)
{
  GtkWidget *content = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);

  self->opener = gtk_menu_button_new();
  self->shown = gtk_label_new(option->values[0]);
  gtk_box_pack_start(GTK_BOX(content), self->shown, TRUE, TRUE, 0);
  gtk_box_pack_end(GTK_BOX(content), gtk_image_new_from_icon_name("pan-down-symbolic", GTK_ICON_SIZE_BUTTON), FALSE,
                   FALSE, 0);
  gtk_container_add(GTK_CONTAINER(self->opener), content);
  gtk_widget_set_tooltip_text(self->opener, ms_option_tooltip(option));
  return self->opener;
}

static GtkWidget *
new_list(MsChoiceRow *self, const MsOptionInfo *option)
{
  GtkWidget *popover = gtk_popover_new(self->opener), *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6);

  gtk_container_set_border_width(GTK_CONTAINER(box), 12);
  for (guint i = 0; option->values[i]; i++)
    gtk_container_add(GTK_CONTAINER(box), new_button(self, option->values[i]));
  gtk_container_add(GTK_CONTAINER(popover), box);
  gtk_widget_show_all(box);
  gtk_menu_button_set_popover(GTK_MENU_BUTTON(self->opener), popover);
  return popover;
}

static void
ms_choice_row_build(MsOptionRow *row)
{
  MsChoiceRow *self = MS_CHOICE_ROW(row);
  const MsOptionInfo *option = ms_option_row_get_option(row);
  gboolean few = ms_option_n_values(option) <= SIDE_BY_SIDE;
  GtkWidget *control = few ? new_linked(self, option) : new_opener(self, option);
  GtkWidget *label = ms_option_row_add_label(row, control);

  if (!few)
    new_list(self, option);
  gtk_label_set_mnemonic_widget(GTK_LABEL(label), few ? g_ptr_array_index(self->buttons, 0) : self->opener);
  atk_object_set_name(gtk_widget_get_accessible(control), gtk_label_get_text(GTK_LABEL(label)));
}

static void
ms_choice_row_update(MsOptionRow *row)
{
  MsChoiceRow *self = MS_CHOICE_ROW(row);
  MsSettings settings = ms_option_row_get_settings(row);
  g_autofree char *value = ms_option_get_text(ms_option_row_get_option(row), &settings);

  for (guint i = 0; i < self->buttons->len; i++) {
    GtkWidget *button = g_ptr_array_index(self->buttons, i);
    if (strcmp(value_of(button), value) == 0)
      gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(button), TRUE);
    ms_option_row_offer(row, button, value_of(button));
  }
  if (!self->shown)
    return;
  gtk_label_set_text(GTK_LABEL(self->shown), value);
  ms_option_row_offer(row, self->opener, value);
}

static void
ms_choice_row_finalize(GObject *object)
{
  g_ptr_array_unref(MS_CHOICE_ROW(object)->buttons);
  G_OBJECT_CLASS(ms_choice_row_parent_class)->finalize(object);
}

static void
ms_choice_row_class_init(MsChoiceRowClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = ms_choice_row_finalize;
  MS_OPTION_ROW_CLASS(klass)->build = ms_choice_row_build;
  MS_OPTION_ROW_CLASS(klass)->update = ms_choice_row_update;
}

static void
ms_choice_row_init(MsChoiceRow *self)
{
  self->buttons = g_ptr_array_new();
}
