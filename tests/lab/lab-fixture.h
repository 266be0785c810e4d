/* SPDX-License-Identifier: MIT */
/* Shared by tests that run experiments: the device under test, a folder for reports, checks of rows and files. */
#pragma once

#include "core/lab/kinds/kind.h"
#include "core/lab/lab.h"

/** MsLabFixture: @folder receives the reports of @request, which measures for an instant only. */
typedef struct {
  MsContext *context;
  char *folder;
  MsLabRequest request;
} MsLabFixture;

/** MsLabTest: a test that needs a device; it is skipped where there is none. */
typedef struct {
  const char *path;
  void (*run)(MsLabFixture *fixture, gconstpointer data);
} MsLabTest;

/** MS_LAB_SMALL: the text of an experiment of six rows, three of each size. */
#define MS_LAB_SMALL                                                                                                   \
  "[Experiment]\nTitle=Unrolling, small\nKind=mean-shift\n"                                                            \
  "[Axes]\nsize=48x40;33x21\nunroll=1;2;4\nwork-group=8x4\n"                                                           \
  "[Fixed]\nkernel=direct\nsp=4\nsr=20\n[Baseline]\nunroll=1\n[Plot]\nX=unroll\n"

MsConfiguration *ms_lab_fixture_fake(const MsLabKind *kind, const char *label);
void ms_lab_fixture_add(const MsLabTest *test);
void ms_lab_fixture_assert_row(const MsReport *report, const MsReportRow *row);
void ms_lab_fixture_assert_file(const MsLabFixture *self, const char *name, const char *ending);
MsReport *ms_lab_fixture_run(MsLabFixture *self, const char *text, GCancellable *cancellable, GError **error);
