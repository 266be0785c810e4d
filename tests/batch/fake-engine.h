/* SPDX-License-Identifier: MIT */
/* An engine whose behaviour a test chooses: it computes the right or a wrong result, fails, or is cancelled. */
#pragma once

#include "core/engine/engine.h"

typedef struct _FakeEngine FakeEngine;

typedef enum {
  TRUE_ENGINE,
  WRONG_ENGINE,
  FAILING_ENGINE,
  FAILING_LANES,
} FakeBehaviour;

/**
 * FakeEngine: freed with its engine.
 * @stand_in: its lanes are the images at once
 * @cancel_after_first: (not owned): is cancelled at the end of the first run
 * @runs: counts the runs of this engine, without those of its lanes; of a stream, the times that rows were written
 * @root: (nullable) (not owned): the engine whose lane this is
 * @lane_runs: runs of all lanes opened from this engine; atomic
 * @meeting: counts runs in progress in this engine and its lanes; @most_meeting the most seen; atomic
 */
struct _FakeEngine {
  MsEngine *base;
  MsEngineStandIn stand_in;
  FakeBehaviour behaviour;
  GCancellable *cancel_after_first;
  guint runs;
  FakeEngine *root;
  int lane_runs;
  int meeting;
  int most_meeting;
};

FakeEngine *fake_engine_new(void);
