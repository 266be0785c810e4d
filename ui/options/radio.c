/* SPDX-License-Identifier: MIT */
#include "ui/options/radio.h"

/**
 * ms_radio_button_new:
 * @group: (nullable): a button of the group, %NULL for the first
 * @label: (nullable): its text, %NULL for a button that gets a child
 *
 * The first time GTK 3 is asked for the relations of a radio button it removes the relation to its old group, which is
 * not there, and ATK complains. With any such relation to remove all is well.
 */
GtkWidget *
ms_radio_button_new(GtkRadioButton *group, const char *label)
{
  GtkWidget *button =
    label ? gtk_radio_button_new_with_label_from_widget(group, label) : gtk_radio_button_new_from_widget(group);
  AtkObject *accessible = gtk_widget_get_accessible(button);

  atk_object_add_relationship(accessible, ATK_RELATION_MEMBER_OF, accessible);
  return button;
}
