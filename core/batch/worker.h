/* SPDX-License-Identifier: MIT */
/*
 * The worker processes of a batch: what the supervisor sends to them and they send back, and what they do. Both ends
 * run the same program, so plain structures are sent as bytes.
 */
#pragma once

#include "core/batch/item.h"
#include "core/batch/runner.h"
#include "core/process/channel.h"

/** MS_WORKER_ROLE, MS_WORKER_ROLE_PROCESSOR: the roles of a worker, for the requested device and for the processor. */
#define MS_WORKER_ROLE "batch"
#define MS_WORKER_ROLE_PROCESSOR "batch-on-processor"

/** MsWorkerRequestKind: @MS_WORKER_JOBS: the items to filter */
typedef enum {
  MS_WORKER_JOBS,
} MsWorkerRequestKind;

/**
 * MsWorkerMessageKind:
 * @MS_WORKER_DEVICE: the device is open: its name, platform, driver and type
 * @MS_WORKER_STARTED: decoding or filtering of the item of this index begins
 * @MS_WORKER_WAITS: the item is decoded and waits for the device
 * @MS_WORKER_PROGRESS: item, rows done and rows in all
 * @MS_WORKER_SAVING: the item's file is complete and gets its name now: item, device and inode of the file, and what
 *   ms_worker_message_take_result() reads
 * @MS_WORKER_FINISHED: item, status, and what ms_worker_message_take_result() reads
 * @MS_WORKER_PROBLEM: an error that belongs to no item
 * @MS_WORKER_ENDED: the last message: whether the run was cancelled, the error's code, and its sentence in the user's
 *   language and in English, empty when all is done
 */
typedef enum {
  MS_WORKER_DEVICE,
  MS_WORKER_STARTED,
  MS_WORKER_WAITS,
  MS_WORKER_PROGRESS,
  MS_WORKER_SAVING,
  MS_WORKER_FINISHED,
  MS_WORKER_PROBLEM,
  MS_WORKER_ENDED,
} MsWorkerMessageKind;

extern const MsProtocol ms_worker_requests;
extern const MsProtocol ms_worker_results;

GVariant *ms_worker_message_new_jobs(GPtrArray *items);
GPtrArray *ms_worker_message_get_jobs(GVariant *message);
GVariant *ms_worker_message_new_result(const MsBatchItem *item);
void ms_worker_message_take_result(GVariant *payload, MsBatchItem *item);

gboolean ms_worker_is_one(void);
gboolean ms_worker_is_on_processor(void);
gboolean ms_worker_run(const MsRunnerOptions *options, const MsRunnerHooks *hooks, MsChannel *channel,
                       GCancellable *cancellable);
