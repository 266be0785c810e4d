/* SPDX-License-Identifier: MIT */
/* The requests of a batch to the process with the device, and the answers: opening the device, and filtering items. */
#pragma once

#include "core/batch/runner.h"
#include "core/process/channel.h"

GVariant *ms_worker_new_items(GPtrArray *items, gboolean on_processor);
GPtrArray *ms_worker_take_items(GVariant *content, gboolean *on_processor);

void ms_worker_answer_device(MsChannel *channel, MsEngine *engine);
gboolean ms_worker_run(MsChannel *channel, GPtrArray *items, const MsBatchRun *run);
