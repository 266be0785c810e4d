/* SPDX-License-Identifier: MIT */
/*
 * MsSupervisor: runs a batch in worker processes, so that a driver that aborts or hangs costs one image and not the
 * batch.
 */
#pragma once

#include "core/batch/runner.h"
#include "core/process/driver.h"

typedef struct _MsSupervisor MsSupervisor;

MsSupervisor *ms_supervisor_new(const MsBatchRun *run, MsDriver *driver, gboolean falls_back);
char *ms_supervisor_name_device(MsSupervisor *self, GError **error);
gboolean ms_supervisor_run(MsSupervisor *self, GPtrArray *items, GError **error);
void ms_supervisor_free(MsSupervisor *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsSupervisor, ms_supervisor_free)
