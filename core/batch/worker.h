/* SPDX-License-Identifier: MIT */
/* The requests for a device and for the items of a batch: what is sent of an item, and what the process answers. */
#pragma once

#include "core/batch/runner.h"
#include "core/process/channel.h"

GVariant *ms_worker_new_items(GPtrArray *items, gboolean on_processor);
GPtrArray *ms_worker_take_items(GVariant *content, gboolean *on_processor);

void ms_worker_answer_device(MsChannel *channel, MsEngine *engine);
gboolean ms_worker_run(MsChannel *channel, GPtrArray *items, const MsBatchRun *run);
