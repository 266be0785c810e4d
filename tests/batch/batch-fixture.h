/* SPDX-License-Identifier: MIT */
/*
 * Shared by the tests of the batch: a folder with images, a request for them, and runs on an engine that the test
 * controls.
 */
#pragma once

#include "core/batch/runner.h"
#include "core/process/driver.h"
#include "tests/batch/fake-engine.h"

typedef struct {
  char *folder;
  char *in;
  char *out;
  const char *inputs[8];
  MsBatchRequest request;
  MsBatchRun run;
  FakeEngine *engine;
  GCancellable *cancellable;
  guint n_finished;
  guint n_progress;
  gboolean falls_back;
  MsDriver *driver; /* (nullable): of a batch in workers */
  GPtrArray *problems;
} BatchFixture;

#define BATCH_FIXTURE_ADD(path, function)                                                                              \
  g_test_add("/batch/" path, BatchFixture, NULL, batch_fixture_set_up, function, batch_fixture_tear_down)

void batch_fixture_set_up(BatchFixture *f, gconstpointer data);
void batch_fixture_tear_down(BatchFixture *f, gconstpointer data);
void batch_fixture_add_picture(BatchFixture *f, const char *name, int width, int height);
void batch_fixture_add_file(BatchFixture *f, const char *folder, const char *name, const char *content);
GPtrArray *batch_fixture_plan(BatchFixture *f);
MsManifest *batch_fixture_open_manifest(const char *path, GError **error);
MsBatchItem *batch_fixture_item(GPtrArray *items, guint index);
char *batch_fixture_out_path(BatchFixture *f, const char *name);
void batch_fixture_assert_output(BatchFixture *f, const MsBatchItem *item, const char *name);
void batch_fixture_assert_reference(BatchFixture *f, const MsBatchItem *item);
gboolean batch_fixture_run(BatchFixture *f, GPtrArray *items, GError **error);
void batch_fixture_run_good(BatchFixture *f, GPtrArray *items);
