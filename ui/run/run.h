/* SPDX-License-Identifier: MIT */
/* MsRun: one finished filter run: settings as requested and as resolved, timings and the picture. */
#pragma once

#include "core/filter/plan/plan.h"
#include "core/lab/measure/statistics.h"
#include "core/opencl/timing.h"

/**
 * MsMatch: the result of comparing a run's picture with the baseline's.
 * @MS_MATCH_UNKNOWN: there is no baseline, or it has other parameters or another source, so equality means nothing
 * @MS_MATCH_BASELINE: this run is the baseline
 * @MS_MATCH_IDENTICAL: every byte is the same
 * @MS_MATCH_DIFFERENT: the parameters are the same but the pictures differ, which is an error
 */
typedef enum {
  MS_MATCH_UNKNOWN,
  MS_MATCH_BASELINE,
  MS_MATCH_IDENTICAL,
  MS_MATCH_DIFFERENT,
} MsMatch;

/**
 * MsRunFacts: what a run is made from; ms_run_new() takes its own references.
 * @requested: the settings as asked for, `auto` included
 * @settings: the settings with every `auto` resolved by the plan
 * @device: (nullable): %NULL for the serial reference
 * @log: the stages, resolved
 * @result: the whole filtered picture
 * @spec: (nullable): the program that ran, %NULL for the serial reference
 * @build_log: (nullable): what the compiler said
 * @rejected: (nullable): why `auto` did not take a faster kernel
 * @digest: of the picture: equal pictures have equal ones
 */
typedef struct {
  MsSettings requested;
  MsSettings settings;
  MsDevice *device;
  MsTimingLog *log;
  MsImage *result;
  MsProgramSpec *spec;
  const char *build_log;
  const char *rejected;
  const char *digest;
} MsRunFacts;

#define MS_TYPE_RUN (ms_run_get_type())
/* Signal: "changed" (): its label, its picture, its times or its comparison with the baseline. */
G_DECLARE_FINAL_TYPE(MsRun, ms_run, MS, RUN, GObject)

MsRun *ms_run_new(const MsRunFacts *facts);

const MsSettings *ms_run_get_settings(MsRun *self);
const MsSettings *ms_run_get_requested(MsRun *self);
MsDevice *ms_run_get_device(MsRun *self);
const char *ms_run_get_device_name(MsRun *self);
MsTimingLog *ms_run_get_log(MsRun *self);
MsProgramSpec *ms_run_get_spec(MsRun *self);
const char *ms_run_get_build_log(MsRun *self);
const char *ms_run_get_rejected(MsRun *self);
int ms_run_get_width(MsRun *self);
int ms_run_get_height(MsRun *self);
double ms_run_get_kernel_ms(MsRun *self);
void ms_run_add_time(MsRun *self, double kernel_ms);
MsSummary ms_run_summarise(MsRun *self);

/**
 * MsRunRatio: the kernel time of a run in units of another run's.
 * @low: the end of the ~95 % interval; equal to @ratio like @high where one of the runs has fewer than three times
 * @is_repeated: whether the interval is known
 */
typedef struct {
  double ratio;
  double low;
  double high;
  gboolean is_repeated;
} MsRunRatio;

MsRunRatio ms_run_compare(MsRun *self, MsRun *other);

const char *ms_run_get_label(MsRun *self);
void ms_run_set_label(MsRun *self, const char *label);
void ms_run_name_after(MsRun *self, MsRun *before);
gboolean ms_run_is_named_after(MsRun *self, MsRun *before);
guint ms_run_get_number(MsRun *self);
void ms_run_set_number(MsRun *self, guint number);
char *ms_run_describe(MsRun *self);
gboolean ms_run_is_baseline(MsRun *self);
MsMatch ms_run_get_match(MsRun *self);

MsImage *ms_run_get_result(MsRun *self);
const char *ms_run_get_digest(MsRun *self);
gboolean ms_run_has_result(MsRun *self);
void ms_run_share_result(MsRun *self, MsRun *other);
void ms_run_drop_result(MsRun *self);
void ms_run_judge(MsRun *self, MsRun *baseline);
