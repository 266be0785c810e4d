/* SPDX-License-Identifier: MIT */
/*
 * MsJobPanel: base class of the Lab's panels, which let the program measure: a button that starts it and then cancels
 * it, its progress, and how it ended.
 */
#pragma once

#include "core/lab/report/report.h"
#include "ui/common/template.h"
#include "ui/panels/common/panel.h"
#include "ui/program/program-job.h"

#define MS_TYPE_JOB_PANEL (ms_job_panel_get_type())
G_DECLARE_DERIVABLE_TYPE(MsJobPanel, ms_job_panel, MS, JOB_PANEL, MsPanel)

/**
 * MsJobPanelClass: texts are (transfer full).
 * @start: says what @job is to do on the panel's device; returns whether there is something to do
 * @take: shows what an event of the program tells
 * @progress_text: (nullable): the current step, which the program calls @message
 * @ended_text: how the job ended, which may have been cancelled but has not failed
 * @ready_text: with @device (nullable): what a click would start, or what is missing; sets @ready to %FALSE then
 */
struct _MsJobPanelClass {
  MsPanelClass parent_class;
  gboolean (*start)(MsJobPanel *self, MsProgramJob *job);
  void (*take)(MsJobPanel *self, const char *name, JsonObject *event);
  char *(*progress_text)(MsJobPanel *self, const char *message);
  char *(*ended_text)(MsJobPanel *self, gboolean cancelled);
  char *(*ready_text)(MsJobPanel *self, MsDevice *device, gboolean *ready);
};

void ms_job_panel_bind(MsJobPanelClass *klass, const char *file, const MsTemplatePart *parts, gsize n);
void ms_job_panel_run(MsJobPanel *self);
gboolean ms_job_panel_is_running(MsJobPanel *self);
MsProgramJob *ms_job_panel_get_job(MsJobPanel *self);
void ms_job_panel_set_outcome(MsJobPanel *self, const char *outcome);
void ms_job_panel_update_ready(MsJobPanel *self);

void ms_job_panel_add_experiment(MsProgramJob *job, const MsExperiment *experiment);
void ms_job_panel_add_picture(MsJobPanel *self, MsProgramJob *job);
MsReport *ms_job_panel_read_report(MsJobPanel *self, JsonObject *event);
