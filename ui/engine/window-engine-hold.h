/* SPDX-License-Identifier: MIT */
/* Keeps the window's requests waiting while a measurement has the device to itself. */
#pragma once

#include "ui/engine/window-engine.h"

void ms_window_engine_hold_async(MsWindowEngine *self, GCancellable *cancellable, GAsyncReadyCallback callback,
                                 gpointer user_data);
gboolean ms_window_engine_hold_finish(MsWindowEngine *self, GAsyncResult *result, GError **error);
void ms_window_engine_release(MsWindowEngine *self, GCancellable *cancellable);
gboolean ms_window_engine_is_held(MsWindowEngine *self);
void ms_window_engine_cancel_holders(MsWindowEngine *self);
