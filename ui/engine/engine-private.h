/* SPDX-License-Identifier: MIT */
/*
 * The inside of MsEngine: engine.c keeps the device and its worker, engine-filter.c carries filter requests there and
 * back.
 */
#pragma once

#include "ui/engine/engine.h"
#include "ui/engine/worker.h"

G_BEGIN_DECLS

struct _MsEngine {
  GObject parent_instance;
  MsWorker *worker;
  MsEngineState state;
  char *device_selector;
  MsDevice *device;
  GPtrArray *devices;
  char *explanation;
  GError *problem;
  guint watchdog_ms;
  guint pulse;
  guint openings;
};

G_END_DECLS
