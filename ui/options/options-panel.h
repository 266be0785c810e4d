/* SPDX-License-Identifier: MIT */
/* MsOptionsPanel: the side panel: a control for every option of the table, and the presets. */
#pragma once

#include <gtk/gtk.h>

#include "core/filter/settings/filter-presets.h"
#include "ui/panels/common/panel.h"

#define MS_TYPE_OPTIONS_PANEL (ms_options_panel_get_type())
G_DECLARE_FINAL_TYPE(MsOptionsPanel, ms_options_panel, MS, OPTIONS_PANEL, MsPanel)

/**
 * MsCost: what is known of the time of the present settings, or of those with another value of an option.
 * @label, @value: (nullable): of the option; %NULL for the present settings
 * @kernel: (nullable): that the value needs in place of the present one
 * @ms: negative where no run with its kernel has been measured
 */
typedef struct {
  const char *label;
  const char *value;
  const char *kernel;
  double ms;
} MsCost;

char *ms_cost_text(const MsCost *self);
GtkWidget *ms_options_panel_get_row(MsOptionsPanel *self, const char *name);
void ms_options_panel_put_toggles_first(MsOptionsPanel *self);
