/* SPDX-License-Identifier: MIT */
/* Runs the items that the supervisor sends, in a separate process because a driver may abort it. */
#pragma once

#include "core/batch/run/runner.h"
#include "core/process/channel.h"

gboolean ms_worker_is_one(void);
gboolean ms_worker_is_on_processor(void);
gboolean ms_worker_run(const MsRunnerOptions *options, const MsRunnerHooks *hooks, MsChannel *channel,
                       GCancellable *cancellable);
