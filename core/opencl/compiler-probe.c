/* SPDX-License-Identifier: MIT */
#include "core/opencl/compiler-probe.h"

#include "core/opencl/program.h"

/* On narrower registers such vectors are no faster, so the probe is not compiled. */
#define LEAST_VECTOR_BYTES 32

static gboolean
builds(cl_context context, MsDevice *device, const char *cache_folder, const char *const *parts)
{
  g_autoptr(MsProgramSpec) spec = ms_program_spec_new();
  g_autoptr(GError) error = NULL;

  for (; *parts; parts++)
    ms_program_spec_add_part(spec, *parts);
  g_autoptr(MsProgram) program = ms_program_build(context, device, spec, cache_folder, &error);
  if (!program)
    g_debug("%s", error->message);
  return program != NULL;
}

/**
 * ms_compiler_probe:
 * @cache_folder: (nullable): folder of built programs, which saves later processes the compilation
 *
 * Returns: whether @device is a processor whose compiler takes clang's vectors of thirty-two lanes with their shuffles,
 *   and the products of bytes of AVX-512, which OpenCL C does not have
 */
MsCompilerExtensions
ms_compiler_probe(cl_context context, MsDevice *device, const char *cache_folder)
{
  static const char *const bytes[] = {"rows/lanes-32.cl",
                                      "rows/fold.cl",
                                      "rows/probe-lanes.cl",
                                      "rows/distance-16.cl",
                                      "rows/colour-bytes.cl",
                                      "rows/probe-bytes.cl",
                                      NULL};
  static const char *const lanes[] = {"rows/lanes-32.cl", "rows/fold.cl", "rows/probe-lanes.cl", NULL};
  const MsDeviceLimits *limits = ms_device_get_limits(device);

  if (limits->type != MS_DEVICE_TYPE_CPU || limits->vector_bytes < LEAST_VECTOR_BYTES)
    return (MsCompilerExtensions){FALSE, FALSE};
  if (builds(context, device, cache_folder, bytes))
    return (MsCompilerExtensions){TRUE, TRUE};
  return (MsCompilerExtensions){builds(context, device, cache_folder, lanes), FALSE};
}
