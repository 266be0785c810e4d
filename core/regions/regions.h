/* SPDX-License-Identifier: MIT */
/*
 * Finds the regions of a filtered picture by kernels, or by the plain serial code that defines them: which neighbouring
 * pixels are of one region, what is asked for, and what was found.
 */
#pragma once

#include <gio/gio.h>

#include "core/filter/mean-shift.h"
#include "core/memory-budget.h"
#include "core/opencl/context.h"

/**
 * MsLabelRule: which two of eight neighbouring pixels are of one region.
 * @spatial: the largest difference of their modes in column and in row
 * @squared_range: the largest squared distance of their colours
 */
typedef struct {
  int spatial;
  int squared_range;
} MsLabelRule;

/**
 * MsCloseness:
 * @colours: four bytes a pixel, of which three are compared
 * @modes: column and row of each pixel's mode
 */
typedef struct {
  const guint8 *colours;
  const guint16 *modes;
  int width;
  int height;
  MsLabelRule rule;
} MsCloseness;

/* Whether the neighbouring pixels @a and @b are of one region. */
static inline gboolean
ms_are_close(const MsCloseness *self, gsize a, gsize b)
{
  const guint8 *p = self->colours + a * 4, *q = self->colours + b * 4;
  const guint16 *m = self->modes + a * 2, *o = self->modes + b * 2;
  const int d0 = p[0] - q[0], d1 = p[1] - q[1], d2 = p[2] - q[2];

  return ABS(m[0] - o[0]) <= self->rule.spatial && ABS(m[1] - o[1]) <= self->rule.spatial &&
         d0 * d0 + d1 * d1 + d2 * d2 <= self->rule.squared_range;
}

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

gboolean ms_device_regions_fit(MsContext *context, gsize n_pixels);
cl_mem ms_device_regions_find(MsContext *context, const MsLabelRequest *request, MsLabels *labels, GError **error);

guint32 ms_sets_find(guint32 *parents, guint32 at);
void ms_sets_join(guint32 *parents, guint32 a, guint32 b);
gboolean ms_reference_regions_find(const MsLabelRequest *request, MsLabels *labels, GError **error);
