/* SPDX-License-Identifier: MIT */
#include "core/opencl/compiler-probe.h"

#include "core/opencl/program.h"

/* On narrower registers such vectors are no faster, so the probe is not compiled. */
#define LEAST_VECTOR_BYTES 32

/**
 * ms_compiler_has_clang_vectors:
 * @cache_folder: (nullable): folder of built programs, which saves later processes the compilation
 *
 * Returns: whether @device is a processor whose compiler takes clang's vectors of thirty-two lanes with their shuffles,
 *   which OpenCL C does not have
 */
gboolean
ms_compiler_has_clang_vectors(cl_context context, MsDevice *device, const char *cache_folder)
{
  const MsDeviceLimits *limits = ms_device_get_limits(device);
  g_autoptr(MsProgramSpec) spec = ms_program_spec_new();
  g_autoptr(GError) error = NULL;

  if (limits->type != MS_DEVICE_TYPE_CPU || limits->vector_bytes < LEAST_VECTOR_BYTES)
    return FALSE;
  ms_program_spec_add_part(spec, "rows/lanes-32.cl");
  ms_program_spec_add_part(spec, "rows/fold.cl");
  ms_program_spec_add_part(spec, "rows/probe-lanes.cl");
  g_autoptr(MsProgram) program = ms_program_build(context, device, spec, cache_folder, &error);
  if (!program)
    g_debug("%s", error->message);
  return program != NULL;
}
