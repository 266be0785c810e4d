/* SPDX-License-Identifier: MIT */
/* MsTuneJob: a search for the fastest toggles on its way, in a thread with a device context of its own. */
#pragma once

#include "core/filter/options.h"
#include "core/chart/chart.h"
#include "core/lab/lab-tune.h"
#include "ui/panels/common/panel-job.h"

G_BEGIN_DECLS

/** MsTuneJobSpec: @settings: whose parameters are the problem; @directory: (nullable): where searches are kept. */
typedef struct {
  MsDevice *device;
  MsImage *image;
  MsSettings settings;
  MsTuneStrategy strategy;
  double budget_s;
  gboolean fresh;
  const char *directory;
} MsTuneJobSpec;

#define MS_TYPE_TUNE_JOB (ms_tune_job_get_type())
/* Signals: "progressed" (): more trials are known; "ended" (GError *): NULL when the search came to its end. */
G_DECLARE_FINAL_TYPE(MsTuneJob, ms_tune_job, MS, TUNE_JOB, MsPanelJob)

MsTuneJob *ms_tune_job_start(const MsTuneJobSpec *spec);
GPtrArray *ms_tune_job_get_trials(MsTuneJob *self);
const MsTrial *ms_tune_job_get_best(MsTuneJob *self);
guint64 ms_tune_job_get_space_size(MsTuneJob *self);
MsChart *ms_tune_job_chart(MsTuneJob *self);

G_END_DECLS
