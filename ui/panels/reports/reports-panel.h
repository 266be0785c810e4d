/* SPDX-License-Identifier: MIT */
/* MsReportsPanel: reports of several devices side by side, as --merge-reports prints them. */
#pragma once

#include "ui/panels/common/panel.h"

#define MS_TYPE_REPORTS_PANEL (ms_reports_panel_get_type())
G_DECLARE_FINAL_TYPE(MsReportsPanel, ms_reports_panel, MS, REPORTS_PANEL, MsPanel)

void ms_reports_panel_add(MsReportsPanel *self, const char *const *paths);
