/* SPDX-License-Identifier: MIT */
/* Shared by tests that run experiments: the device under test, a folder for reports, checks of rows and files. */
#pragma once

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

void ms_lab_fixture_add(const MsLabTest *test);
void ms_lab_fixture_assert_row(const MsReport *report, const MsReportRow *row);
void ms_lab_fixture_assert_file(const MsLabFixture *self, const char *name, const char *ending);
