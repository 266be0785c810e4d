/* SPDX-License-Identifier: MIT */
/* Where the system says which colour profile a monitor has. */
#pragma once

#include <gtk/gtk.h>

gboolean ms_screen_profile_is_told(GdkScreen *screen);
GBytes *ms_screen_profile_read(GdkScreen *screen, int monitor);
void ms_screen_profile_watch(GdkScreen *screen, GFunc changed, gpointer data);
