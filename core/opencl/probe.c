/* SPDX-License-Identifier: MIT */
#include "core/opencl/probe.h"

#include "core/opencl/cl-error.h"
#include "core/opencl/context-transfer.h"

static gboolean
run_probe(MsContext *context, cl_kernel kernel, cl_mem buffer, GError **error)
{
  MsNDRange range = {.dimensions = 1, .global = {64}};
  guint32 values[64] = {0};

  if (!ms_cl_check(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), error, "setting an argument") ||
      !ms_context_launch(context, &(MsLaunch){kernel, "probe", range, 0}, NULL, error) ||
      !ms_context_download(context, &(MsBufferRange){buffer, 0, sizeof values}, values, NULL, error))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS(values); i++) {
    if (values[i] == i * i + 1)
      continue;
    ms_set_error(error, MS_ERROR_DEVICE, "The device %s computes a trivial kernel wrongly.",
                 ms_device_get_name(ms_context_get_device(context)));
    return FALSE;
  }
  return TRUE;
}

/** ms_context_probe: builds and runs a trivial kernel; %FALSE says why the device cannot be used. */
gboolean
ms_context_probe(MsContext *context, GError **error)
{
  g_autoptr(MsProgramSpec) spec = ms_program_spec_new();
  g_auto(cl_kernel) kernel = NULL;
  g_auto(cl_mem) buffer = NULL;
  MsProgram *program;

  ms_program_spec_add_part(spec, "probe.cl");
  program = ms_context_build(context, spec, NULL, error);
  if (!program)
    return FALSE;
  kernel = ms_program_create_kernel(program, "probe", error);
  if (!kernel)
    return FALSE;
  buffer = ms_context_create_buffer(context, CL_MEM_READ_WRITE, 64 * sizeof(guint32), NULL, error);
  return buffer && run_probe(context, kernel, buffer, error);
}
