/* SPDX-License-Identifier: MIT */
/* What the files of MsWindowEngine share: the queue, the process and its device, the filter and the hold. */
#pragma once

#include "ui/engine/device-child.h"
#include "ui/engine/window-engine.h"

/**
 * MsJobKind: in the order in which waiting jobs are taken.
 * @MS_JOB_OPEN: opens the device of the selector; it is never in the queue
 * @MS_JOB_FILTER: filters a picture
 * @MS_JOB_CALL: any other request
 * @MS_JOB_HOLD: no request: nothing runs until ms_window_engine_release()
 */
typedef enum {
  MS_JOB_OPEN,
  MS_JOB_FILTER,
  MS_JOB_CALL,
  MS_JOB_HOLD,
} MsJobKind;

/**
 * MsJob: an entry of the queue.
 * @task: (nullable): gets the result
 * @report: (nullable): takes progress and pieces; %FALSE if they make no sense
 * @complete: (nullable): (transfer full): makes the result of the task from an answer, freed with @free_result; %NULL
 *   if the answer makes no sense
 * @is_retried: whether a process has died of it
 * @has_reported: whether the process has computed something
 */
typedef struct MsJob MsJob;
struct MsJob {
  MsJobKind kind;
  guint serial;
  GTask *task;
  MsWindowEngineCall call;
  gboolean (*report)(MsJob *self, guint kind, GVariant *content);
  gpointer (*complete)(MsJob *self, MsAnswer *answer);
  GDestroyNotify free_result;
  gpointer data;
  GDestroyNotify free_data;
  GSource *cancelled;
  gboolean is_retried;
  gboolean has_reported;
};

struct _MsWindowEngine {
  GObject parent_instance;
  MsRates *rates; /* of the runs of all pictures */
  MsWindowEngineState state;
  char *device_selector;
  MsDevice *device;
  GPtrArray *devices;
  char *explanation;
  GError *problem;
  guint watchdog_ms;
  GPtrArray *holders; /* GCancellable of the measurements that use the device or wait for it */

  GQueue waiting; /* MsJob, the next one first */
  MsJob *running; /* (nullable) */
  guint32 number; /* of the running request */
  guint serial;   /* of the job that was queued last */
  gboolean is_held;
  gboolean is_closed;

  MsDeviceChild *child; /* (nullable) */
  gboolean is_open;     /* whether it has the device of the selector */
  guint openings;       /* choices of a device so far, and that of the running job that opens one */
  guint opening;
  guint vain_starts; /* processes in a row that died before the device was open */
  guint deaths;      /* of processes since the last answer */
  gboolean has_died; /* whether a process of this window has ever died */
  char *death;       /* (nullable): the report of the last death, until the device is open again */
  char *death_detail;
  char *spare_cache; /* (nullable): the folder of the process where the usual cache may be damaged */
  guint silence_timer;
  guint cancel_timer; /* ends the process if it goes on with a cancelled request */
  GQueue shared;      /* GWeakRef of the recent results, whose shared pixels hold descriptors */
};

MsJob *ms_job_new(MsJobKind kind, GTask *task);
void ms_job_free(MsJob *self);
void ms_job_fail(MsJob *self, GError *error);
void ms_job_fail_cancelled(MsJob *self);
int ms_job_compare(gconstpointer a, gconstpointer b, gpointer unused);
GCancellable *ms_job_get_cancellable(const MsJob *self);

void ms_window_engine_push(MsWindowEngine *self, MsJob *job);
void ms_window_engine_send(MsWindowEngine *self, MsJob *job);
void ms_window_engine_send_next(MsWindowEngine *self);
MsJob *ms_window_engine_take_running(MsWindowEngine *self);
void ms_window_engine_on_message(MsMessage *message, gpointer self);
const char *ms_window_engine_name_device(MsWindowEngine *self);

/* window-engine-device.c */
gboolean ms_window_engine_open(MsWindowEngine *self);
gboolean ms_window_engine_opens_early(MsWindowEngine *self);
gboolean ms_window_engine_take_opened(MsWindowEngine *self, GVariant *content);
void ms_window_engine_fail(MsWindowEngine *self, const GError *problem);
void ms_window_engine_watch(MsWindowEngine *self, const MsJob *job);
void ms_window_engine_change_cache(MsWindowEngine *self, gboolean to_spare);
