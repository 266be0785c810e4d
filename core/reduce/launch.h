/* SPDX-License-Identifier: MIT */
/* Helpers shared by the kernels of this folder: copying data to the device, and summing the kernels' time in a log. */
#pragma once

#include "core/opencl/context.h"
#include "core/opencl/kernel-args.h"

cl_kernel ms_kernel_new(MsContext *context, MsProgramSpec *spec, const char *name, MsTimingLog *log, GError **error);
cl_mem ms_device_array_new(MsContext *context, const void *data, gsize bytes, MsTimingLog *log, GError **error);
cl_mem ms_device_zeros_new(MsContext *context, gsize bytes, GError **error);
double ms_log_kernel_ms(MsTimingLog *log);
guint64 ms_log_kernel_bytes(MsTimingLog *log);
