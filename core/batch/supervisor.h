/* SPDX-License-Identifier: MIT */
/*
 * MsSupervisor: runs a batch in worker processes, so that a driver that aborts or hangs costs one image and not the
 * batch.
 */
#pragma once

#include "core/batch/runner.h"
#include "core/process/driver.h"

/**
 * MsSupervisorOptions:
 * @runner: the options of the worker's runner, read when the batch runs
 * @driver: (transfer none): whose processes are the workers; one that waits is asked first, unless the batch has pipes
 * @memory_limit: bytes that a worker may have in memory before it is ended, 0 for no limit
 * @falls_back: whether the processor takes over when the driver of another device ends several workers
 * @event: called on the thread that runs the batch
 * @data: for @event
 * @cancellable: (nullable)
 */
typedef struct {
  const MsRunnerOptions *runner;
  MsDriver *driver;
  guint64 memory_limit;
  gboolean falls_back;
  MsBatchEventFunc event;
  gpointer data;
  GCancellable *cancellable;
} MsSupervisorOptions;

typedef struct _MsSupervisor MsSupervisor;

MsSupervisor *ms_supervisor_new(const MsSupervisorOptions *options);
char *ms_supervisor_name_device(MsSupervisor *self, GError **error);
gboolean ms_supervisor_run(MsSupervisor *self, GPtrArray *items, GError **error);
void ms_supervisor_free(MsSupervisor *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsSupervisor, ms_supervisor_free)
