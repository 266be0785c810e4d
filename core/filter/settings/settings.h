/* SPDX-License-Identifier: MIT */
/* MsParams: the parameters that define the result of the filter (radii, stopping, rounding rule). */
#pragma once

#include <glib.h>

#include "core/error.h"
#include "core/factors.h"
#include "core/option/option.h"

#define MS_SP_MIN 1.0
#define MS_SP_MAX 64.0
#define MS_SR_MIN 0.0
#define MS_SR_MAX 1000000.0
/* Colours are at most 442 apart, so a larger radius has no effect; the kernels are built for radii up to this one. */
#define MS_SR_USEFUL_MAX 510.0
#define MS_MAX_ITERATIONS_MIN 1
#define MS_MAX_ITERATIONS_MAX 100
#define MS_EPSILON_MIN 0.0
#define MS_EPSILON_MAX 1000000.0
#define MS_LEVELS_MIN 0
#define MS_LEVELS_MAX 8

/**
 * MsRule: the treatment of the border and the rounding of means (methods 1.1 and 1.2).
 * @MS_RULE_OPENCV: window clipped; double reciprocal, half to even (cv::pyrMeanShiftFiltering)
 * @MS_RULE_TRUNCATE: window clipped; integer quotient (ocl::meanShiftFiltering of OpenCV 2.4)
 * @MS_RULE_REPLICATE: edge repeated, coordinates unclamped; float reciprocal, truncated (cuda::meanShiftFiltering)
 */
typedef enum {
  MS_RULE_OPENCV,
  MS_RULE_TRUNCATE,
  MS_RULE_REPLICATE,
} MsRule;

/**
 * MsSpace: the colour space in which distances are measured and means taken, in 8 bits as cv::cvtColor() converts.
 * @MS_SPACE_RGB: the values of the picture
 * @MS_SPACE_LUV: CIE L*u*v*
 * @MS_SPACE_LAB: CIE L*a*b*
 */
typedef enum {
  MS_SPACE_RGB,
  MS_SPACE_LUV,
  MS_SPACE_LAB,
} MsSpace;

/**
 * MsParams:
 * @sp: window radius in pixels, 1 to 64, fractions allowed under the opencv rule
 * @sr: colour radius in 8-bit levels; from 442 on every colour is within it
 * @max_iterations: 1 to 100
 * @epsilon: shift plus squared colour change at or below which a pixel stops
 * @levels: pyramid levels above the picture, 0 to 8: maxLevel of cv::pyrMeanShiftFiltering, since OpenCV 4.7; others
 *   than 0 under the opencv rule only
 * @space: the picture is converted to it first and back at the end
 */
typedef struct {
  double sp;
  double sr;
  int max_iterations;
  double epsilon;
  MsRule rule;
  int levels;
  MsSpace space;
} MsParams;

/**
 * MsFilterNumbers: the parameters as the arithmetic uses them.
 * @sp: the window radius in single precision, as the matched API stores it
 * @isr2: squared colour radius, rounded half to even, at most that of %MS_SR_USEFUL_MAX
 * @epsilon: the largest integer that still stops
 */
typedef struct {
  float sp;
  int isr2;
  int max_iterations;
  int epsilon;
} MsFilterNumbers;

gboolean ms_params_validate(const MsParams *self, GError **error);
MsFilterNumbers ms_params_numbers(const MsParams *self);
gboolean ms_params_whole_radius(const MsParams *self, int extent, int *radius);
MsParams ms_params_coarser(const MsParams *self);
int ms_params_halo(const MsParams *self, int height);
int ms_params_reach(const MsParams *self);
gboolean ms_params_equal(const MsParams *a, const MsParams *b);

/**
 * MsKernel: the planner resolves `auto`. A new kernel goes at the end, with its name in settings.c and its function in
 * plan.c.
 */
typedef enum {
  MS_KERNEL_AUTO,
  MS_KERNEL_DIRECT,
  MS_KERNEL_ROWS,
  MS_KERNEL_ROWS_WIDE,
  MS_KERNEL_MATRIX,
  MS_KERNEL_PACKED,
} MsKernel;

/* In the order of MsKernel, %NULL-terminated. */
extern const char *const ms_filter_kernel_names[];

const char *ms_filter_kernel_name(MsKernel kernel);

typedef enum {
  MS_MEMORY_BUFFER,
  MS_MEMORY_IMAGE,
} MsMemory;

typedef enum {
  MS_ACCESS_POINTER,
  MS_ACCESS_VLOAD,
} MsAccess;

typedef enum {
  MS_SCHEDULE_FIXED,
  MS_SCHEDULE_REFILL,
} MsSchedule;

/**
 * MsToggles: how the filter is computed. Enumerations are stored as int, the type that the option table expects.
 * @memory: an #MsMemory
 * @local_memory: 0 or 1
 * @unroll: pixels in one step of the innermost loop
 * @access: an #MsAccess
 * @work_group_width: work-items in a row of a work-group, 0 for auto
 * @work_group_height: rows of a work-group, 0 for auto
 * @kernel: an #MsKernel
 * @schedule: an #MsSchedule
 */
typedef struct {
  int memory;
  int local_memory;
  int unroll;
  int access;
  int work_group_width;
  int work_group_height;
  int kernel;
  int schedule;
} MsToggles;

/** MsSettings: the parameters and toggles of a run. */
typedef struct {
  MsParams params;
  MsToggles options;
} MsSettings;

/** ms_options: the options of the filter, in the order in which they are shown. */
extern const MsOptionTable ms_options;

MsSettings ms_settings_default(void);
gboolean ms_settings_equal(const MsSettings *a, const MsSettings *b);
char *ms_settings_to_arguments(const MsSettings *self);
GVariant *ms_settings_to_variant(const MsSettings *self);
gboolean ms_settings_from_variant(GVariant *values, MsSettings *self);

const MsOptionInfo *ms_option_find(const char *name);

gboolean ms_settings_from_factors(const MsFactors *factors, MsSettings *settings, GError **error);
