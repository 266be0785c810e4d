/* SPDX-License-Identifier: MIT */
/* MsLabelRequest and MsLabels: which regions of a filtered picture to find, and those that were found. */
#pragma once

#include <gio/gio.h>

#include "core/filter/mean-shift.h"
#include "core/memory-budget.h"
#include "core/opencl/context.h"
#include "core/regions/closeness.h"

/**
 * MsLabelRequest:
 * @closeness: the picture and which of its neighbouring pixels are of one region
 * @on_device: the same picture, where the device that finds the regions has it; colours and modes of @closeness may
 *   then be %NULL
 * @absent: (nullable): for each pixel whether it has no data; such pixels are regions of their own, which no other
 *   joins and which join none. The serial code alone takes it
 * @min_pixels: regions with fewer pixels join a neighbour; 0 or 1 for none
 * @limits: (nullable): takes the kernels of a device with these instead of those of the device that runs them
 * @budget: (nullable): for the memory of this computation, which it gives back
 * @log: (nullable): gets what a device computes
 * @cancellable: (nullable)
 */
typedef struct {
  MsCloseness closeness;
  MsDeviceResult on_device;
  const guint8 *absent;
  guint min_pixels;
  const MsDeviceLimits *limits;
  MsMemoryBudget *budget;
  MsTimingLog *log;
  GCancellable *cancellable;
} MsLabelRequest;

/**
 * MsLabels:
 * @of_pixel: the caller's memory: the region of each pixel, from 1 on in the order of the regions' first pixels
 * @count: number of regions
 * @rounds: in which small regions have joined others
 */
typedef struct {
  guint32 *of_pixel;
  guint32 count;
  guint rounds;
} MsLabels;
