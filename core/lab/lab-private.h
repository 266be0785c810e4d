/* SPDX-License-Identifier: MIT */
/* The state of ms_lab_run_experiment(): lab.c makes rows and reports, lab-group.c measures the rows of one group. */
#pragma once

#include "core/lab/kinds/kind.h"
#include "core/lab/lab.h"

/* One run of ms_lab_run_experiment(). */
typedef struct {
  MsExperiment *experiment;
  const MsLabRequest *request;
  MsReport *report;
  MsLabBench *bench;
  MsMeasureOptions measure;
  GCancellable *cancellable;
  guint done;
  GPtrArray *group_rows; /* MsReportRow: the group being measured */
} MsLabRun;

const MsLabKind *ms_lab_kind_of(const MsExperiment *experiment, const MsFactors *factors, GError **error);
void ms_lab_report_progress(MsLabRun *run, const MsReportRow *row, double fraction, const char *message);
gboolean ms_lab_measure_group(MsLabRun *run, GError **error);
