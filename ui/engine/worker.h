/* SPDX-License-Identifier: MIT */
/* MsWorker: the thread behind MsWindowEngine, which opens devices and runs jobs one by one, the urgent ones first. */
#pragma once

#include "ui/engine/job.h"

/** MsOpened: the result of opening a device. */
typedef struct {
  MsDevice *device;
  GPtrArray *devices;
  char *explanation;
} MsOpened;

MsWorker *ms_worker_new(void);
void ms_worker_unref(MsWorker *self);
void ms_worker_push(MsWorker *self, MsJob *job);
void ms_worker_release(MsWorker *self);
void ms_worker_beat(MsWorker *self);
void ms_worker_set_watchdog(MsWorker *self, guint milliseconds);
MsJob *ms_worker_abandon_if_silent(MsWorker *self, gint64 silent_us);
gboolean ms_worker_quit(MsWorker *self, gint64 patience_us);
MsJob *ms_worker_take_waiting(MsWorker *self);
void ms_opened_free(MsOpened *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsOpened, ms_opened_free)
