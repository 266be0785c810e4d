/* SPDX-License-Identifier: MIT */
/* Preferences: the person's settings, from GSettings where the program is installed and from memory where it is not. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

GSettings *ms_preferences_open(void);

#define MS_TYPE_PREFERENCES_WINDOW (ms_preferences_window_get_type())
G_DECLARE_FINAL_TYPE(MsPreferencesWindow, ms_preferences_window, MS, PREFERENCES_WINDOW, GtkWindow)

GtkWidget *ms_preferences_window_new(GtkWindow *parent, GSettings *settings);

G_END_DECLS
