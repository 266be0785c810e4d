/* SPDX-License-Identifier: MIT */
/*
 * MsReducer: runs a reduction plan on a device, any number of times, over host arrays or device buffers.
 */
#pragma once

#include <gio/gio.h>

#include "core/opencl/context.h"
#include "core/reduce/reduce-plan.h"

/**
 * MsReduceInput: an array of @n elements.
 * @host: (nullable): its elements in host memory. An array aligned to 128 bytes is not copied where host and device
 *   share memory; any other is uploaded, in chunks where it exceeds the device's memory
 * @buffer: where @host is %NULL, a buffer of the reducer's context that has the elements, from element @first on
 */
typedef struct {
  const void *host;
  cl_mem buffer;
  guint64 first;
  guint64 n;
} MsReduceInput;

/**
 * MsReduceJob: the state that all steps of one reduction share.
 * @result: (inout): the result of the elements folded so far; undefined on failure
 * @log: (nullable): gets uploads, kernels and downloads
 * @cancellable: (nullable): checked after each chunk
 */
typedef struct {
  MsReduceResult *result;
  MsTimingLog *log;
  GCancellable *cancellable;
} MsReduceJob;

/** MsReduceRequest: a reduction and the variant of the kernels that computes it. */
typedef struct {
  MsReduceSpec spec;
  MsReduceOptions options;
} MsReduceRequest;

typedef struct _MsReducer MsReducer;

MsReducer *ms_reducer_new(MsContext *context, const MsReducePlan *plan, MsTimingLog *log, GError **error);
void ms_reducer_free(MsReducer *self);
gboolean ms_reducer_run(MsReducer *self, const MsReduceInput *input, const MsReduceJob *job, GError **error);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsReducer, ms_reducer_free)

gboolean ms_reduce_array(MsContext *context, const MsReduceRequest *request, const MsReduceInput *input,
                         const MsReduceJob *job, GError **error);
