/* SPDX-License-Identifier: MIT */
/* MsRecentPopover: the pictures that were opened last, each with a thumbnail, its name and its folder. */
#pragma once

#include <gtk/gtk.h>

#define MS_TYPE_RECENT_POPOVER (ms_recent_popover_get_type())
/* Signal: "chosen" (GFile *): the picture was clicked. */
G_DECLARE_FINAL_TYPE(MsRecentPopover, ms_recent_popover, MS, RECENT_POPOVER, GtkPopover)

GtkWidget *ms_recent_popover_new(GtkWidget *relative_to);
