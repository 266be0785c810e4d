/* SPDX-License-Identifier: MIT */
/* MsMeasurement: everything known of one configuration: samples, times of its commands, verification, energy. */
#pragma once

#include "core/lab/measure/statistics.h"
#include "core/outcome.h"

G_BEGIN_DECLS

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

G_END_DECLS
