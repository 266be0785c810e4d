/* SPDX-License-Identifier: MIT */
#include "ui/options/radio.h"

/* Only the chosen button takes the focus, so that Tab stops once at a group. */
static void
on_toggled(GtkToggleButton *button)
{
  gboolean active = gtk_toggle_button_get_active(button), had_focus = FALSE;

  for (GSList *l = gtk_radio_button_get_group(GTK_RADIO_BUTTON(button)); l; l = l->next)
    had_focus = had_focus || gtk_widget_has_focus(l->data);
  gtk_widget_set_can_focus(GTK_WIDGET(button), active);
  if (active && had_focus)
    gtk_widget_grab_focus(GTK_WIDGET(button));
}

/* A click gives the button the focus before the button becomes active. */
static gboolean
on_button_press(GtkWidget *button)
{
  gtk_widget_set_can_focus(button, TRUE);
  return GDK_EVENT_PROPAGATE;
}

static int
step_of(guint key)
{
  return key == GDK_KEY_Right || key == GDK_KEY_Down ? 1 : key == GDK_KEY_Left || key == GDK_KEY_Up ? -1 : 0;
}

/* The group is a list with the newest button first. */
static gboolean
on_key_press(GtkWidget *button, GdkEventKey *event)
{
  GSList *group = gtk_radio_button_get_group(GTK_RADIO_BUTTON(button));
  int step = step_of(event->keyval), n = (int)g_slist_length(group), index = g_slist_index(group, button);

  if (step == 0 || (event->state & gtk_accelerator_get_default_mod_mask()) != 0)
    return GDK_EVENT_PROPAGATE;
  for (index -= step; index >= 0 && index < n; index -= step) {
    GtkWidget *other = g_slist_nth_data(group, (guint)index);
    if (!gtk_widget_is_sensitive(other) || !gtk_widget_is_visible(other))
      continue;
    gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(other), TRUE);
    gtk_widget_grab_focus(other);
    break;
  }
  return GDK_EVENT_STOP;
}

/**
 * ms_radio_button_new:
 * @group: (nullable): a button of the group, %NULL for the first
 * @label: (nullable): its text, %NULL for a button that gets a child
 *
 * Arrow keys choose another button of the group.
 *
 * When the relations of a radio button are first read, GTK 3 removes the relation to its old group; ATK warns if there
 * is none, so one is added here.
 */
GtkWidget *
ms_radio_button_new(GtkRadioButton *group, const char *label)
{
  GtkWidget *button =
    label ? gtk_radio_button_new_with_label_from_widget(group, label) : gtk_radio_button_new_from_widget(group);
  AtkObject *accessible = gtk_widget_get_accessible(button);

  atk_object_add_relationship(accessible, ATK_RELATION_MEMBER_OF, accessible);
  gtk_widget_set_can_focus(button, gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(button)));
  g_signal_connect(button, "toggled", G_CALLBACK(on_toggled), NULL);
  g_signal_connect(button, "button-press-event", G_CALLBACK(on_button_press), NULL);
  g_signal_connect(button, "key-press-event", G_CALLBACK(on_key_press), NULL);
  return button;
}
