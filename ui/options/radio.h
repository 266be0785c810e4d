/* SPDX-License-Identifier: MIT */
/* Radio buttons that assistive technology can ask for their group without a complaint from ATK. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

GtkWidget *ms_radio_button_new(GtkRadioButton *group, const char *label);

G_END_DECLS
