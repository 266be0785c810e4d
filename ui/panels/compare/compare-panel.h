/* SPDX-License-Identifier: MIT */
/* MsComparePanel: vary toggles, measure every configuration on the open picture, and apply the one that pleases. */
#pragma once

#include "ui/panels/compare/compare-plan.h"
#include "ui/panels/common/panel.h"
#include "ui/panels/common/report-view.h"
#include "ui/panels/compare/toggle-picker.h"

G_BEGIN_DECLS

#define MS_TYPE_COMPARE_PANEL (ms_compare_panel_get_type())
G_DECLARE_FINAL_TYPE(MsComparePanel, ms_compare_panel, MS, COMPARE_PANEL, MsPanel)

void ms_compare_panel_run(MsComparePanel *self);
void ms_compare_panel_cancel(MsComparePanel *self);
gboolean ms_compare_panel_is_running(MsComparePanel *self);
void ms_compare_panel_set_mode(MsComparePanel *self, MsCompareMode mode);
void ms_compare_panel_set_repeats(MsComparePanel *self, guint repeats);
MsTogglePicker *ms_compare_panel_get_picker(MsComparePanel *self);
MsReportView *ms_compare_panel_get_view(MsComparePanel *self);
const char *ms_compare_panel_get_note(MsComparePanel *self);

void ms_compare_sort(MsReport *report);

G_END_DECLS
