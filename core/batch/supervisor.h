/* SPDX-License-Identifier: MIT */
/* Runs a batch in worker processes, so that a driver that aborts or hangs costs one image and not the batch. */
#pragma once

#include "core/batch/runner.h"
#include "core/process/child.h"

/**
 * MsSupervisorOptions:
 * @runner: the options of the worker's runner
 * @arguments: (nullable) (array zero-terminated=1): the worker's program and arguments, %NULL for those of this process
 * @waiting: (nullable) (transfer full): a forked worker that gets the first items, unless one of them is a pipe
 * @memory_limit: bytes that a worker may have in memory before it is ended, 0 for no limit
 * @falls_back: whether the processor takes over when the driver of another device ends several workers
 * @note: (nullable): called with the sentence that a device was given up, or that it is opened once more
 * @device: (nullable): called when a worker has opened its device
 */
typedef struct {
  const MsRunnerOptions *runner;
  const char *const *arguments;
  MsChild *waiting;
  guint64 memory_limit;
  gboolean falls_back;
  void (*note)(const char *sentence, gpointer data);
  void (*device)(const MsEngineInfo *info, gpointer data);
} MsSupervisorOptions;

MsChild *ms_supervisor_fork_worker(MsChildMain work, gpointer data);
gboolean ms_supervisor_run(GPtrArray *items, const MsSupervisorOptions *options, const MsRunnerHooks *hooks,
                           GCancellable *cancellable, GError **error);
