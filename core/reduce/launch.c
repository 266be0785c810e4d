/* SPDX-License-Identifier: MIT */
#include "core/reduce/launch.h"

#include "core/opencl/cl.h"
#include "core/opencl/context.h"

/* Alignment that a host pointer needs to be used in place: the widest vector of OpenCL. */
#define HOST_ALIGNMENT 128

/** ms_kernel_new: (transfer full): a kernel of the program, which is built first if necessary. */
cl_kernel
ms_kernel_new(MsContext *context, MsProgramSpec *spec, const char *name, MsTimingLog *log, GError **error)
{
  MsProgram *program = ms_context_build(context, spec, log, error);

  return program ? ms_program_create_kernel(program, name, error) : NULL;
}

/**
 * ms_device_array_new:
 * @data: must outlive the buffer, which uses it in place where host and device share memory
 *
 * Returns: (transfer full): a read-only buffer of @bytes bytes with that content
 */
cl_mem
ms_device_array_new(MsContext *context, const void *data, gsize bytes, MsTimingLog *log, GError **error)
{
  g_auto(cl_mem) buffer = NULL;

  if (context->device->limits.host_unified && (guintptr)data % HOST_ALIGNMENT == 0)
    return ms_context_create_buffer(context, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, bytes, (gpointer)data, error);
  buffer = ms_context_create_buffer(context, CL_MEM_READ_ONLY, bytes, NULL, error);
  if (!buffer || !ms_context_upload(context, &(MsBufferRange){buffer, 0, bytes}, data, log, error))
    return NULL;
  return g_steal_pointer(&buffer);
}

/** ms_device_zeros_new: (transfer full): a buffer of zeros; @bytes is a multiple of 4. */
cl_mem
ms_device_zeros_new(MsContext *context, gsize bytes, GError **error)
{
  const cl_uint zero = 0;
  g_auto(cl_mem) buffer = ms_context_create_buffer(context, CL_MEM_READ_WRITE, bytes, NULL, error);

  if (!buffer || !ms_cl_check(clEnqueueFillBuffer(context->queue, buffer, &zero, sizeof zero, 0, bytes, 0, NULL, NULL),
                              error, "clearing a buffer"))
    return NULL;
  return g_steal_pointer(&buffer);
}
