/* SPDX-License-Identifier: MIT */
/* MsPresetsPopover: a list of presets, and a field to save the current settings as one. */
#pragma once

#include <gtk/gtk.h>

#include "ui/document/document.h"
#include "core/filter/settings/filter-presets.h"

#define MS_TYPE_PRESETS_POPOVER (ms_presets_popover_get_type())
G_DECLARE_FINAL_TYPE(MsPresetsPopover, ms_presets_popover, MS, PRESETS_POPOVER, GtkPopover)

GtkWidget *ms_presets_popover_new(GtkWidget *relative_to, MsPresets *presets);
void ms_presets_popover_set_document(MsPresetsPopover *self, MsDocument *document);
