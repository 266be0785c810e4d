/* SPDX-License-Identifier: MIT */
/* MsSupervisedWorker: a worker process and its items; its messages are read until it exits or is killed. */
#pragma once

#include "core/batch/process/worker-process.h"
#include "core/batch/run/stream-spool.h"
#include "core/batch/run/supervisor.h"

/**
 * MsSupervision: what the workers of a batch have in common.
 * @spool: for inputs and outputs that are pipes
 * @deaths: (element-type MsBatchItem utf8): for an item that is tried again, how its former worker died
 * @longest_silence_ms: the longest gap between two messages so far
 * @ever_opened: whether a worker has opened the device
 * @is_processor: whether the device that was opened last is a processor
 * @gave_up: whether the requested device was given up, so that workers use the processor
 * @deaths_in_a_row: images that ended their workers since the last result
 */
typedef struct {
  const MsRunnerOptions *options;
  const MsSupervisorOptions *supervision;
  const MsRunnerHooks *hooks;
  GCancellable *cancellable;
  MsStreamSpool *spool;
  GHashTable *deaths;
  gint64 longest_silence_ms;
  gboolean ever_opened;
  gboolean is_processor;
  gboolean gave_up;
  guint deaths_in_a_row;
} MsSupervision;

/**
 * MsWorkerEnd: how one worker ended.
 * @MS_WORKER_END_REPORTED: its last message arrived
 * @MS_WORKER_END_DIED: its pipe of messages closed before the last message
 * @MS_WORKER_END_SILENT: it was killed since it sent no message within the time limit
 * @MS_WORKER_END_TOO_LARGE: it was killed since it exceeded the memory limit
 * @MS_WORKER_END_CANCELLED: the caller was cancelled
 */
typedef enum {
  MS_WORKER_END_REPORTED,
  MS_WORKER_END_DIED,
  MS_WORKER_END_SILENT,
  MS_WORKER_END_TOO_LARGE,
  MS_WORKER_END_CANCELLED,
} MsWorkerEnd;

/**
 * MsSupervisedWorker:
 * @items: (element-type MsBatchItem) (not owned)
 * @in_work: for each item, whether the worker has started but not finished it
 * @opened: whether the worker has opened the device
 * @reported_end: whether its last message has arrived
 * @error: (nullable): the error in that last message
 */
typedef struct {
  GPtrArray *items;
  MsWorkerProcess process;
  gboolean *in_work;
  gboolean opened;
  gboolean reported_end;
  GError *error;
} MsSupervisedWorker;

MsWorkerEnd ms_supervised_worker_run(MsSupervisedWorker *self, MsSupervision *shared, GError **error);
char *ms_supervised_worker_describe_death(const MsSupervisedWorker *self, const MsSupervision *shared, MsWorkerEnd end);
