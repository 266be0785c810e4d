/* SPDX-License-Identifier: MIT */
/* MsJob: one request to the worker's thread, with the task that gets its result. */
#pragma once

#include "ui/engine/filter-job.h"

typedef struct _MsWorker MsWorker;

/**
 * MsJobKind: in the order in which waiting jobs are taken.
 * @MS_JOB_QUIT: end the thread
 * @MS_JOB_OPEN: open the device of @device_selector
 * @MS_JOB_FILTER: carry out @filter
 * @MS_JOB_CALL: call @func
 * @MS_JOB_HOLD: run nothing until ms_worker_release(), so that another thread has the device to itself
 */
typedef enum {
  MS_JOB_QUIT,
  MS_JOB_OPEN,
  MS_JOB_FILTER,
  MS_JOB_CALL,
  MS_JOB_HOLD,
} MsJobKind;

/**
 * MsJob: one job of the worker; reference counted, because a hung thread keeps its reference.
 * @task: completed by the thread that claims the job first
 * @worker: set when a worker starts the job
 */
typedef struct {
  gatomicrefcount references;
  MsJobKind kind;
  guint serial;
  GTask *task;
  int claimed;
  MsWorker *worker;
  char *device_selector;
  MsFilterJob filter;
  gpointer (*func)(MsContext *context, GCancellable *cancellable, gpointer data, GError **error);
  gpointer data;
  GDestroyNotify free_data;
  GDestroyNotify free_result;
} MsJob;

MsJob *ms_job_new(MsJobKind kind, GTask *task);
MsJob *ms_job_ref(MsJob *self);
void ms_job_unref(MsJob *self);
gboolean ms_job_claim(MsJob *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsJob, ms_job_unref)
