/* SPDX-License-Identifier: MIT */
/* MsSettings: the filter's parameters and optimisation toggles, and the table that describes each of them. */
#pragma once

#include "core/filter/settings/kernel-names.h"
#include "core/filter/settings/params.h"
#include "core/option/option-text.h"

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
 * MsOptions: how the filter is computed. Enumerations are stored as int, the type that the option table expects.
 * @memory: an #MsMemory
 * @local_memory: 0 or 1
 * @unroll: 1, 2 or 4 pixels in one step of the innermost loop
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
} MsOptions;

/** MsSettings: the parameters and toggles of a run. */
typedef struct {
  MsParams params;
  MsOptions options;
} MsSettings;

/** ms_options: the options of the filter, in the order in which they are shown. */
extern const MsOptionTable ms_options;

MsSettings ms_settings_default(void);
gboolean ms_settings_equal(const MsSettings *a, const MsSettings *b);
char *ms_settings_to_arguments(const MsSettings *self);
GVariant *ms_settings_to_variant(const MsSettings *self);
gboolean ms_settings_from_variant(GVariant *values, MsSettings *self);

const MsOptionInfo *ms_option_find(const char *name);
