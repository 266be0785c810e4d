/* SPDX-License-Identifier: MIT */
/* MsKernelArg: an argument of a kernel; all arguments of a kernel are set by one call. */
#pragma once

#include <glib.h>

#include "core/opencl/cl-auto.h"

/** MsKernelArg: one argument; @value of %NULL asks for @size bytes of local memory. */
typedef struct {
  gsize size;
  const void *value;
} MsKernelArg;

#define MS_ARG_OF(variable)                                                                                            \
  {                                                                                                                    \
    sizeof(variable), &(variable)                                                                                      \
  }
#define MS_ARG_LOCAL_BYTES(bytes)                                                                                      \
  {                                                                                                                    \
    (bytes), NULL                                                                                                      \
  }

gboolean ms_kernel_set_args(cl_kernel kernel, const char *name, const MsKernelArg *args, guint n, GError **error);
