/* SPDX-License-Identifier: MIT */
/* Preferences: the settings of the user, in a key file where no schema is installed, and the window to change them. */
#pragma once

#include <gtk/gtk.h>

GSettings *ms_preferences_open(void);

#define MS_TYPE_PREFERENCES_WINDOW (ms_preferences_window_get_type())
G_DECLARE_FINAL_TYPE(MsPreferencesWindow, ms_preferences_window, MS, PREFERENCES_WINDOW, GtkWindow)

GtkWidget *ms_preferences_window_new(GtkWindow *parent, GSettings *settings);
