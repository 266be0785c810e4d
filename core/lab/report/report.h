/* SPDX-License-Identifier: MIT */
/* MsReport: the results of an experiment on a device, written as a table, CSV, JSON, Markdown and a chart. */
#pragma once

#include <json-glib/json-glib.h>

#include "core/chart/chart.h"
#include "core/lab/experiment/experiment.h"
#include "core/lab/measure/measure.h"

/** MsReportDevice: the device of the measurements; a baseline must come from the same one. */
typedef struct {
  char *name;
  char *platform;
  char *driver;
  char *type;
  guint compute_units;
  double peak_read_gb_per_s;
  double peak_copy_gb_per_s;
} MsReportDevice;

typedef struct _MsReport MsReport;

/**
 * MsReportRow: one configuration.
 * @report: the report that has it
 * @group: rows of one group did the same work, so their times can be compared
 * @speedup: over the group's baseline
 * @published: (element-type MsPublished): its published values, owned by the experiment
 */
typedef struct {
  const MsReport *report;
  MsFactors *factors;
  char *label;
  char *group;
  gboolean baseline;
  MsMeasurement *measurement;
  MsSummary summary;
  MsSpeedup speedup;
  GPtrArray *published;
} MsReportRow;

/**
 * MsReport: reference counted; read-only for those who receive it.
 * @date: ISO 8601, UTC
 * @compiler: (nullable): of the serial code that speed-ups are measured over, with its options
 * @restarts: how often the driver ended the process that measured
 * @anchors: (element-type utf8 MsMeasurement): for each group the anchor, measured in the same rounds as its rows
 */
struct _MsReport {
  MsExperiment *experiment;
  MsReportDevice device;
  char *program_version;
  char *compiler;
  char *date;
  char *input;
  gboolean quick;
  gboolean complete;
  double noise;
  guint32 seed;
  guint restarts;
  GPtrArray *rows;
  GHashTable *anchors;
};

MsReport *ms_report_new(MsExperiment *experiment);
MsReport *ms_report_snapshot(const MsReport *self);
MsReport *ms_report_ref(MsReport *self);
void ms_report_unref(MsReport *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsReport, ms_report_unref)

MsReportRow *ms_report_add_row(MsReport *self, const MsFactors *factors, const char *label, const char *group);
MsReportRow *ms_report_find_row(const MsReport *self, const MsFactors *factors);
void ms_report_finish_row(MsReport *self, MsReportRow *row);
MsReportRow *ms_report_find_baseline(const MsReport *self, const MsReportRow *row);
void ms_report_rank(MsReport *self);
MsTimes ms_report_get_anchor(const MsReport *self, const char *group);

char *ms_report_first_message(const MsReport *self);
guint ms_report_count(const MsReport *self, MsOutcome outcome);
