/* SPDX-License-Identifier: MIT */
/* The measuring loop: warm up, interleave the configurations in random order, repeat until the median stands still. */
#pragma once

#include <gio/gio.h>

#include "core/lab/measure/energy.h"
#include "core/lab/measure/statistics.h"

G_BEGIN_DECLS

/**
 * MsOutcome: how a configuration ended.
 * @MS_OUTCOME_PENDING: not run (yet): the measuring was interrupted
 * @MS_OUTCOME_OK: measured and verified
 * @MS_OUTCOME_CONSTRAINT: the plan refuses it on this device; never built
 * @MS_OUTCOME_BUILD: its kernels did not compile
 * @MS_OUTCOME_RUN: the device failed while it ran, or its events made no sense
 * @MS_OUTCOME_WRONG: its result differs from the reference; never ranked
 * @MS_OUTCOME_TIMEOUT: one run outlived its deadline
 */
typedef enum {
  MS_OUTCOME_PENDING,
  MS_OUTCOME_OK,
  MS_OUTCOME_CONSTRAINT,
  MS_OUTCOME_BUILD,
  MS_OUTCOME_RUN,
  MS_OUTCOME_WRONG,
  MS_OUTCOME_TIMEOUT,
} MsOutcome;

const char *ms_outcome_to_string(MsOutcome outcome);
MsOutcome ms_outcome_from_string(const char *text);
MsOutcome ms_outcome_from_error(const GError *error);

/**
 * MsLabEvent: one profiled command; times are the device's nanoseconds, names are interned. @headline: counts
 * in the sample.
 */
typedef struct {
  const char *stage;
  const char *name;
  guint64 queued_ns;
  guint64 submitted_ns;
  guint64 started_ns;
  guint64 ended_ns;
  guint64 bytes;
  gboolean headline;
} MsLabEvent;

/**
 * MsSample: what one run yields.
 * @ns: the headline; when it stays negative it is the sum of the headline events' durations
 * @events: (element-type MsLabEvent): every profiled command of the run
 */
typedef struct {
  double ns;
  GArray *events;
} MsSample;

void ms_sample_add_event(MsSample *sample, const char *stage, const char *name, guint64 started_ns, guint64 ended_ns,
                         guint64 bytes, gboolean headline);
gboolean ms_sample_settle(MsSample *sample);

guint64 ms_lab_now_ns(void);

/**
 * MsVerification: how the last run's result compares with the reference; @total counts pixels or elements.
 */
typedef struct {
  gboolean done;
  guint64 total;
  guint64 mismatches;
  double max_difference;
  char *against;
} MsVerification;

/** MsWork: what one run amounts to, for derived figures; 0 where a figure means nothing. */
typedef struct {
  double pixels;
  double window_samples;
  double elements;
  double bytes;
} MsWork;

typedef struct _MsSubject MsSubject;

/**
 * MsSubjectFuncs: what the loop needs to know of a configuration.
 * @prepare: builds kernels and puts the data on the device; may be called again after @release
 * @run: one whole run; fills the sample; returns when the device has finished
 * @verify: compares the result of the last run with the reference
 * @release: (nullable): gives back what @prepare took
 * @finalize: frees the subject itself
 */
typedef struct {
  gboolean (*prepare)(MsSubject *self, GCancellable *cancellable, GError **error);
  gboolean (*run)(MsSubject *self, MsSample *sample, GCancellable *cancellable, GError **error);
  gboolean (*verify)(MsSubject *self, MsVerification *verification, GCancellable *cancellable, GError **error);
  void (*release)(MsSubject *self);
  void (*finalize)(MsSubject *self);
} MsSubjectFuncs;

/** MsSubject: a configuration that can be measured; embed it first in a struct of your own. */
struct _MsSubject {
  const MsSubjectFuncs *funcs;
  char *label;
  MsWork work;
};

void ms_subject_init(MsSubject *self, const MsSubjectFuncs *funcs, const char *label);
void ms_subject_free(MsSubject *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsSubject, ms_subject_free)

/**
 * MsMeasureOptions:
 * @noise: relative spread of the median at which repeating stops, 0.01 for 1 %
 * @budget_s: seconds of running time a configuration may use before repeating stops
 * @timeout_s: seconds after which one run is cancelled and classed as a time-out
 * @warm_up: runs between the first run and the first sample
 * @min_repeats: samples wanted even when the noise is low
 * @max_repeats: samples never exceeded
 * @give_up_ns: a configuration whose first run takes longer is not run again, that run is its only sample;
 *   0 for never
 * @seed: of the random order, so that a campaign can be repeated
 * @energy: (nullable) (transfer none): a counter to read around a longer region of every configuration
 */
typedef struct {
  double noise;
  double budget_s;
  double timeout_s;
  guint warm_up;
  guint min_repeats;
  guint max_repeats;
  double give_up_ns;
  guint32 seed;
  MsEnergy *energy;
} MsMeasureOptions;

void ms_measure_options_init(MsMeasureOptions *options, gboolean quick);

/**
 * MsStageSeries: one command of a run (a kernel, an upload, …) over all samples: @ns holds its time in each.
 */
typedef struct {
  const char *stage;
  const char *name;
  guint64 bytes;
  gboolean headline;
  GArray *ns;
} MsStageSeries;

/**
 * MsMeasurement: everything known of one configuration.
 * @samples: (element-type double): nanoseconds, in the order taken
 * @walls: (element-type double): what the same runs took by the clock on the wall
 * @prepare_ns: wall time of building and allocating
 * @first_ns: the first run, which @samples leaves out; NAN when it did not end
 * @first_wall_ns: the same by the clock on the wall, with whatever the runtime puts off until then
 * @rejected: runs thrown away because an event ended before it started
 * @joules: energy of one run, with all that the host does around its kernels, from the counter of @energy_source; NAN
 *   where there is none
 * @watts: mean power over the same runs, waits between kernels included
 */
typedef struct {
  MsOutcome outcome;
  char *message;
  GArray *samples;
  GArray *walls;
  GPtrArray *stages;
  double prepare_ns;
  double first_ns;
  double first_wall_ns;
  guint rejected;
  MsVerification verification;
  MsWork work;
  double joules;
  double watts;
  char *energy_source;
} MsMeasurement;

MsMeasurement *ms_measurement_new(void);
void ms_measurement_free(MsMeasurement *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsMeasurement, ms_measurement_free)
MsStageSeries *ms_measurement_stage(MsMeasurement *self, const char *stage, const char *name);
void ms_measurement_fail(MsMeasurement *self, MsOutcome outcome, const char *message);
void ms_measurement_keep(MsMeasurement *self, const MsSample *sample, double wall_ns);
MsSummary ms_measurement_summarise(const MsMeasurement *self);
double ms_measurement_first_extra_ns(const MsMeasurement *self);

/**
 * MsMeasureProgress: called between runs with the share done (0..1), the subject just run and its measurement
 * so far.
 */
typedef void (*MsMeasureProgress)(double fraction, guint index, const MsMeasurement *measurement, gpointer data);

gboolean ms_measure(MsSubject **subjects, MsMeasurement **measurements, guint n, const MsMeasureOptions *options,
                    MsMeasureProgress progress, gpointer data, GCancellable *cancellable, GError **error);

G_END_DECLS
