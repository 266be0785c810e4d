/* SPDX-License-Identifier: MIT */
/* The model of the runs panel: the original and then every run. */
#pragma once

#include <gtk/gtk.h>

#include "ui/document/document.h"

/**
 * MsRunsColumn: columns of the store.
 * @MS_RUNS_RUN: the MsRun, %NULL for the original
 * @MS_RUNS_SHARE: int, kernel time in hundredths of the slowest run's
 * @MS_RUNS_REPEATED: boolean, whether the speed-up was computed from repeats of both runs
 * @MS_RUNS_MARK: string, marks the newest run
 */
typedef enum {
  MS_RUNS_RUN,
  MS_RUNS_A,
  MS_RUNS_B,
  MS_RUNS_LABEL,
  MS_RUNS_SETTINGS,
  MS_RUNS_DEVICE,
  MS_RUNS_TIME,
  MS_RUNS_SHARE,
  MS_RUNS_SPEEDUP,
  MS_RUNS_BADGE,
  MS_RUNS_PICTURE,
  MS_RUNS_IS_RUN,
  MS_RUNS_WEIGHT,
  MS_RUNS_REPEATED,
  MS_RUNS_MARK,
  MS_RUNS_N_COLUMNS,
} MsRunsColumn;

GtkListStore *ms_runs_model_new(void);
void ms_runs_model_fill(GtkListStore *store, MsDocument *document);
const char *ms_runs_model_badge(MsRun *run, MsRun *baseline);
