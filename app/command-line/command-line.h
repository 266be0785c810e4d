/* SPDX-License-Identifier: MIT */
/*
 * MsCommandLine: the arguments of the program, read by the filter's option table and by the program's own; and its exit
 * statuses.
 */
#pragma once

#include <glib.h>

#include "core/batch/batch.h"
#include "core/engine/engine.h"
#include "core/filter/settings/settings.h"

typedef enum {
  MS_PROGRESS_AUTO,
  MS_PROGRESS_ALWAYS,
  MS_PROGRESS_NEVER,
  MS_PROGRESS_JSON,
} MsProgressMode;

typedef enum {
  MS_COLOR_AUTO,
  MS_COLOR_ALWAYS,
  MS_COLOR_NEVER,
} MsColorMode;

/**
 * MsCommandLine: the values of all options. Enumerations are stored as int, the type that the option tables expect.
 * @batch: the inputs, the filter's parameters and toggles, and what becomes of images; other commands use some of it
 * @given: (element-type utf8): names of the options that were given, without dashes, in order
 * @split: an #MsDivision
 * @fallback: an #MsFallback
 * @manifests: (nullable) (array zero-terminated=1): the one to append to, and further ones that are only read
 * @progress: an #MsProgressMode
 * @color: an #MsColorMode
 * @budget: seconds, 0 for the default of the action
 * @noise: percent, 0 for the default
 */
typedef struct {
  gboolean help;
  gboolean help_all;
  gboolean version;
  gboolean headless;
  MsBatchRequest batch;
  char *preset;
  GPtrArray *given;
  gboolean list_devices;
  gboolean diagnose;
  char *device;
  char *devices;
  int split;
  int fallback;
  char **manifests;
  gboolean dry_run;
  gboolean null;
  gboolean timings;
  gboolean stats;
  gboolean histogram;
  gboolean regions;
  int min_region;
  double region_range;
  char *labels;
  char *modes;
  char *outlines;
  char *json;
  char *csv;
  int progress;
  gboolean quiet;
  int color;
  char *experiment;
  gboolean quick;
  gboolean tune;
  gboolean fresh;
  double budget;
  double noise;
  gboolean accept_disturbed;
  int columns;
  char *compare;
  gboolean fail_on_slower;
  char *report_dir;
  gboolean merge_reports;
  char *reduce;
  char *type;
  guint64 size;
  char *variant;
} MsCommandLine;

/**
 * MsCommandAction: what the program does, one bit each; a row of #ms_command_options names the actions it applies to.
 */
typedef enum {
  MS_COMMAND_WINDOW = 1 << 0,
  MS_COMMAND_IMAGES = 1 << 1,
  MS_COMMAND_LIST_DEVICES = 1 << 2,
  MS_COMMAND_REDUCE = 1 << 3,
  MS_COMMAND_TUNE = 1 << 4,
  MS_COMMAND_EXPERIMENT = 1 << 5,
  MS_COMMAND_LIST_EXPERIMENTS = 1 << 6,
  MS_COMMAND_DIAGNOSE = 1 << 7,
  MS_COMMAND_REGIONS = 1 << 8,
  MS_COMMAND_MERGE_REPORTS = 1 << 9,
} MsCommandAction;

/** MsExitStatus: how the program ends, which its manual page documents. */
typedef enum {
  MS_EXIT_DONE = 0,
  MS_EXIT_SOME_FAILED = 1,
  MS_EXIT_USAGE = 2,
  MS_EXIT_DIFFERENT = 3,
  MS_EXIT_NO_DEVICE = 4,
  MS_EXIT_INTERRUPTED = 130,
} MsExitStatus;

/** ms_command_options: the program's own options; those of the filter are #ms_options. */
extern const MsOptionTable ms_command_options;

void ms_command_line_free(MsCommandLine *self);
MsCommandLine *ms_command_line_parse(int argc, char **argv, GError **error);
gboolean ms_command_line_has(const MsCommandLine *self, const char *name);
MsCommandAction ms_command_line_action(const MsCommandLine *self);
const char *ms_command_line_device(const MsCommandLine *self);

MsExitStatus ms_exit_status_for_error(const GError *error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsCommandLine, ms_command_line_free)
