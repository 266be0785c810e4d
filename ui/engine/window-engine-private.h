/* SPDX-License-Identifier: MIT */
/* What the files of MsWindowEngine share: the queue, the process and its device, the filter and the hold. */
#pragma once

#include "core/process/driver.h"
#include "ui/engine/window-engine.h"

/**
 * MsWindowJobKind: in the order in which waiting jobs are taken.
 * @MS_WINDOW_JOB_OPEN: opens the device of the selector; it is never in the queue
 * @MS_WINDOW_JOB_FILTER: filters a picture
 * @MS_WINDOW_JOB_CALL: any other request
 * @MS_WINDOW_JOB_HOLD: no request: nothing runs until ms_window_engine_release()
 */
typedef enum {
  MS_WINDOW_JOB_OPEN,
  MS_WINDOW_JOB_FILTER,
  MS_WINDOW_JOB_CALL,
  MS_WINDOW_JOB_HOLD,
} MsWindowJobKind;

/**
 * MsWindowJob: an entry of the queue.
 * @task: (nullable): gets the result
 * @report: (nullable): takes progress and pieces; %FALSE if they make no sense
 * @complete: (nullable): (transfer full): makes the result of the task from an answer, freed with @free_result; %NULL
 *   if the answer makes no sense
 * @is_retried: whether a process has died of it
 * @has_reported: whether the process has computed something
 */
typedef struct MsWindowJob MsWindowJob;
struct MsWindowJob {
  MsWindowJobKind kind;
  guint serial;
  GTask *task;
  MsWindowEngineCall call;
  gboolean (*report)(MsWindowJob *self, guint kind, GVariant *content);
  gpointer (*complete)(MsWindowJob *self, MsAnswer *answer);
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

  GQueue waiting;       /* MsWindowJob, the next one first */
  MsWindowJob *running; /* (nullable) */
  guint32 number;       /* of the running request */
  guint serial;         /* of the job that was queued last */
  gboolean is_held;
  gboolean is_closed;

  MsDriver *driver; /* (nullable): %NULL once the engine is shut down */
  gboolean is_open; /* whether its process has the device of the selector */
  guint openings;   /* choices of a device so far, and that of the running job that opens one */
  guint opening;
  guint deaths; /* of processes since the last answer */
  char *death;  /* (nullable): the report of the last death, until the device is open again */
  char *death_detail;
  MsChildEnd death_end;
  guint cancel_timer; /* ends the process if it goes on with a cancelled request */
  GQueue shared;      /* GWeakRef of the recent results, whose shared pixels hold descriptors */
};

MsWindowJob *ms_window_job_new(MsWindowJobKind kind, GTask *task);
void ms_window_job_free(MsWindowJob *self);
void ms_window_job_fail(MsWindowJob *self, GError *error);
void ms_window_job_fail_cancelled(MsWindowJob *self);
int ms_window_job_compare(gconstpointer a, gconstpointer b, gpointer unused);
GCancellable *ms_window_job_get_cancellable(const MsWindowJob *self);

void ms_window_engine_push(MsWindowEngine *self, MsWindowJob *job);
void ms_window_engine_send(MsWindowEngine *self, MsWindowJob *job);
void ms_window_engine_send_next(MsWindowEngine *self);
MsWindowJob *ms_window_engine_take_running(MsWindowEngine *self);
MsDriverEvent ms_window_engine_on_message(MsMessage *message, gpointer self);
const char *ms_window_engine_name_device(MsWindowEngine *self);

/* window-engine-device.c */
MsDriver *ms_window_engine_new_driver(MsWindowEngine *self);
gboolean ms_window_engine_open(MsWindowEngine *self);
gboolean ms_window_engine_opens_early(MsWindowEngine *self);
gboolean ms_window_engine_take_opened(MsWindowEngine *self, GVariant *content);
void ms_window_engine_fail(MsWindowEngine *self, const GError *problem);
void ms_window_engine_watch(MsWindowEngine *self, const MsWindowJob *job);
