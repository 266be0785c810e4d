/* SPDX-License-Identifier: MIT */
#include "core/opencl/device-clock.h"

#include "core/opencl/cl.h"
#include "core/opencl/program.h"
#include "core/opencl/timing.h"
#include "core/opencl/transfers.h"

/* A kernel is long enough to be compared with the clock from this time on. */
#define LEAST_WALL_NS 4e6

/* Work-items, at first and at most; eight times as many at each try. */
#define FIRST_ITEMS ((gsize)1 << 12)
#define MOST_ITEMS ((gsize)1 << 27)

/* On a busy machine a wait may end late: one try of several that agrees is enough. */
#define TRIES 4

/* By how much the event of a long kernel may differ from the clock. */
#define MOST_FACTOR 2.0

/** ms_device_clock_is_known: whether drivers of its kind are known to time their commands. */
gboolean
ms_device_clock_is_known(MsDevice *device)
{
  return device->limits.nvidia_capability > 0 || ms_device_is_pocl(device);
}

/** ms_device_clock_agrees: whether the times of an event can be those of a kernel that took @wall_ns by the clock. */
gboolean
ms_device_clock_agrees(guint64 started_ns, guint64 ended_ns, double wall_ns)
{
  const double ns = (double)ended_ns - (double)started_ns;

  return ms_duration_is_known(started_ns, ended_ns) && ns * MOST_FACTOR >= wall_ns && ns <= MOST_FACTOR * wall_ns;
}

/* Runs the kernel once; %FALSE if the device cannot. */
static gboolean
run_probe(MsContext *context, cl_kernel kernel, gsize items, double *wall_ns, gboolean *agrees)
{
  const MsLaunch launch = {kernel, "clock_probe", {.dimensions = 1, .global = {items}}, 0};
  g_autoptr(MsTimingLog) log = ms_timing_log_new();

  const gint64 before_us = g_get_monotonic_time();
  if (!ms_context_launch(context, &launch, log, NULL) || !ms_context_finish(context, NULL))
    return FALSE;
  *wall_ns = (double)(g_get_monotonic_time() - before_us) * 1e3;
  const MsTiming *row = ms_timing_log_get(log, 0);
  *agrees = ms_timing_log_resolve(log, NULL) && ms_device_clock_agrees(row->started_ns, row->ended_ns, *wall_ns);
  return TRUE;
}

/**
 * ms_device_clock_probe: runs a kernel that is long enough, some times.
 *
 * Returns: whether the wall clock is to be used; %FALSE also where nothing could be found out
 */
gboolean
ms_device_clock_probe(MsContext *context)
{
  g_autoptr(MsProgramSpec) spec = ms_program_spec_new();
  g_auto(cl_kernel) kernel = NULL;
  g_auto(cl_mem) buffer = NULL;
  gboolean agrees = FALSE;
  double wall_ns = 0;

  ms_program_spec_add_part(spec, "clock-probe.cl");
  kernel = ms_kernel_new(context, spec, "clock_probe", NULL, NULL);
  buffer = kernel ? ms_context_create_buffer(context, CL_MEM_READ_WRITE, sizeof(cl_uint), NULL, NULL) : NULL;
  if (!buffer || clSetKernelArg(kernel, 0, sizeof buffer, &buffer) != CL_SUCCESS)
    return FALSE;
  gsize items = FIRST_ITEMS;
  while (run_probe(context, kernel, items, &wall_ns, &agrees) && wall_ns < LEAST_WALL_NS && items < MOST_ITEMS)
    items *= 8;
  if (wall_ns < LEAST_WALL_NS)
    return FALSE;
  for (guint tries = 1; tries < TRIES && !agrees; tries++)
    if (!run_probe(context, kernel, items, &wall_ns, &agrees))
      return FALSE;
  return !agrees;
}
