/* SPDX-License-Identifier: MIT */
/* The state of ms_measure(): measure.c decides the rounds, measure-run.c runs one configuration. */
#pragma once

#include "core/lab/measure/measure.h"

/* The state of one configuration during ms_measure(). */
typedef struct {
  guint index;
  MsSubject *subject;
  MsMeasurement *measurement;
  double spent_s;
  double wall_ns; /* of the last run */
  guint rejected_in_a_row;
  gboolean prepared;
  gboolean active;
} MsMeasureRunner;

typedef struct {
  MsMeasureRunner *runners;
  guint n;
  const MsMeasureOptions *options;
  GCancellable *cancellable;
  GRand *random;
  gint64 started_us;
  guint *order;     /* of the current round, or of the even round before it */
  guint round;      /* the first is even */
  guint next_check; /* the round after which the comparisons are judged again */
} MsMeasureCampaign;

gboolean ms_measure_is_anchor(const MsMeasureCampaign *campaign, const MsMeasureRunner *runner);
gboolean ms_measure_open(MsMeasureCampaign *campaign, MsMeasureRunner *runner, MsSample *sample, GError **error);
gboolean ms_measure_take_sample(MsMeasureCampaign *campaign, MsMeasureRunner *runner, MsSample *sample, double *into,
                                GError **error);
gboolean ms_measure_close(MsMeasureCampaign *campaign, MsMeasureRunner *runner, GError **error);
gboolean ms_measure_energy(MsMeasureCampaign *campaign, MsMeasureRunner *runner, MsSample *sample, GError **error);
