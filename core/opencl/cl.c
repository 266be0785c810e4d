/* SPDX-License-Identifier: MIT */
#include "core/opencl/cl.h"

#include <glib/gi18n-lib.h>

/* clang-format off */
#define STATUS(code) {code, #code},

static const struct {
  cl_int status;
  const char *name;
} status_names[] = {
  STATUS(CL_SUCCESS) STATUS(CL_DEVICE_NOT_FOUND) STATUS(CL_DEVICE_NOT_AVAILABLE) STATUS(CL_COMPILER_NOT_AVAILABLE)
  STATUS(CL_MEM_OBJECT_ALLOCATION_FAILURE) STATUS(CL_OUT_OF_RESOURCES) STATUS(CL_OUT_OF_HOST_MEMORY)
  STATUS(CL_PROFILING_INFO_NOT_AVAILABLE) STATUS(CL_MEM_COPY_OVERLAP) STATUS(CL_IMAGE_FORMAT_MISMATCH)
  STATUS(CL_IMAGE_FORMAT_NOT_SUPPORTED) STATUS(CL_BUILD_PROGRAM_FAILURE) STATUS(CL_MAP_FAILURE)
  STATUS(CL_MISALIGNED_SUB_BUFFER_OFFSET) STATUS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
  STATUS(CL_COMPILE_PROGRAM_FAILURE) STATUS(CL_LINKER_NOT_AVAILABLE) STATUS(CL_LINK_PROGRAM_FAILURE)
  STATUS(CL_INVALID_VALUE) STATUS(CL_INVALID_DEVICE_TYPE) STATUS(CL_INVALID_PLATFORM) STATUS(CL_INVALID_DEVICE)
  STATUS(CL_INVALID_CONTEXT) STATUS(CL_INVALID_QUEUE_PROPERTIES) STATUS(CL_INVALID_COMMAND_QUEUE)
  STATUS(CL_INVALID_HOST_PTR) STATUS(CL_INVALID_MEM_OBJECT) STATUS(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR)
  STATUS(CL_INVALID_IMAGE_SIZE) STATUS(CL_INVALID_SAMPLER) STATUS(CL_INVALID_BINARY) STATUS(CL_INVALID_BUILD_OPTIONS)
  STATUS(CL_INVALID_PROGRAM) STATUS(CL_INVALID_PROGRAM_EXECUTABLE) STATUS(CL_INVALID_KERNEL_NAME)
  STATUS(CL_INVALID_KERNEL_DEFINITION) STATUS(CL_INVALID_KERNEL) STATUS(CL_INVALID_ARG_INDEX)
  STATUS(CL_INVALID_ARG_VALUE) STATUS(CL_INVALID_ARG_SIZE) STATUS(CL_INVALID_KERNEL_ARGS)
  STATUS(CL_INVALID_WORK_DIMENSION) STATUS(CL_INVALID_WORK_GROUP_SIZE) STATUS(CL_INVALID_WORK_ITEM_SIZE)
  STATUS(CL_INVALID_GLOBAL_OFFSET) STATUS(CL_INVALID_EVENT_WAIT_LIST) STATUS(CL_INVALID_EVENT)
  STATUS(CL_INVALID_OPERATION) STATUS(CL_INVALID_BUFFER_SIZE) STATUS(CL_INVALID_GLOBAL_WORK_SIZE)
  STATUS(CL_INVALID_PROPERTY)
  {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
};
/* clang-format on */

/**
 * ms_cl_status_name:
 * @status: what an OpenCL call returned
 *
 * Returns: (transfer none): the name in the standard's header, or "unknown OpenCL status"
 */
const char *
ms_cl_status_name(cl_int status)
{
  for (gsize i = 0; i < G_N_ELEMENTS(status_names); i++)
    if (status_names[i].status == status)
      return status_names[i].name;
  return "unknown OpenCL status";
}

static MsError
error_class(cl_int status)
{
  switch (status) {
  case CL_MEM_OBJECT_ALLOCATION_FAILURE:
  case CL_OUT_OF_HOST_MEMORY:
  case CL_INVALID_BUFFER_SIZE:
    return MS_ERROR_MEMORY;
  case CL_DEVICE_NOT_FOUND:
  case CL_DEVICE_NOT_AVAILABLE:
  case -1001:
    return MS_ERROR_NO_DEVICE;
  case CL_BUILD_PROGRAM_FAILURE:
    return MS_ERROR_BUILD;
  default:
    return MS_ERROR_DEVICE;
  }
}

/**
 * ms_cl_check:
 * @status: what an OpenCL call returned
 * @error: return location for a GError in #MS_ERROR
 * @doing_format: the operation as a gerund, as in "uploading the image"
 *
 * Returns: %TRUE when @status is CL_SUCCESS, else %FALSE with @error set
 */
gboolean
ms_cl_check(cl_int status, GError **error, const char *doing_format, ...)
{
  const char *name = ms_cl_status_name(status);
  va_list args, again;

  if (status == CL_SUCCESS)
    return TRUE;
  va_start(args, doing_format);
  va_copy(again, args);
  g_autofree char *translated = g_strdup_vprintf(_(doing_format), args);
  g_autofree char *english = g_strdup_vprintf(doing_format, again);
  va_end(again);
  va_end(args);
  ms_error_take(error, error_class(status),
                g_strdup_printf(_("OpenCL failed while %s: %s (%d)."), translated, name, status),
                g_strdup_printf("OpenCL failed while %s: %s (%d).", english, name, status));
  return FALSE;
}

/** ms_kernel_set_args: sets the arguments 0 to @n - 1 of the kernel called @name. */
gboolean
ms_kernel_set_args(cl_kernel kernel, const char *name, const MsKernelArg *args, guint n, GError **error)
{
  for (cl_uint i = 0; i < n; i++)
    if (!ms_cl_check(clSetKernelArg(kernel, i, args[i].size, args[i].value), error,
                     "setting argument %u of the kernel %s", i, name))
      return FALSE;
  return TRUE;
}

/**
 * ms_cl_finish: waits for everything enqueued, with a barrier as the last command: clFinish of Mesa 22.3 waits only for
 * what was enqueued since the last clFlush.
 */
cl_int
ms_cl_finish(cl_command_queue queue)
{
  (void)clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL);
  return clFinish(queue);
}
