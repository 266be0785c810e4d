/* SPDX-License-Identifier: MIT */
/*
 * MsTunePanel: searches the toggles for the fastest on this device and picture, shows the search live and applies its
 * winner.
 */
#pragma once

#include "ui/panels/common/panel.h"
#include "ui/panels/tune/tune-job.h"

G_BEGIN_DECLS

#define MS_TYPE_TUNE_PANEL (ms_tune_panel_get_type())
G_DECLARE_FINAL_TYPE(MsTunePanel, ms_tune_panel, MS, TUNE_PANEL, MsPanel)

void ms_tune_panel_set_budget(MsTunePanel *self, double seconds);
void ms_tune_panel_set_fresh(MsTunePanel *self, gboolean fresh);
void ms_tune_panel_run(MsTunePanel *self);
void ms_tune_panel_cancel(MsTunePanel *self);
gboolean ms_tune_panel_is_running(MsTunePanel *self);
const MsTrial *ms_tune_panel_get_best(MsTunePanel *self);
guint ms_tune_panel_get_n_trials(MsTunePanel *self);
void ms_tune_panel_apply(MsTunePanel *self);
const char *ms_tune_panel_get_note(MsTunePanel *self);

G_END_DECLS
