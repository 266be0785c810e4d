/* SPDX-License-Identifier: MIT */
/* MsTuneJob: searches for the fastest toggles on a thread with its own device context. */
#pragma once

#include "core/filter/settings/options.h"
#include "core/chart/chart.h"
#include "core/lab/lab-tune.h"
#include "ui/panels/common/panel-job.h"

/**
 * MsTuneJobSpec:
 * @engine: (nullable): its requests wait until the search has ended
 * @settings: the filter parameters of all configurations
 * @directory: (nullable): the folder of saved searches
 */
typedef struct {
  MsDevice *device;
  MsWindowEngine *engine;
  MsImage *image;
  MsSettings settings;
  MsTuneStrategy strategy;
  double budget_s;
  gboolean fresh;
  const char *directory;
} MsTuneJobSpec;

#define MS_TYPE_TUNE_JOB (ms_tune_job_get_type())
/* Signals: "progressed" (): new trials; "ended" (GError *): NULL when the search was completed. */
G_DECLARE_FINAL_TYPE(MsTuneJob, ms_tune_job, MS, TUNE_JOB, MsPanelJob)

MsTuneJob *ms_tune_job_start(const MsTuneJobSpec *spec);
GPtrArray *ms_tune_job_get_trials(MsTuneJob *self);
const MsTrial *ms_tune_job_get_best(MsTuneJob *self);
guint64 ms_tune_job_get_space_size(MsTuneJob *self);
MsChart *ms_tune_job_chart(MsTuneJob *self);
