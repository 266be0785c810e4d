/* SPDX-License-Identifier: MIT */
/* MsApplication: windows, keyboard shortcuts, preferences and the device that all windows share. */
#pragma once

#include <gtk/gtk.h>

#include "ui/engine/window-engine.h"

#define MS_TYPE_APPLICATION (ms_application_get_type())
G_DECLARE_FINAL_TYPE(MsApplication, ms_application, MS, APPLICATION, GtkApplication)

MsApplication *ms_application_new(GApplicationFlags flags);
MsWindowEngine *ms_application_get_engine(MsApplication *self);
GSettings *ms_application_get_settings(MsApplication *self);
int ms_application_run(int argc, char **argv);
