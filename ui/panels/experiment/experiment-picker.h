/* SPDX-License-Identifier: MIT */
/*
 * MsExperimentPicker: the experiments as a list in groups by study, with a search field, or as the steps of the page
 * Learn.
 */
#pragma once

#include <gtk/gtk.h>

#include "core/lab/experiment/experiment.h"

#define MS_TYPE_EXPERIMENT_PICKER (ms_experiment_picker_get_type())
/* Signal: "changed" (): another experiment is selected. */
G_DECLARE_FINAL_TYPE(MsExperimentPicker, ms_experiment_picker, MS, EXPERIMENT_PICKER, GtkBox)

gboolean ms_experiment_picker_fill(MsExperimentPicker *self, GError **error);
gboolean ms_experiment_picker_fill_steps(MsExperimentPicker *self, GError **error);
void ms_experiment_picker_add(MsExperimentPicker *self, MsExperiment *experiment);
gboolean ms_experiment_picker_select(MsExperimentPicker *self, const char *name);
gboolean ms_experiment_picker_select_next(MsExperimentPicker *self);
MsExperiment *ms_experiment_picker_get_selected(MsExperimentPicker *self);
guint ms_experiment_picker_get_n(MsExperimentPicker *self);
