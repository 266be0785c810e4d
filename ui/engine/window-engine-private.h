/* SPDX-License-Identifier: MIT */
/* What the files of MsWindowEngine share: the queue, the process and its device, the filter and the hold. */
#pragma once

#include "core/process/driver.h"
#include "ui/engine/window-engine.h"

/* The kind of what asks nothing of the process: nothing runs until ms_window_engine_release(). */
#define MS_WINDOW_REQUEST_HOLD MS_N_REQUESTS

/*
 * @content: as the table of requests says
 * @pixels: for its descriptors
 * @error: (nullable): why it cannot be sent
 * @report: (nullable): takes progress and pieces; %FALSE if they make no sense
 * @complete: (nullable): (transfer full): makes the result of the task from an answer, freed with @free_result; %NULL
 *   if the answer makes no sense
 * @task: (nullable): gets the result; @user_data is that of its callback
 * @is_retried: whether a process has died of it
 * @has_reported: whether the process has computed something
 */
struct _MsWindowRequest {
  guint kind;
  GVariant *content;
  MsSharedPixels *pixels[MS_CHANNEL_MOST_FDS];
  guint n_pixels;
  GError *error;
  gboolean (*report)(MsWindowRequest *self, guint kind, GVariant *content);
  gpointer (*complete)(MsWindowRequest *self, MsAnswer *answer);
  GDestroyNotify free_result;
  gpointer data;
  GDestroyNotify free_data;
  guint serial;
  GTask *task;
  gpointer user_data;
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

  GQueue waiting;           /* MsWindowRequest, the next one first */
  MsWindowRequest *running; /* (nullable) */
  guint32 number;           /* of the running request */
  guint serial;             /* of the request that was queued last */
  gboolean is_held;
  gboolean is_closed;

  MsDriver *driver; /* (nullable): %NULL once the engine is shut down */
  gboolean is_open; /* whether its process has the device of the selector */
  guint openings;   /* choices of a device so far, and that of the running request that opens one */
  guint opening;
  guint deaths; /* of processes since the last answer */
  char *death;  /* (nullable): the report of the last death, until the device is open again */
  char *death_detail;
  MsChildEnd death_end;
  guint cancel_timer; /* ends the process if it goes on with a cancelled request */
  GQueue shared;      /* GWeakRef of the recent results, whose shared pixels hold descriptors */
};

void ms_window_request_add_pixels(MsWindowRequest *self, MsSharedPixels *pixels);
void ms_window_request_free(MsWindowRequest *self);
void ms_window_request_fail(MsWindowRequest *self, GError *error);
void ms_window_request_fail_cancelled(MsWindowRequest *self);
int ms_window_request_compare(gconstpointer a, gconstpointer b, gpointer unused);
GCancellable *ms_window_request_get_cancellable(const MsWindowRequest *self);

void ms_window_engine_send(MsWindowEngine *self, MsWindowRequest *request);
void ms_window_engine_send_next(MsWindowEngine *self);
MsWindowRequest *ms_window_engine_take_running(MsWindowEngine *self);
MsDriverEvent ms_window_engine_on_message(MsMessage *message, gpointer self);
const char *ms_window_engine_name_device(MsWindowEngine *self);

/* window-engine-device.c */
gboolean ms_window_engine_open(MsWindowEngine *self);
gboolean ms_window_engine_opens_early(MsWindowEngine *self);
gboolean ms_window_engine_take_opened(MsWindowEngine *self, GVariant *content);
void ms_window_engine_fail(MsWindowEngine *self, const GError *problem);
void ms_window_engine_watch(MsWindowEngine *self, const MsWindowRequest *request);
