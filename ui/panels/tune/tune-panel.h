/* SPDX-License-Identifier: MIT */
/* MsTunePanel: searches for the fastest toggles on this device and picture, shows the trials and applies the best. */
#pragma once

#include "core/lab/report/report.h"
#include "ui/panels/common/job-panel.h"

#define MS_TYPE_TUNE_PANEL (ms_tune_panel_get_type())
G_DECLARE_FINAL_TYPE(MsTunePanel, ms_tune_panel, MS, TUNE_PANEL, MsJobPanel)

const MsReport *ms_tune_panel_get_report(MsTunePanel *self);
const MsReportRow *ms_tune_panel_get_best(MsTunePanel *self);
void ms_tune_panel_apply(MsTunePanel *self);
