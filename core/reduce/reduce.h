/* SPDX-License-Identifier: MIT */
/*
 * MsReducer: runs one reduction plan on one device, again and again, over host arrays, device buffers or image
 * channels.
 */
#pragma once

#include <gio/gio.h>

#include "core/opencl/context.h"
#include "core/reduce/reduce-plan.h"

G_BEGIN_DECLS

#define MS_TYPE_REDUCER (ms_reducer_get_type())
G_DECLARE_FINAL_TYPE(MsReducer, ms_reducer, MS, REDUCER, GObject)

MsReducer *ms_reducer_new(MsContext *context, const MsReducePlan *plan, MsTimingLog *log, GError **error);
gboolean ms_reducer_run_host(MsReducer *self, const void *data, guint64 n, MsReduceResult *result, MsTimingLog *log,
                             GCancellable *cancellable, GError **error);
gboolean ms_reducer_run_buffer(MsReducer *self, cl_mem buffer, guint64 first, guint64 n, MsReduceResult *result,
                               MsTimingLog *log, GCancellable *cancellable, GError **error);

gboolean ms_reduce_array(MsContext *context, const MsReduceSpec *spec, const MsReduceOptions *options, const void *data,
                         guint64 n, MsReduceResult *result, MsTimingLog *log, GCancellable *cancellable,
                         GError **error);

G_END_DECLS
