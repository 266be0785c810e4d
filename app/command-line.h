/* SPDX-License-Identifier: MIT */
/*
 * The command line: what was asked for, read by two tables of options, one of core (filter and toggles) and one of the
 * program.
 */
#pragma once

#include "core/batch/batch.h"
#include "core/engine/engine.h"
#include "core/filter/options.h"

G_BEGIN_DECLS

typedef enum {
  MS_PROGRESS_AUTO,
  MS_PROGRESS_ALWAYS,
  MS_PROGRESS_NEVER,
} MsProgressMode;

/**
 * MsCommandLine: the values of all options. Enumerations are stored as int so that the table can address every field
 * alike.
 * @inputs: (array zero-terminated=1)
 * @settings: filter and toggles
 * @given: names of all options that were given, without dashes, in order
 * @split: an #MsSplitMode
 * @fallback: an #MsFallback
 * @format: an #MsImageFormat
 * @on_conflict: an #MsConflict
 * @progress: an #MsProgressMode
 * @budget: seconds, 0 for the usual
 */
typedef struct {
  gboolean help;
  gboolean version;
  gboolean headless;
  char **inputs;
  MsSettings settings;
  GPtrArray *given;
  gboolean list_devices;
  char *device;
  char *devices;
  int split;
  int fallback;
  char *output;
  char *name;
  int format;
  int quality;
  int on_conflict;
  gboolean recursive;
  gboolean resume;
  MsShard shard;
  char *manifest;
  int jobs;
  gboolean dry_run;
  guint64 memory_limit;
  guint64 max_pixels;
  gboolean timings;
  gboolean stats;
  gboolean histogram;
  char *json;
  char *csv;
  int repeat;
  gboolean verify;
  int progress;
  gboolean quiet;
  char *experiment;
  gboolean quick;
  gboolean tune;
  double budget;
  char *compare;
  gboolean fail_on_slower;
  char *report_dir;
  char *reduce;
  char *type;
  guint64 size;
  char *variant;
} MsCommandLine;

/** MsCommandGroup: the headings of --help. */
typedef enum {
  MS_COMMAND_GROUP_PROGRAM,
  MS_COMMAND_GROUP_DEVICE,
  MS_COMMAND_GROUP_OUTPUT,
  MS_COMMAND_GROUP_BATCH,
  MS_COMMAND_GROUP_REPORT,
  MS_COMMAND_GROUP_LAB,
} MsCommandGroup;

/**
 * MsCommandKind: the form of a value and the field it is stored in.
 * @MS_COMMAND_FLAG: no value; gboolean
 * @MS_COMMAND_TEXT: char *
 * @MS_COMMAND_COUNT: whole number from @minimum to @maximum; int
 * @MS_COMMAND_AMOUNT: whole number with K, M or G behind it; guint64
 * @MS_COMMAND_SECONDS: number with s, m or h behind it; double
 * @MS_COMMAND_CHOICE: one of @values; its index plus @minimum is stored; int
 * @MS_COMMAND_SHARD: I/N; MsShard
 */
typedef enum {
  MS_COMMAND_FLAG,
  MS_COMMAND_TEXT,
  MS_COMMAND_COUNT,
  MS_COMMAND_AMOUNT,
  MS_COMMAND_SECONDS,
  MS_COMMAND_CHOICE,
  MS_COMMAND_SHARD,
} MsCommandKind;

/**
 * MsCommandOption: one row of the program's table.
 * @letter: the one-letter form, 0 for none
 * @argument: (nullable): the form of the value in --help; that of a choice is made from its @values
 * @anywhere: whether it means something without --headless
 * @thousand: what K stands for: 1024 for bytes, 1000 for pixels and elements
 */
typedef struct {
  const char *name;
  char letter;
  const char *argument;
  const char *help;
  MsCommandGroup group;
  MsCommandKind kind;
  const char *const *values;
  int minimum;
  int maximum;
  guint thousand;
  gboolean anywhere;
  gsize offset;
} MsCommandOption;

const MsCommandOption *ms_command_options(guint *n_rows);
const MsCommandOption *ms_command_option_find(const char *name);
char *ms_command_option_argument(const MsCommandOption *self);
const char *ms_command_group_title(MsCommandGroup group);

MsCommandLine *ms_command_line_new(void);
void ms_command_line_free(MsCommandLine *self);
MsCommandLine *ms_command_line_parse(int argc, char **argv, GError **error);
gboolean ms_command_line_check(const MsCommandLine *self, GError **error);
gboolean ms_command_line_has(const MsCommandLine *self, const char *name);
gboolean ms_command_line_is_lab(const MsCommandLine *self);
const char *ms_command_line_device(const MsCommandLine *self);
char *ms_command_line_help(void);

gboolean ms_command_option_set(const MsCommandOption *option, MsCommandLine *line, const char *text, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsCommandLine, ms_command_line_free)

G_END_DECLS
