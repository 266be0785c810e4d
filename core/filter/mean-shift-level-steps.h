/* SPDX-License-Identifier: MIT */
/* MsLevelSteps: the kernels between two levels of a pyramid. */
#pragma once

#include "core/filter/mean-shift-launch.h"

/**
 * MsLevelPixels: rows of a level on the device.
 * @modes: %NULL for a plan without modes
 * @rows: width and height of the level, the first row that the buffers hold, and how many they hold
 */
typedef struct {
  cl_mem pixels;
  cl_mem modes;
  cl_int4 rows;
} MsLevelPixels;

#define MS_LEVEL_STEPS 5

/** MsLevelSteps: @log: (nullable): gets the build and the launches */
typedef struct {
  MsContext *context;
  MsTimingLog *log;
  cl_kernel kernels[MS_LEVEL_STEPS];
} MsLevelSteps;

gboolean ms_level_steps_create_kernels(MsLevelSteps *self, GError **error);
void ms_level_steps_release_kernels(MsLevelSteps *self);
gboolean ms_level_steps_halve(MsLevelSteps *self, const MsLevelPixels *fine, const MsLevelPixels *coarse,
                              GError **error);
gboolean ms_level_steps_start(MsLevelSteps *self, const MsLevelPixels *coarser, const MsFilterLaunch *fine,
                              GError **error);
