/* SPDX-License-Identifier: MIT */
/* MsComparePanel: measures combinations of toggles on the open picture and applies one of them. */
#pragma once

#include "ui/panels/compare/compare-plan.h"
#include "ui/panels/common/job-panel.h"
#include "ui/panels/common/report-view.h"
#include "ui/panels/compare/toggle-picker.h"

#define MS_TYPE_COMPARE_PANEL (ms_compare_panel_get_type())
G_DECLARE_FINAL_TYPE(MsComparePanel, ms_compare_panel, MS, COMPARE_PANEL, MsJobPanel)

void ms_compare_sort(MsReport *report);
