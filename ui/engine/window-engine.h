/* SPDX-License-Identifier: MIT */
/* MsWindowEngine: the worker thread that uses the device for the whole window, so that the main loop never waits. */
#pragma once

#include "core/engine/engine.h"
#include "ui/engine/rates.h"

/**
 * MsWindowEngineState:
 * @MS_WINDOW_ENGINE_OPENING: the device is being opened; requests wait
 * @MS_WINDOW_ENGINE_READY: the device is open, or the serial reference was chosen
 * @MS_WINDOW_ENGINE_FAILED: no device could be opened; requests fail with ms_window_engine_get_problem()
 */
typedef enum {
  MS_WINDOW_ENGINE_OPENING,
  MS_WINDOW_ENGINE_READY,
  MS_WINDOW_ENGINE_FAILED,
} MsWindowEngineState;

#define MS_TYPE_WINDOW_ENGINE (ms_window_engine_get_type())
/*
 * Signals: "changed" (): the state, the device, the list of devices or the explanation has changed;
 * "holders-changed" (): a measurement took the device for itself or gave it back.
 */
G_DECLARE_FINAL_TYPE(MsWindowEngine, ms_window_engine, MS, WINDOW_ENGINE, GObject)

MsWindowEngine *ms_window_engine_new(void);
void ms_window_engine_choose(MsWindowEngine *self, const char *device_selector);
void ms_window_engine_shut_down(MsWindowEngine *self);
void ms_window_engine_set_watchdog(MsWindowEngine *self, guint milliseconds);

MsWindowEngineState ms_window_engine_get_state(MsWindowEngine *self);
const char *ms_window_engine_get_device_selector(MsWindowEngine *self);
MsDevice *ms_window_engine_get_device(MsWindowEngine *self);
gboolean ms_window_engine_is_reference(MsWindowEngine *self);
GPtrArray *ms_window_engine_get_devices(MsWindowEngine *self);
const char *ms_window_engine_get_explanation(MsWindowEngine *self);
const GError *ms_window_engine_get_problem(MsWindowEngine *self);
MsRates *ms_window_engine_get_rates(MsWindowEngine *self);

/**
 * MsFilterEvents: callbacks of a running filter request, on the main loop; not called after the request's own callback
 * or after its cancellation.
 * @piece: a part of the result, @region of the source wide and high, visible parts first
 * @progress: the finished share, 0 to 1
 */
typedef struct {
  void (*piece)(MsImage *piece, const MsRegion *region, gpointer user_data);
  void (*progress)(double done, gpointer user_data);
} MsFilterEvents;

/**
 * MsWindowEngineFunc: work for the engine's thread.
 * @context: (nullable): the device's context, which no other thread uses meanwhile; %NULL with the serial reference
 *
 * Returns: the result that ms_window_engine_call_finish() hands out, or %NULL with @error set
 */
typedef gpointer (*MsWindowEngineFunc)(MsContext *context, GCancellable *cancellable, gpointer data, GError **error);

/**
 * MsWindowEngineCall:
 * @func: runs on the engine's thread when no filter request waits
 * @data: (transfer full): for @func, freed with @free_data
 * @free_result: frees a result that nobody takes
 */
typedef struct {
  MsWindowEngineFunc func;
  gpointer data;
  GDestroyNotify free_data;
  GDestroyNotify free_result;
} MsWindowEngineCall;

void ms_window_engine_call_async(MsWindowEngine *self, const MsWindowEngineCall *call, GCancellable *cancellable,
                                 GAsyncReadyCallback callback, gpointer user_data);
gpointer ms_window_engine_call_finish(MsWindowEngine *self, GAsyncResult *result, GError **error);
