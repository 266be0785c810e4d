/* SPDX-License-Identifier: MIT */
/* For a GTK without X. */
#include "ui/common/screen-profile.h"

gboolean
ms_screen_profile_is_told(GdkScreen *screen)
{
  return FALSE;
}

GBytes *
ms_screen_profile_read(GdkScreen *screen, int monitor)
{
  return NULL;
}

void
ms_screen_profile_watch(GdkScreen *screen, GFunc changed, gpointer data)
{
}
