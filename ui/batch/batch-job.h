/* SPDX-License-Identifier: MIT */
/* MsBatchJob: plans and runs one batch on its own thread with core/batch, and reports its images to the main loop. */
#pragma once

#include "ui/batch/batch-spec.h"

/** MsBatchUpdate: the state of one image. @input is set only in the first update of an image. */
typedef struct {
  guint index;
  MsItemStatus status;
  char *input;
  char *output;
  char *message;
  int width;
  int height;
  double kernel_ms;
} MsBatchUpdate;

#define MS_TYPE_BATCH_JOB (ms_batch_job_get_type())
/*
 * Signals, on the main loop:
 *   "updates" (GArray of MsBatchUpdate, valid during the emission): images that were planned or have changed
 *   "ended" (GError *): the thread is idle again; NULL when the run was completed
 */
G_DECLARE_FINAL_TYPE(MsBatchJob, ms_batch_job, MS, BATCH_JOB, GObject)

MsBatchJob *ms_batch_job_new(const MsBatchSpec *spec);
const MsBatchSpec *ms_batch_job_get_spec(MsBatchJob *self);
void ms_batch_job_plan(MsBatchJob *self);
void ms_batch_job_run(MsBatchJob *self);
void ms_batch_job_retry(MsBatchJob *self);
void ms_batch_job_set_paused(MsBatchJob *self, gboolean paused);
void ms_batch_job_cancel(MsBatchJob *self);
gboolean ms_batch_job_is_running(MsBatchJob *self);
