/* SPDX-License-Identifier: MIT */
/* MsTogglePicker: the toggles of the descriptor table with a check button for every value, to choose what varies. */
#pragma once

#include <gtk/gtk.h>

#include "ui/document/document.h"

G_BEGIN_DECLS

#define MS_TYPE_TOGGLE_PICKER (ms_toggle_picker_get_type())
/* Signal: "changed" (): other values are chosen. */
G_DECLARE_FINAL_TYPE(MsTogglePicker, ms_toggle_picker, MS, TOGGLE_PICKER, GtkGrid)

GtkWidget *ms_toggle_picker_new(void);
void ms_toggle_picker_update(MsTogglePicker *self, MsDocument *document);
GArray *ms_toggle_picker_get_choices(MsTogglePicker *self);
gboolean ms_toggle_picker_set_chosen(MsTogglePicker *self, const char *option, const char *value, gboolean chosen);

G_END_DECLS
