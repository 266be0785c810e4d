/* SPDX-License-Identifier: MIT */
/*
 * The descriptor table: every filter parameter and optimisation toggle stands here once, for command line, window, lab
 * and tests.
 */
#pragma once

#include "core/filter/kernel-names.h"
#include "core/filter/params.h"

G_BEGIN_DECLS

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
 * MsOptions: how the filter is computed. Enumerations are stored as int so that the table can address every field
 * alike.
 * @memory: an #MsMemory
 * @local_memory: 0 or 1
 * @unroll: 1, 2 or 4 pixels a step
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

/** MsSettings: everything that decides a run on a given image and device. */
typedef struct {
  MsParams params;
  MsOptions options;
} MsSettings;

typedef enum {
  MS_OPTION_GROUP_FILTER,
  MS_OPTION_GROUP_TOGGLE,
} MsOptionGroup;

/**
 * MsOptionKind: the form of a value.
 * @MS_OPTION_CHOICE: one of @values, stored as its index (or, for numeric names such as 1|2|4, as the number)
 * @MS_OPTION_INT: a whole number from @minimum to @maximum
 * @MS_OPTION_REAL: a number from @minimum to @maximum
 * @MS_OPTION_SHAPE: WxH, or auto
 */
typedef enum {
  MS_OPTION_CHOICE,
  MS_OPTION_INT,
  MS_OPTION_REAL,
  MS_OPTION_SHAPE,
} MsOptionKind;

/**
 * MsOptionInfo: one row of the table.
 * @name: as on the command line, without dashes in front
 * @json: the field in reports
 * @label: the control's label, with a mnemonic
 * @argument: the form shown in --help, as in "R" or "WxH|auto"
 * @help: one line
 * @values: (nullable): the names of a choice, %NULL-terminated
 * @numeric_values: whether the names are the numbers that are stored
 * @maximum: what a control goes up to
 * @largest: what is taken in words where that is more than @maximum, else 0
 * @step: for INT and REAL, the change of one click
 */
typedef struct {
  const char *name;
  const char *json;
  const char *label;
  const char *argument;
  const char *help;
  MsOptionGroup group;
  MsOptionKind kind;
  const char *const *values;
  gboolean numeric_values;
  double minimum;
  double maximum;
  double largest;
  double step;
  gsize offset;
} MsOptionInfo;

MsSettings ms_settings_default(void);
gboolean ms_settings_equal(const MsSettings *a, const MsSettings *b);
char *ms_settings_to_arguments(const MsSettings *self);

const MsOptionInfo *ms_options_table(guint *n_rows);
const MsOptionInfo *ms_option_find(const char *name);
guint ms_option_n_values(const MsOptionInfo *self);
gboolean ms_option_set_text(const MsOptionInfo *self, MsSettings *settings, const char *text, GError **error);
char *ms_option_get_text(const MsOptionInfo *self, const MsSettings *settings);
double ms_option_get_number(const MsOptionInfo *self, const MsSettings *settings);
void ms_option_set_number(const MsOptionInfo *self, MsSettings *settings, double value);
gboolean ms_option_is_default(const MsOptionInfo *self, const MsSettings *settings);

G_END_DECLS
