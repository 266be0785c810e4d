/* SPDX-License-Identifier: MIT */
/* MsRunsPanel: a table of all runs with time and comparison, where side A and side B are chosen. */
#pragma once

#include "ui/panels/common/panel.h"

#define MS_TYPE_RUNS_PANEL (ms_runs_panel_get_type())
G_DECLARE_FINAL_TYPE(MsRunsPanel, ms_runs_panel, MS, RUNS_PANEL, MsPanel)

/** MsRunsColumn: the columns of the table, as in runs-panel.ui. */
typedef enum {
  MS_RUNS_RUN, /* NULL for the original */
  MS_RUNS_A,
  MS_RUNS_B,
  MS_RUNS_LABEL,
  MS_RUNS_SETTINGS,
  MS_RUNS_DEVICE,
  MS_RUNS_TIME,
  MS_RUNS_SHARE, /* kernel time in hundredths of the slowest run's */
  MS_RUNS_SPEEDUP,
  MS_RUNS_BADGE,
  MS_RUNS_PICTURE,
  MS_RUNS_IS_RUN,
  MS_RUNS_WEIGHT,
  MS_RUNS_REPEATED, /* whether the speed-up was computed from repeats of both runs */
  MS_RUNS_MARK,     /* the number of the run; the newest one is marked */
} MsRunsColumn;

MsRun *ms_runs_panel_get_selected(MsRunsPanel *self);
const char *ms_runs_panel_badge(MsRun *run, MsRun *baseline);
