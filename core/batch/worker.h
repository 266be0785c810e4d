/* SPDX-License-Identifier: MIT */
/* Runs the items that the supervisor sends, in a separate process because a driver may abort it. */
#pragma once

#include "core/batch/runner.h"

G_BEGIN_DECLS

/** MS_WORKER_JOBS_FD, MS_WORKER_RESULTS_FD: the worker's ends of the pipes. */
#define MS_WORKER_JOBS_FD 3
#define MS_WORKER_RESULTS_FD 4

/** MS_WORKER_VARIABLE: the environment variable that makes a process a worker. */
#define MS_WORKER_VARIABLE "MEANSHIFT_LAB_WORKER"

gboolean ms_worker_is_one(void);
gboolean ms_worker_run(const MsRunnerOptions *options, const MsRunnerHooks *hooks, GCancellable *cancellable);

G_END_DECLS
