/* SPDX-License-Identifier: MIT */
/*
 * An engine of the batch whose behaviour a test chooses: it computes as the reference does, or errs, or fails, or is
 * cancelled.
 */
#pragma once

#include "core/engine/engine.h"

G_BEGIN_DECLS

#define FAKE_TYPE_ENGINE (fake_engine_get_type())
G_DECLARE_FINAL_TYPE(FakeEngine, fake_engine, FAKE, ENGINE, MsEngine)

typedef enum {
  TRUE_ENGINE,
  WRONG_ENGINE,
  FAILING_ENGINE,
} FakeBehaviour;

/** FakeEngine: @cancel_after_first (not owned) is cancelled at the end of the first run; @runs counts them all. */
struct _FakeEngine {
  MsEngine parent_instance;
  FakeBehaviour behaviour;
  GCancellable *cancel_after_first;
  guint runs;
};

G_END_DECLS
