/* SPDX-License-Identifier: MIT */
/* MsWindow: the main window: pictures as tabs, settings at the side, timings and charts below. */
#pragma once

#include <gtk/gtk.h>

#include "ui/document/document.h"
#include "ui/image-view/image-view.h"

#define MS_TYPE_WINDOW (ms_window_get_type())
/* Property: "document" (MsDocument or NULL, readable, with notify): the picture in the current tab. */
G_DECLARE_FINAL_TYPE(MsWindow, ms_window, MS, WINDOW, GtkApplicationWindow)

MsWindow *ms_window_new(GtkApplication *application, MsWindowEngine *engine, GSettings *settings);
MsDocument *ms_window_get_document(MsWindow *self);
