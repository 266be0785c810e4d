/* SPDX-License-Identifier: MIT */
/*
 * MsExperimentPanel: the published studies and a person's own: what each varies and found, run here, table and chart
 * side by side.
 */
#pragma once

#include "ui/panels/common/panel.h"
#include "ui/panels/common/report-view.h"

G_BEGIN_DECLS

#define MS_TYPE_EXPERIMENT_PANEL (ms_experiment_panel_get_type())
G_DECLARE_FINAL_TYPE(MsExperimentPanel, ms_experiment_panel, MS, EXPERIMENT_PANEL, MsPanel)

guint ms_experiment_panel_get_n_experiments(MsExperimentPanel *self);
gboolean ms_experiment_panel_select(MsExperimentPanel *self, const char *name);
gboolean ms_experiment_panel_add_file(MsExperimentPanel *self, const char *path, GError **error);
void ms_experiment_panel_set_quick(MsExperimentPanel *self, gboolean quick);
void ms_experiment_panel_run(MsExperimentPanel *self);
void ms_experiment_panel_cancel(MsExperimentPanel *self);
gboolean ms_experiment_panel_is_running(MsExperimentPanel *self);
MsReportView *ms_experiment_panel_get_view(MsExperimentPanel *self);
const char *ms_experiment_panel_get_note(MsExperimentPanel *self);

char *ms_experiment_details(const MsExperiment *experiment, gboolean quick);

G_END_DECLS
