/* SPDX-License-Identifier: MIT */
/* MsTogglePicker: a check button for every value of every toggle, to select what Compare varies. */
#pragma once

#include <gtk/gtk.h>

#include "ui/document/document.h"

#define MS_TYPE_TOGGLE_PICKER (ms_toggle_picker_get_type())
/* Signal: "changed" (): the selection has changed. */
G_DECLARE_FINAL_TYPE(MsTogglePicker, ms_toggle_picker, MS, TOGGLE_PICKER, GtkGrid)

void ms_toggle_picker_update(MsTogglePicker *self, MsDocument *document);
GArray *ms_toggle_picker_get_choices(MsTogglePicker *self);
