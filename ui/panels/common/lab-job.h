/* SPDX-License-Identifier: MIT */
/* MsLabJob: runs one experiment on a thread with its own device context and reports progress to the main loop. */
#pragma once

#include "core/lab/lab.h"
#include "ui/panels/common/panel-job.h"

/**
 * MsLabJobSpec: what to run; ms_lab_job_start() takes its own references.
 * @engine: (nullable): its requests wait until the job has ended
 * @image: (nullable): filtered at its own size instead of the experiment's scenes
 * @input: (nullable): what to call @image
 * @repeats: samples of each configuration, 0 to repeat until the noise is low enough
 */
typedef struct {
  MsExperiment *experiment;
  MsDevice *device;
  MsWindowEngine *engine;
  MsImage *image;
  const char *input;
  gboolean quick;
  guint repeats;
} MsLabJobSpec;

#define MS_TYPE_LAB_JOB (ms_lab_job_get_type())
/*
 * Signals: "progressed" (): report, fraction or message are new; "ended" (GError *): NULL when the experiment was
 * completed.
 */
G_DECLARE_FINAL_TYPE(MsLabJob, ms_lab_job, MS, LAB_JOB, MsPanelJob)

MsLabJob *ms_lab_job_start(const MsLabJobSpec *spec);
MsReport *ms_lab_job_get_report(MsLabJob *self);
const char *ms_lab_job_get_message(MsLabJob *self);
