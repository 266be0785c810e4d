/* SPDX-License-Identifier: MIT */
/* MsComparePanel: measures combinations of toggles on the open picture and applies one of them. */
#pragma once

#include "core/filter/settings/settings.h"
#include "ui/panels/common/job-panel.h"
#include "ui/panels/common/report-view.h"

#define MS_TYPE_COMPARE_PANEL (ms_compare_panel_get_type())
G_DECLARE_FINAL_TYPE(MsComparePanel, ms_compare_panel, MS, COMPARE_PANEL, MsJobPanel)

/** MsCompareMode: whether each value is changed alone or every combination is measured. */
typedef enum {
  MS_COMPARE_ONE_AT_A_TIME,
  MS_COMPARE_ALL_COMBINATIONS,
} MsCompareMode;

MsExperiment *ms_compare_experiment(const MsSettings *current, const MsExperiment *choices, MsCompareMode mode);
guint ms_compare_count(const MsSettings *current, const MsExperiment *choices, MsCompareMode mode);
void ms_compare_sort(MsReport *report);
char *ms_compare_result_text(const MsReport *report);
