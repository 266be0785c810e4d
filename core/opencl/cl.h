/* SPDX-License-Identifier: MIT */
/*
 * Scope-bound ownership of OpenCL handles: g_auto(cl_mem) and the like are released at the end of their scope;
 * g_steal_pointer() passes them on.
 */
#pragma once

#include <CL/cl.h>
#include <glib.h>

#include "core/error.h"

G_DEFINE_AUTO_CLEANUP_FREE_FUNC(cl_mem, clReleaseMemObject, NULL)
G_DEFINE_AUTO_CLEANUP_FREE_FUNC(cl_kernel, clReleaseKernel, NULL)
G_DEFINE_AUTO_CLEANUP_FREE_FUNC(cl_program, clReleaseProgram, NULL)
G_DEFINE_AUTO_CLEANUP_FREE_FUNC(cl_event, clReleaseEvent, NULL)
G_DEFINE_AUTO_CLEANUP_FREE_FUNC(cl_context, clReleaseContext, NULL)
G_DEFINE_AUTO_CLEANUP_FREE_FUNC(cl_command_queue, clReleaseCommandQueue, NULL)

const char *ms_cl_status_name(cl_int status);
gboolean ms_cl_check(cl_int status, GError **error, const char *doing_format, ...) G_GNUC_PRINTF(3, 4);

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

cl_int ms_cl_finish(cl_command_queue queue);
gboolean ms_kernel_set_args(cl_kernel kernel, const char *name, const MsKernelArg *args, guint n, GError **error);
