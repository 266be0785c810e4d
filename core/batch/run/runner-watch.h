/* SPDX-License-Identifier: MIT */
/* MsRunnerWatch: notices that the device of a run has reported nothing for too long. */
#pragma once

#include "core/batch/run/runner.h"

typedef struct _MsRunnerWatch MsRunnerWatch;

int ms_runner_watch_limit_ms(double timeout_s, gint64 longest_silence_ms);
MsRunnerWatch *ms_runner_watch_new(const MsRunnerOptions *options, const MsRunnerHooks *hooks);
void ms_runner_watch_free(MsRunnerWatch *self);
void ms_runner_watch_begin(MsRunnerWatch *self, MsBatchItem *item);
void ms_runner_watch_heard(MsRunnerWatch *self);
void ms_runner_watch_end(MsRunnerWatch *self, MsBatchItem *item);
