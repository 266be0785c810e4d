/* SPDX-License-Identifier: MIT */
/* What the kernels of this folder need first: a kernel that is built, and buffers with data or zeros. */
#pragma once

#include "core/opencl/cl.h"
#include "core/opencl/context.h"

cl_kernel ms_kernel_new(MsContext *context, MsProgramSpec *spec, const char *name, MsTimingLog *log, GError **error);
cl_mem ms_device_array_new(MsContext *context, const void *data, gsize bytes, MsTimingLog *log, GError **error);
cl_mem ms_device_zeros_new(MsContext *context, gsize bytes, GError **error);
