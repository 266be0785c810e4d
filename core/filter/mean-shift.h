/* SPDX-License-Identifier: MIT */
/* MsMeanShift: runs plans on one device and keeps its buffers there between runs. */
#pragma once

#include "core/filter/plan/planner.h"
#include "core/filter/reference.h"
#include "core/opencl/context.h"

G_BEGIN_DECLS

#define MS_TYPE_MEAN_SHIFT (ms_mean_shift_get_type())
G_DECLARE_FINAL_TYPE(MsMeanShift, ms_mean_shift, MS, MEAN_SHIFT, GObject)

MsMeanShift *ms_mean_shift_new(MsContext *context);
MsContext *ms_mean_shift_get_context(MsMeanShift *self);
void ms_mean_shift_set_memory_budget(MsMeanShift *self, guint64 bytes);
void ms_mean_shift_set_progress(MsMeanShift *self, MsProgressFunc progress, gpointer user_data);
void ms_mean_shift_set_pipelined(MsMeanShift *self, gboolean pipelined);
void ms_mean_shift_set_early_rows(MsMeanShift *self, gboolean early_rows);

MsPlan *ms_mean_shift_plan(MsMeanShift *self, MsImage *source, const MsSettings *settings, const MsRegion *region,
                           GError **error);
MsImage *ms_mean_shift_run_plan(MsMeanShift *self, MsImage *source, const MsPlan *plan, MsTimingLog *log,
                                GCancellable *cancellable, GError **error);
MsImage *ms_mean_shift_run_with_modes(MsMeanShift *self, MsImage *source, const MsSettings *settings, guint16 *modes,
                                      MsTimingLog *log, GCancellable *cancellable, GError **error);
MsImage *ms_mean_shift_run(MsMeanShift *self, MsImage *source, const MsSettings *settings, const MsRegion *region,
                           MsTimingLog *log, GCancellable *cancellable, GError **error);
gboolean ms_mean_shift_run_plan_into(MsMeanShift *self, MsImage *source, const MsPlan *plan, guint8 *pixels,
                                     MsTimingLog *log, GCancellable *cancellable, GError **error);

G_END_DECLS
