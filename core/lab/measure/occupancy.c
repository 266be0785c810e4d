/* SPDX-License-Identifier: MIT */
#include "core/lab/measure/occupancy.h"

#include <string.h>

const char *const ms_occupancy_limit_names[] = {"work-items", "groups", "registers", "local memory", NULL};

/* A multiprocessor by its compute capability times ten, as in the tables of NVIDIA's programming and tuning guides. */
static const struct {
  guint capability;
  MsOccupancyLimits limits;
} nvidia[] = {
  {20, {32, 48, 8, 32768, 32768, 64, 2, 48 << 10, 128, 0}},
  {21, {32, 48, 8, 32768, 32768, 64, 2, 48 << 10, 128, 0}},
  {30, {32, 64, 16, 65536, 65536, 256, 4, 48 << 10, 256, 0}},
  {32, {32, 64, 16, 65536, 65536, 256, 4, 48 << 10, 256, 0}},
  {35, {32, 64, 16, 65536, 65536, 256, 4, 48 << 10, 256, 0}},
  {37, {32, 64, 16, 131072, 65536, 256, 4, 112 << 10, 256, 0}},
  {50, {32, 64, 32, 65536, 65536, 256, 4, 64 << 10, 256, 0}},
  {52, {32, 64, 32, 65536, 65536, 256, 4, 96 << 10, 256, 0}},
  {53, {32, 64, 32, 65536, 32768, 256, 4, 64 << 10, 256, 0}},
  {60, {32, 64, 32, 65536, 65536, 256, 2, 64 << 10, 256, 0}},
  {61, {32, 64, 32, 65536, 65536, 256, 4, 96 << 10, 256, 0}},
  {62, {32, 64, 32, 65536, 32768, 256, 4, 64 << 10, 256, 0}},
  {70, {32, 64, 32, 65536, 65536, 256, 4, 96 << 10, 256, 0}},
  {72, {32, 64, 32, 65536, 65536, 256, 4, 96 << 10, 256, 0}},
  {75, {32, 32, 16, 65536, 65536, 256, 4, 64 << 10, 256, 0}},
  {80, {32, 64, 32, 65536, 65536, 256, 4, 164 << 10, 128, 1024}},
  {86, {32, 48, 16, 65536, 65536, 256, 4, 100 << 10, 128, 1024}},
  {87, {32, 48, 16, 65536, 65536, 256, 4, 164 << 10, 128, 1024}},
  {89, {32, 48, 24, 65536, 65536, 256, 4, 100 << 10, 128, 1024}},
  {90, {32, 64, 32, 65536, 65536, 256, 4, 228 << 10, 128, 1024}},
  {100, {32, 64, 32, 65536, 65536, 256, 4, 228 << 10, 128, 1024}},
};

/**
 * ms_occupancy_limits_of_nvidia:
 * @capability: compute capability times ten
 *
 * The local memory is the most that a multiprocessor can have; from capability 7.0 on the driver may give it less.
 *
 * Returns: %FALSE where the limits of this capability are not known here
 */
gboolean
ms_occupancy_limits_of_nvidia(guint capability, MsOccupancyLimits *limits)
{
  for (gsize i = 0; i < G_N_ELEMENTS(nvidia); i++)
    if (nvidia[i].capability == capability) {
      *limits = nvidia[i].limits;
      return TRUE;
    }
  return FALSE;
}

static guint64
round_up(guint64 value, guint64 unit)
{
  return (value + unit - 1) / unit * unit;
}

/* How many groups of @warps warps the registers suffice for: a warp has registers of one partition. */
static guint64
groups_by_registers(const MsOccupancyLimits *limits, guint registers, guint64 warps)
{
  const guint64 of_warp = round_up((guint64)registers * limits->warp, limits->register_unit);

  if (of_warp * round_up(warps, limits->partitions) > limits->registers_of_group)
    return 0;
  return limits->registers / limits->partitions / of_warp * limits->partitions / warps;
}

/** ms_occupancy_compute: by the rules of NVIDIA's occupancy calculator. */
MsOccupancy
ms_occupancy_compute(const MsOccupancyLimits *limits, const MsKernelNeeds *needs)
{
  const guint64 warps = MAX(round_up(needs->group_size, limits->warp) / limits->warp, 1);
  const guint64 local_bytes = round_up(needs->local_bytes + limits->local_reserved, limits->local_unit);
  const guint64 most[] = {
    [MS_LIMIT_WARPS] = limits->warps / warps,
    [MS_LIMIT_GROUPS] = limits->groups,
    [MS_LIMIT_REGISTERS] = groups_by_registers(limits, MAX(needs->registers, 1), warps),
    [MS_LIMIT_LOCAL_MEMORY] = local_bytes > 0 ? limits->local_bytes / local_bytes : G_MAXUINT64,
  };
  guint least = 0;

  for (guint i = 1; i < G_N_ELEMENTS(most); i++)
    if (most[i] < most[least])
      least = i;
  return (MsOccupancy){
    .groups = (guint)most[least], .percent = 100.0 * (double)(most[least] * warps) / limits->warps, .limit = least};
}

/**
 * ms_occupancy_find_registers:
 * @log: what NVIDIA's assembler prints of a program that is built with -cl-nv-verbose
 *
 * Returns: the registers of a work-item of @kernel, or 0 where the log does not tell
 */
guint
ms_occupancy_find_registers(const char *log, const char *kernel)
{
  g_autofree char *entry = g_strdup_printf("Compiling entry function '%s'", kernel);
  const char *from = strstr(log, entry);
  const char *next = from ? strstr(from + strlen(entry), "Compiling entry function '") : NULL;
  const char *used = from ? strstr(from, ": Used ") : NULL;

  if (!used || (next && next < used))
    return 0;
  return (guint)MIN(g_ascii_strtoull(used + strlen(": Used "), NULL, 10), 65536);
}
