/* SPDX-License-Identifier: MIT */
/* Arrays in image objects: four elements a texel, rows of the plan's width. */
#pragma once

#include "core/reduce/reduce.h"

/** MsReduceImage: an image for arrays of a plan. */
typedef struct {
  MsContext *context;
  const MsReducePlan *plan;
  cl_mem image;
} MsReduceImage;

cl_mem ms_reduce_image_new(MsContext *context, const MsReducePlan *plan, guint64 n, GError **error);
gboolean ms_reduce_image_fill(const MsReduceImage *self, const MsReduceInput *input, MsTimingLog *log, GError **error);
