/* SPDX-License-Identifier: MIT */
/*
 * Scope-bound ownership of OpenCL handles: g_auto(cl_mem) and the like are released at the end of their scope;
 * g_steal_pointer() passes them on.
 */
#pragma once

#include <CL/cl.h>
#include <glib.h>

G_DEFINE_AUTO_CLEANUP_FREE_FUNC(cl_mem, clReleaseMemObject, NULL)
G_DEFINE_AUTO_CLEANUP_FREE_FUNC(cl_kernel, clReleaseKernel, NULL)
G_DEFINE_AUTO_CLEANUP_FREE_FUNC(cl_program, clReleaseProgram, NULL)
G_DEFINE_AUTO_CLEANUP_FREE_FUNC(cl_event, clReleaseEvent, NULL)
G_DEFINE_AUTO_CLEANUP_FREE_FUNC(cl_context, clReleaseContext, NULL)
G_DEFINE_AUTO_CLEANUP_FREE_FUNC(cl_command_queue, clReleaseCommandQueue, NULL)
