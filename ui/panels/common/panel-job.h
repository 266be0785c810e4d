/* SPDX-License-Identifier: MIT */
/*
 * MsPanelJob: base class of long jobs that a panel starts: a thread with its own device context, and progress signals
 * on the main loop.
 */
#pragma once

#include "core/opencl/context.h"
#include "ui/engine/window-engine.h"

#define MS_TYPE_PANEL_JOB (ms_panel_job_get_type())
/* Signals: "progressed" (): new results; "ended" (GError *): NULL when the job was completed. */
G_DECLARE_DERIVABLE_TYPE(MsPanelJob, ms_panel_job, MS, PANEL_JOB, GObject)

/**
 * MsPanelJobClass:
 * @work: runs on the job's thread and returns its result by @task
 * @take: receives the result of @task, on the main loop, before "ended" is emitted
 */
struct _MsPanelJobClass {
  GObjectClass parent_class;
  void (*work)(MsPanelJob *self, GTask *task, MsContext *context, GCancellable *cancellable);
  void (*take)(MsPanelJob *self, GTask *task, GError **error);
};

void ms_panel_job_start(MsPanelJob *self, MsDevice *device, MsWindowEngine *engine);
void ms_panel_job_cancel(MsPanelJob *self);
void ms_panel_job_drop(MsPanelJob *self, gpointer follower);
gboolean ms_panel_job_is_running(MsPanelJob *self);
gboolean ms_panel_job_is_cancelled(MsPanelJob *self);
double ms_panel_job_get_fraction(MsPanelJob *self);
void ms_panel_job_set_fraction(MsPanelJob *self, double fraction);
void ms_panel_job_report_progress(MsPanelJob *self);
