/* SPDX-License-Identifier: MIT */
/* Preferences: the settings of the user, in a key file where no schema is installed, and the window to change them. */
#pragma once

#include <gtk/gtk.h>

GSettings *ms_preferences_open(void);

GtkWidget *ms_preferences_window_new(GtkWindow *parent, GSettings *settings);
