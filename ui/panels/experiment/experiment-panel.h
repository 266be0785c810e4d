/* SPDX-License-Identifier: MIT */
/* MsExperimentPanel: the list of published and own experiments; runs one and shows its table and chart. */
#pragma once

#include "ui/panels/common/job-panel.h"
#include "ui/panels/common/report-view.h"

G_BEGIN_DECLS

#define MS_TYPE_EXPERIMENT_PANEL (ms_experiment_panel_get_type())
G_DECLARE_FINAL_TYPE(MsExperimentPanel, ms_experiment_panel, MS, EXPERIMENT_PANEL, MsJobPanel)

guint ms_experiment_panel_get_n_experiments(MsExperimentPanel *self);
gboolean ms_experiment_panel_select(MsExperimentPanel *self, const char *name);
gboolean ms_experiment_panel_add_file(MsExperimentPanel *self, const char *path, GError **error);
MsReportView *ms_experiment_panel_get_view(MsExperimentPanel *self);

G_END_DECLS
