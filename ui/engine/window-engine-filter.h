/* SPDX-License-Identifier: MIT */
/* Filters an image on the device of the window. */
#pragma once

#include "ui/engine/window-engine.h"

/**
 * MsWindowEngineRequest: a filter request; its members are copied or referenced.
 * @visible: (nullable): the part to compute and report first
 * @events: called during the run
 */
typedef struct {
  MsImage *source;
  const MsSettings *settings;
  const MsRegion *visible;
  const MsFilterEvents *events;
} MsWindowEngineRequest;

void ms_window_engine_filter_async(MsWindowEngine *self, const MsWindowEngineRequest *request,
                                   GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data);
MsRun *ms_window_engine_filter_finish(MsWindowEngine *self, GAsyncResult *result, GError **error);
