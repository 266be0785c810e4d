/* SPDX-License-Identifier: MIT */
/* MsJobPanel: base class of panels that run a long job and show its progress and results in an MsLabBar. */
#pragma once

#include "ui/program/program-job.h"
#include "ui/panels/common/lab-bar.h"
#include "ui/panels/common/panel.h"

#define MS_TYPE_JOB_PANEL (ms_job_panel_get_type())
G_DECLARE_DERIVABLE_TYPE(MsJobPanel, ms_job_panel, MS, JOB_PANEL, MsPanel)

/**
 * MsJobPanelClass: texts are (transfer full).
 * @start: (transfer full) (nullable): what the program is to do on @device; not started yet
 * @take: shows what an event of the program tells
 * @progress_text: the current step, which the program calls @message
 * @ended_text: how the job ended, which may have been cancelled but has not failed
 * @ready_text: with @device (nullable): what a click would start, or what is missing; sets @ready to %FALSE then
 */
struct _MsJobPanelClass {
  MsPanelClass parent_class;
  MsProgramJob *(*start)(MsJobPanel *self, MsDevice *device);
  void (*take)(MsJobPanel *self, const char *name, JsonObject *event);
  char *(*progress_text)(MsJobPanel *self, const char *message);
  char *(*ended_text)(MsJobPanel *self, gboolean cancelled);
  char *(*ready_text)(MsJobPanel *self, MsDevice *device, gboolean *ready);
};

void ms_job_panel_set_bar(MsJobPanel *self, MsLabBar *bar);
void ms_job_panel_run(MsJobPanel *self);
gboolean ms_job_panel_is_running(MsJobPanel *self);
MsProgramJob *ms_job_panel_get_job(MsJobPanel *self);
void ms_job_panel_set_note(MsJobPanel *self, const char *note);
void ms_job_panel_update_ready(MsJobPanel *self);
