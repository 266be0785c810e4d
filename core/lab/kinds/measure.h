/* SPDX-License-Identifier: MIT */
/* The measuring loop: rounds in which every configuration runs once, until medians and comparisons are settled. */
#pragma once

#include <gio/gio.h>

#include "core/lab/kinds/kind.h"
#include "core/lab/measure/log.h"

/**
 * MsMeasureProgress: called between runs with the share done (0..1), the configuration just run and its measurement so
 * far.
 */
typedef void (*MsMeasureProgress)(double fraction, guint index, const MsMeasurement *measurement, gpointer data);

/**
 * MsMeasureOptions:
 * @noise: relative spread of the medians at which repeating may stop, 0.01 for 1 %; also the least difference that
 *   counts in a comparison
 * @budget_s: running time in seconds, of each configuration, after which repeating stops
 * @time_s: seconds after which what has not ended is a time-out, looked at between runs; 0 for never
 * @step_s: seconds after which the process that watches this one ends it where one build, run or check has not ended
 * @log: (nullable) (transfer none): what an earlier process measured, and where this one keeps what it measures
 * @warm_up: runs between the first run and the first sample
 * @min_repeats: samples taken even when the noise is low
 * @max_repeats: samples never exceeded
 * @give_up_ns: a configuration whose first run takes longer is not run again, that run is its only sample; 0 for never
 * @seed: seed of the random order, so that a measurement can be repeated
 * @baselines: (nullable) (array): for each configuration the index of the one it is compared with, its own for none;
 *   %NULL compares all with the first
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
  MsLabLog *log;
  guint warm_up;
  guint min_repeats;
  guint max_repeats;
  double give_up_ns;
  guint32 seed;
  const guint *baselines;
  guint64 (*clock)(gpointer data);
  gpointer clock_data;
  MsSensor *sensor;
  gboolean energy;
  MsMeasureProgress progress;
  gpointer progress_data;
} MsMeasureOptions;

void ms_measure_options_init(MsMeasureOptions *options, gboolean quick);

gboolean ms_measure(MsConfiguration **configurations, MsMeasurement **measurements, guint n,
                    const MsMeasureOptions *options, GCancellable *cancellable, GError **error);
