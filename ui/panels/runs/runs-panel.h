/* SPDX-License-Identifier: MIT */
/* MsRunsPanel: a table of all runs with time and comparison, where side A and side B are chosen. */
#pragma once

#include "ui/panels/common/panel.h"

#define MS_TYPE_RUNS_PANEL (ms_runs_panel_get_type())
G_DECLARE_FINAL_TYPE(MsRunsPanel, ms_runs_panel, MS, RUNS_PANEL, MsPanel)

MsRun *ms_runs_panel_get_selected(MsRunsPanel *self);
