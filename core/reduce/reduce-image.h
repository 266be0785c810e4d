/* SPDX-License-Identifier: MIT */
/* Arrays in image objects: four elements a texel, rows of the plan's width. */
#pragma once

#include "core/opencl/context.h"
#include "core/reduce/reduce-plan.h"

G_BEGIN_DECLS

/**
 * MsReduceInput: an array of @n elements.
 * @host: (nullable): its elements in host memory; %NULL where they are in @buffer, from element @first on
 */
typedef struct {
  const guint8 *host;
  cl_mem buffer;
  guint64 first;
  guint64 n;
} MsReduceInput;

cl_mem ms_reduce_image_new(MsContext *context, const MsReducePlan *plan, guint64 n, GError **error);
gboolean ms_reduce_image_fill(MsContext *context, const MsReducePlan *plan, cl_mem image, const MsReduceInput *input,
                              MsTimingLog *log, GError **error);

G_END_DECLS
