/* SPDX-License-Identifier: MIT */
/* A simulated device for the tuner: a planted optimum among configurations that are refused, fail, differ or hang. */
#pragma once

#include "core/lab/tune/tuner.h"

typedef struct {
  guint evaluations;
  guint cancel_after; /* 0 for never */
  GCancellable *campaign;
  gboolean everything_fails;
  double hang_s;        /* how long one that hangs takes, 5 ms by default */
  gint64 evaluation_us; /* the time of an evaluation by the simulated clock */
  gint64 now_us;
} TuneDevice;

MsTuneSpace *tune_fixture_space_new(TuneDevice *device);
MsTuneSpace *tune_fixture_space(TuneDevice *device);
MsReport *tune_fixture_new(void);
MsReport *tune_fixture_search(void);
void tune_fixture_assert_optimum(const MsReport *report);
