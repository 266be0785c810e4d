/* SPDX-License-Identifier: MIT */
/* MsMeanShift: runs plans on one device and keeps its buffers there between runs. */
#pragma once

#include "core/filter/job.h"
#include "core/opencl/context.h"

typedef struct _MsMeanShift MsMeanShift;

MsMeanShift *ms_mean_shift_new(MsContext *context);
void ms_mean_shift_free(MsMeanShift *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsMeanShift, ms_mean_shift_free)

MsContext *ms_mean_shift_get_context(MsMeanShift *self);
void ms_mean_shift_set_memory_budget(MsMeanShift *self, guint64 bytes);

void ms_mean_shift_set_shares_device(MsMeanShift *self, gboolean shares_device);
void ms_mean_shift_set_pins_results(MsMeanShift *self, gboolean pins_results);

MsPlan *ms_mean_shift_plan(MsMeanShift *self, const MsJob *job, GError **error);
MsImage *ms_mean_shift_run(MsMeanShift *self, MsJob *job, GError **error);
