/* SPDX-License-Identifier: MIT */
/* MsDeviceChooser: the header bar's button that shows the device in use and lists the others. */
#pragma once

#include <gtk/gtk.h>

#include "ui/engine/window-engine.h"

#define MS_TYPE_DEVICE_CHOOSER (ms_device_chooser_get_type())
/* Signal: "chosen" (const char *device_selector): the user chose a device. */
G_DECLARE_FINAL_TYPE(MsDeviceChooser, ms_device_chooser, MS, DEVICE_CHOOSER, GtkMenuButton)

void ms_device_chooser_set_engine(MsDeviceChooser *self, MsWindowEngine *engine);
