/* SPDX-License-Identifier: MIT */
/* MsFolderStrip: thumbnails of the pictures beside the open one in its folder; a click opens one in its place. */
#pragma once

#include <gtk/gtk.h>

#define MS_TYPE_FOLDER_STRIP (ms_folder_strip_get_type())
/* Signal: "chosen" (GFile *): the picture was clicked. */
G_DECLARE_FINAL_TYPE(MsFolderStrip, ms_folder_strip, MS, FOLDER_STRIP, GtkScrolledWindow)

void ms_folder_strip_set_file(MsFolderStrip *self, GFile *file);
