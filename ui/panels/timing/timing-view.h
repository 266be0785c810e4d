/* SPDX-License-Identifier: MIT */
/*
 * MsTimingView: the times of the shown run by stage and kernel, as a table and a bar, beside those of the run on side
 * A; building is separate.
 */
#pragma once

#include "core/opencl/timing.h"
#include "ui/panels/common/panel.h"

#define MS_TYPE_TIMING_VIEW (ms_timing_view_get_type())
G_DECLARE_FINAL_TYPE(MsTimingView, ms_timing_view, MS, TIMING_VIEW, MsPanel)

/**
 * MsTimingRow: all launches of one kernel, or all transfers in one direction.
 * @name: (nullable): the kernel's function, or what was built
 * @first: index in the log of the first launch
 * @queued_ms: sum of the times between queueing and submitting, NAN where one of them is unknown
 * @submitted_ms: the same, between submitting and starting
 * @run_ms: the same, between starting and ending
 * @gb_per_s: bytes over @run_ms; NAN where that is not known
 */
typedef struct {
  MsStage stage;
  const char *name;
  guint first;
  guint launches;
  double queued_ms;
  double submitted_ms;
  double run_ms;
  guint64 bytes;
  double gb_per_s;
} MsTimingRow;

GArray *ms_timing_rows_collect(MsTimingLog *log);
gboolean ms_timing_row_moves_device_memory(const MsTimingRow *self);
char *ms_timing_row_title(const MsTimingRow *self);
