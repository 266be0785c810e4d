/* SPDX-License-Identifier: MIT */
/* The measuring loop: rounds in which every configuration runs once, until medians and comparisons are settled. */
#pragma once

#include <gio/gio.h>

#include "core/lab/measure/journal.h"

guint64 ms_clock_now_ns(void);

typedef struct _MsSubject MsSubject;

/**
 * MsSubjectFuncs: the operations of a configuration.
 * @prepare: builds kernels and puts the data on the device; may be called again after @release
 * @run: runs once, fills the sample, returns when the device has finished
 * @verify: compares the result of the last run with the reference
 * @release: (nullable): frees what @prepare allocated; is also called without @prepare, and several times
 * @finalize: (nullable): frees what the subject has owned since it was made
 * @describe: (nullable): adds what the driver tells of the kernels of the first run to @kernels, of #MsKernelNote; is
 *   called once, between that run and those that are timed
 */
typedef struct {
  gboolean (*prepare)(MsSubject *self, GCancellable *cancellable, GError **error);
  gboolean (*run)(MsSubject *self, MsSample *sample, GCancellable *cancellable, GError **error);
  gboolean (*verify)(MsSubject *self, MsVerification *verification, GCancellable *cancellable, GError **error);
  void (*release)(MsSubject *self);
  void (*finalize)(MsSubject *self);
  void (*describe)(MsSubject *self, GPtrArray *kernels);
} MsSubjectFuncs;

/**
 * MsSubject: a configuration that can be measured; the first field of the kind's own struct, from g_new0().
 * @key: (nullable): its name in the journal of the measurement, set by the caller; without one it is not kept
 */
struct _MsSubject {
  const MsSubjectFuncs *funcs;
  char *label;
  char *key;
  MsWork work;
};

void ms_subject_init(MsSubject *self, const MsSubjectFuncs *funcs, const char *label);
void ms_subject_free(MsSubject *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsSubject, ms_subject_free)

/**
 * MsMeasureProgress: called between runs with the share done (0..1), the subject just run and its measurement so far.
 */
typedef void (*MsMeasureProgress)(double fraction, guint index, const MsMeasurement *measurement, gpointer data);

/**
 * MsMeasureOptions:
 * @noise: relative spread of the medians at which repeating may stop, 0.01 for 1 %; also the least difference that
 *   counts in a comparison
 * @budget_s: running time in seconds, of each configuration, after which repeating stops
 * @time_s: seconds after which what has not ended is a time-out, looked at between runs; 0 for never
 * @step_s: seconds after which the process that watches this one ends it where one build, run or check has not ended
 * @journal: (nullable) (transfer none): what an earlier process measured, and where this one keeps what it measures
 * @warm_up: runs between the first run and the first sample
 * @min_repeats: samples taken even when the noise is low
 * @max_repeats: samples never exceeded
 * @give_up_ns: a configuration whose first run takes longer is not run again, that run is its only sample; 0 for never
 * @seed: seed of the random order, so that a measurement can be repeated
 * @baselines: (nullable) (array): for each subject the index of the one it is compared with, its own for none; %NULL
 *   compares all with the first
 * @anchored: the last subject is an anchor: it runs in every round while any other does, and decides nothing
 * @clock: (nullable): returns nanoseconds, instead of the host's clock
 * @sensor: (nullable) (transfer none): reads the state of the device before and after every configuration
 * @energy: whether its counter is read around one second of runs of every configuration
 * @progress: (nullable): called after every run
 */
typedef struct {
  double noise;
  double budget_s;
  double time_s;
  double step_s;
  MsLabJournal *journal;
  guint warm_up;
  guint min_repeats;
  guint max_repeats;
  double give_up_ns;
  guint32 seed;
  const guint *baselines;
  gboolean anchored;
  guint64 (*clock)(gpointer data);
  gpointer clock_data;
  MsSensor *sensor;
  gboolean energy;
  MsMeasureProgress progress;
  gpointer progress_data;
} MsMeasureOptions;

void ms_measure_options_init(MsMeasureOptions *options, gboolean quick);

gboolean ms_measure(MsSubject **subjects, MsMeasurement **measurements, guint n, const MsMeasureOptions *options,
                    GCancellable *cancellable, GError **error);
