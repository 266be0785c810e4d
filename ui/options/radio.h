/* SPDX-License-Identifier: MIT */
/* Radio buttons without the ATK warning that GTK 3 causes when their relations are read. */
#pragma once

#include <gtk/gtk.h>

GtkWidget *ms_radio_button_new(GtkRadioButton *group, const char *label);
