/* SPDX-License-Identifier: MIT */
/* Filters an image on the device of the window. */
#pragma once

#include "ui/engine/window-engine.h"

G_BEGIN_DECLS

/**
 * MsWantedFilter: a request; all is copied or referenced when it is made.
 * @visible: (nullable): the part to compute and tell first
 * @events: told meanwhile
 */
typedef struct {
  MsImage *source;
  const MsSettings *settings;
  const MsRegion *visible;
  const MsFilterEvents *events;
} MsWantedFilter;

void ms_window_engine_filter_async(MsWindowEngine *self, const MsWantedFilter *wanted, GCancellable *cancellable,
                                   GAsyncReadyCallback callback, gpointer user_data);
MsRun *ms_window_engine_filter_finish(MsWindowEngine *self, GAsyncResult *result, GError **error);

G_END_DECLS
