/* SPDX-License-Identifier: MIT */
/* Runs a function with a time limit, in a new thread that is left running if the function does not return in time. */
#pragma once

#include <gio/gio.h>

/**
 * MsDetachedCall:
 * @work: called in the new thread; should return once its cancellable is cancelled
 * @data: for @work
 * @free_data: (nullable): called in the new thread when @work has returned
 * @limit_s: seconds until the cancellable is cancelled; 0 for no limit
 * @grace_s: seconds that @work has to return after it was cancelled
 */
typedef struct {
  void (*work)(gpointer data, GCancellable *cancellable);
  gpointer data;
  GDestroyNotify free_data;
  double limit_s;
  double grace_s;
} MsDetachedCall;

gboolean ms_detached_run(const MsDetachedCall *call, GCancellable *parent);
guint ms_detached_count(void);
void ms_detached_wait(void);
