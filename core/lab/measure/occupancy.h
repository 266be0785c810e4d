/* SPDX-License-Identifier: MIT */
/* MsOccupancy: how many work-groups of a kernel a compute unit holds at once, from what the groups need of it. */
#pragma once

#include <glib.h>

/**
 * MsOccupancyLimits: what a compute unit has.
 * @warp: work-items of a warp
 * @warps: the most warps that it holds; @groups: the most work-groups
 * @registers: of all its warps; @registers_of_group: the most of one group
 * @register_unit: the registers of a warp are a multiple of this
 * @partitions: the parts into which its registers are divided evenly; a warp has those of one part
 * @local_bytes: of all its groups; those of one group are a multiple of @local_unit
 * @local_reserved: bytes that the driver takes for itself in each group
 */
typedef struct {
  guint warp;
  guint warps;
  guint groups;
  guint registers;
  guint registers_of_group;
  guint register_unit;
  guint partitions;
  guint local_bytes;
  guint local_unit;
  guint local_reserved;
} MsOccupancyLimits;

/** MsKernelNeeds: what a kernel needs: @registers of a work-item, @local_bytes and @group_size of a work-group. */
typedef struct {
  guint registers;
  guint64 local_bytes;
  guint64 group_size;
} MsKernelNeeds;

/**
 * MsOccupancy:
 * @groups: that are resident at once; 0 where not even one fits
 * @percent: resident warps of all that a compute unit can hold
 * @limit: the resource that does not suffice for another group; the first one where several do not
 */
typedef struct {
  guint groups;
  double percent;
  enum { MS_LIMIT_WARPS, MS_LIMIT_GROUPS, MS_LIMIT_REGISTERS, MS_LIMIT_LOCAL_MEMORY } limit;
} MsOccupancy;

/** ms_occupancy_limit_names: %NULL-terminated: as reports spell them. */
extern const char *const ms_occupancy_limit_names[];

gboolean ms_occupancy_limits_of_nvidia(guint capability, MsOccupancyLimits *limits);
MsOccupancy ms_occupancy_compute(const MsOccupancyLimits *limits, const MsKernelNeeds *needs);
guint ms_occupancy_find_registers(const char *log, const char *kernel);
