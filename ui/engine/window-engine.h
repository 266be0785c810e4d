/* SPDX-License-Identifier: MIT */
/*
 * MsWindowEngine: the queue of everything that the window asks of its device, which another process has. The main loop
 * never waits for that process; when it dies, it is started again and the request is tried once more.
 */
#pragma once

#include "core/engine/engine.h"
#include "core/service/protocol.h"
#include "core/service/shared-image.h"
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
 * "holders-changed" (): a measurement took the device for itself or gave it back;
 * "recovered" (GError): the device was opened again after its process had ended; the message says why, in a sentence
 * and, after a line break, with what the driver said last.
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
GPid ms_window_engine_get_pid(MsWindowEngine *self);

/**
 * MsFilterEvents: callbacks of a running filter request, on the main loop, with the data of the request's own callback;
 * not called after that or after its cancellation.
 * @piece: a part of the result, @region of the source wide and high, visible parts first
 * @progress: the finished share, 0 to 1
 */
typedef struct {
  void (*piece)(MsImage *piece, const MsRegion *region, gpointer user_data);
  void (*progress)(double done, gpointer user_data);
} MsFilterEvents;

/** MsWindowRequest: what is asked of the device; filter requests come before the others, in the order of asking. */
typedef struct _MsWindowRequest MsWindowRequest;

MsWindowRequest *ms_window_request_new(MsRequestKind kind, GVariant *content);
MsWindowRequest *ms_window_request_new_filter(MsImage *source, const MsSettings *settings, const MsRegion *visible,
                                              const MsFilterEvents *events);
void ms_window_request_add_image(MsWindowRequest *self, MsImage *image);

/**
 * MsAnswer: the answer to a request.
 * @content: as the table of answers says; its values are to be checked
 * @fd: the descriptor that it carries, -1 for none
 */
typedef struct {
  GVariant *content;
  int fd;
} MsAnswer;

void ms_answer_free(MsAnswer *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsAnswer, ms_answer_free)

void ms_window_engine_ask_async(MsWindowEngine *self, MsWindowRequest *request, GCancellable *cancellable,
                                GAsyncReadyCallback callback, gpointer user_data);
MsAnswer *ms_window_engine_ask_finish(MsWindowEngine *self, GAsyncResult *result, GError **error);
MsRun *ms_window_engine_filter_finish(MsWindowEngine *self, GAsyncResult *result, GError **error);
void ms_window_engine_refuse_answer(MsWindowEngine *self, GError **error);
void ms_window_engine_enforce_cancel(MsWindowEngine *self, GCancellable *cancellable);

/* Keeps the window's requests waiting while a measurement has the device to itself. */
void ms_window_engine_hold_async(MsWindowEngine *self, GCancellable *cancellable, GAsyncReadyCallback callback,
                                 gpointer user_data);
gboolean ms_window_engine_hold_finish(MsWindowEngine *self, GAsyncResult *result, GError **error);
void ms_window_engine_release(MsWindowEngine *self, GCancellable *cancellable);
gboolean ms_window_engine_is_held(MsWindowEngine *self);
void ms_window_engine_cancel_holders(MsWindowEngine *self);
