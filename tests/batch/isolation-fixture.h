/* SPDX-License-Identifier: MIT */
/*
 * Batches in worker processes: the test program is its own worker, on an engine that dies or hangs for some widths or
 * as variables of the environment demand.
 */
#pragma once

#include "core/batch/supervisor.h"
#include "core/batch/worker.h"
#include "core/service/service.h"
#include "tests/batch/batch-fixture.h"

/* Widths of images at which the engine aborts, hangs, is killed, takes memory, or aborts after half a second. */
#define ABORTS 17
#define HANGS 19
#define IS_KILLED 21
#define ABORTS_ONCE 23
#define IS_GREEDY 25
#define ABORTS_LATE 27

/* The memory that the engine takes at the width IS_GREEDY, and the limit that this exceeds. */
#define GREEDY_BYTES ((gsize)640 << 20)
#define MEMORY_LIMIT (G_GUINT64_CONSTANT(512) << 20)

/* The engine dies while it is opened, or for every image. */
#define AT_OPENING "MS_TEST_DIES_AT_OPENING"
#define ALWAYS "MS_TEST_DIES_ALWAYS"
#define AFTER_SAVING "MS_TEST_AFTER_SAVING"

/* In the environment: the type of the engine's device, "gpu" without it. */
#define DEVICE_TYPE "MS_TEST_DEVICE_TYPE"

/* In the environment: a file that a worker creates a second after it has reported its end. */
#define LINGERS "MS_TEST_LINGERS"

/* The value of AT_OPENING with which it dies in the first worker only. */
#define ONCE "once"

/* Names a file that exists once the engine has aborted at the width ABORTS_ONCE or at its first opening. */
#define MARKER "MS_TEST_MARKER"

/* Names a file that gets a byte for each worker. */
#define WORKERS "MS_TEST_WORKERS"

int isolation_work(void);
void ms_test_batch_pipes(void);
MsSupervisor *isolation_new_supervisor(BatchFixture *f, double timeout_s);
gboolean isolation_supervise(BatchFixture *f, GPtrArray *items, double timeout_s, GError **error);
