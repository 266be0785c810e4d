/* SPDX-License-Identifier: MIT */
/* MsEngine: the one worker thread that talks to the device for the whole window, so that the main loop never waits. */
#pragma once

#include "core/filter/mean-shift.h"
#include "ui/run/run.h"

G_BEGIN_DECLS

/** MS_ENGINE_REFERENCE: the device_selector for the serial reference, which needs no OpenCL device. */
#define MS_ENGINE_REFERENCE "reference"

/**
 * MsEngineState:
 * @MS_ENGINE_OPENING: the device is being looked for; requests wait
 * @MS_ENGINE_READY: ms_engine_get_device() says which, %NULL for the serial reference
 * @MS_ENGINE_FAILED: ms_engine_get_problem() says why; requests fail with it
 */
typedef enum {
  MS_ENGINE_OPENING,
  MS_ENGINE_READY,
  MS_ENGINE_FAILED,
} MsEngineState;

#define MS_TYPE_ENGINE (ms_engine_get_type())
/* Signal: "changed" (): the state, the device, the list of devices or the explanation is another. */
G_DECLARE_FINAL_TYPE(MsEngine, ms_engine, MS, ENGINE, GObject)

MsEngine *ms_engine_new(void);
void ms_engine_choose(MsEngine *self, const char *device_selector);
void ms_engine_shut_down(MsEngine *self);
void ms_engine_set_watchdog(MsEngine *self, guint milliseconds);

MsEngineState ms_engine_get_state(MsEngine *self);
const char *ms_engine_get_device_selector(MsEngine *self);
MsDevice *ms_engine_get_device(MsEngine *self);
gboolean ms_engine_is_reference(MsEngine *self);
GPtrArray *ms_engine_get_devices(MsEngine *self);
const char *ms_engine_get_explanation(MsEngine *self);
const GError *ms_engine_get_problem(MsEngine *self);

/**
 * MsFilterEvents: what a filter request tells while it runs; both are called from the main loop, and never after the
 * request's own callback or after its cancellable was cancelled.
 * @piece: a part of the result, @region of the source wide and high, visible parts first
 * @progress: the share of the whole that is done, 0 to 1
 */
typedef struct {
  void (*piece)(MsImage *piece, const MsRegion *region, gpointer user_data);
  void (*progress)(double done, gpointer user_data);
} MsFilterEvents;

void ms_engine_filter_async(MsEngine *self, MsImage *source, const MsSettings *settings, const MsRegion *visible,
                            const MsFilterEvents *events, GCancellable *cancellable, GAsyncReadyCallback callback,
                            gpointer user_data);
MsRun *ms_engine_filter_finish(MsEngine *self, GAsyncResult *result, GError **error);

/**
 * MsEngineFunc: work for the engine's thread.
 * @context: (nullable): the device's context, which no other thread uses meanwhile; %NULL with the serial reference
 *
 * Returns: the result that ms_engine_call_finish() hands out, or %NULL with @error set
 */
typedef gpointer (*MsEngineFunc)(MsContext *context, GCancellable *cancellable, gpointer data, GError **error);

void ms_engine_call_async(MsEngine *self, MsEngineFunc func, gpointer data, GDestroyNotify free_data,
                          GDestroyNotify free_result, GCancellable *cancellable, GAsyncReadyCallback callback,
                          gpointer user_data);
gpointer ms_engine_call_finish(MsEngine *self, GAsyncResult *result, GError **error);

G_END_DECLS
