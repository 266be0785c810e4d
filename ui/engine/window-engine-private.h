/* SPDX-License-Identifier: MIT */
/* The fields of MsWindowEngine, shared by window-engine.c and window-engine-filter.c. */
#pragma once

#include "ui/engine/window-engine.h"
#include "ui/engine/worker.h"

struct _MsWindowEngine {
  GObject parent_instance;
  MsWorker *worker;
  MsRates *rates; /* of the runs of all pictures */
  MsWindowEngineState state;
  char *device_selector;
  MsDevice *device;
  GPtrArray *devices;
  char *explanation;
  GError *problem;
  guint watchdog_ms;
  guint pulse;
  guint openings;
  GPtrArray *holders; /* GCancellable of the measurements that use the device or wait for it */
};
