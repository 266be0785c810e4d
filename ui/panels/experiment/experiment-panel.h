/* SPDX-License-Identifier: MIT */
/*
 * MsExperimentPanel: runs an experiment from a list and shows its table and chart: the pages Experiments and Learn.
 */
#pragma once

#include "ui/panels/common/job-panel.h"
#include "ui/panels/common/report-view.h"

#define MS_TYPE_EXPERIMENT_PANEL (ms_experiment_panel_get_type())
/* Property: "learn" (boolean, construct-only): list the steps of the page Learn instead of all experiments. */
G_DECLARE_FINAL_TYPE(MsExperimentPanel, ms_experiment_panel, MS, EXPERIMENT_PANEL, MsJobPanel)

gboolean ms_experiment_panel_select(MsExperimentPanel *self, const char *name);
gboolean ms_experiment_panel_add_file(MsExperimentPanel *self, const char *path, GError **error);
