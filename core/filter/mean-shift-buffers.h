/* SPDX-License-Identifier: MIT */
/* MsFilterBuffers: the device memory of a filter, kept between its runs so that a repeated run allocates nothing. */
#pragma once

#include "core/filter/plan/plan.h"
#include "core/opencl/context.h"

/** MsDeviceBuffer: a device buffer that only grows. */
typedef struct {
  cl_mem mem;
  gsize bytes;
} MsDeviceBuffer;

/**
 * MsFilterBuffers: all zero before the first run.
 * @modes: for plans with modes
 * @mask: for plans with a mask
 * @edges: a byte for each pixel of the level above, for plans with a mask
 * @tables: for plans that convert colours
 */
typedef struct {
  MsDeviceBuffer source;
  MsDeviceBuffer result;
  MsDeviceBuffer modes;
  MsDeviceBuffer mask;
  MsDeviceBuffer edges;
  MsDeviceBuffer scratch[MS_PLAN_MAX_SCRATCH];
  cl_mem tables;
  cl_mem image;
  gsize image_width;
  gsize image_height;
} MsFilterBuffers;

/** MsStripeRows: the rows of a stripe: @source of the image, and @result of the region. */
typedef struct {
  int source;
  int result;
} MsStripeRows;

gboolean ms_filter_buffers_reserve(MsFilterBuffers *self, MsContext *context, const MsPlan *plan, MsStripeRows rows,
                                   GError **error);
gboolean ms_filter_buffers_clear_scratch(MsFilterBuffers *self, MsContext *context, const MsPlan *plan, GError **error);
void ms_filter_buffers_release(MsFilterBuffers *self);
