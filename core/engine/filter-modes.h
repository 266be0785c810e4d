/* SPDX-License-Identifier: MIT */
/* Filters an image on a device or by the serial reference, and keeps the mode of each pixel for its regions. */
#pragma once

#include "core/filter/mean-shift.h"

/**
 * MsModesRun:
 * @log: (nullable) (transfer none): gets the device's rows
 * @progress: (nullable): called after each row of the serial reference
 * @cancellable: (nullable) (transfer none)
 * @modes: (out) (transfer full): column and row at which each pixel converges, two numbers a pixel; set on success
 */
typedef struct {
  MsTimingLog *log;
  MsProgressFunc progress;
  gpointer progress_data;
  GCancellable *cancellable;
  guint16 *modes;
} MsModesRun;

/** MsModesFilter: filters @request, whose modes have memory; @filter is the caller's. */
typedef MsImage *(*MsModesFilter)(gpointer filter, const MsFilterRequest *request, GError **error);

MsImage *ms_filter_modes_run_by(MsModesFilter func, gpointer filter, const MsFilterRequest *request, MsModesRun *run,
                                GError **error);
MsImage *ms_filter_modes_run_on(MsMeanShift *filter, MsImage *source, const MsSettings *settings, MsModesRun *run,
                                GError **error);
MsImage *ms_filter_modes_run(MsContext *context, MsImage *source, const MsSettings *settings, MsModesRun *run,
                             GError **error);
