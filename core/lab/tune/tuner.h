/* SPDX-License-Identifier: MIT */
/* The tuner: searches a space of factors for the fastest configuration within a time budget; failures are recorded. */
#pragma once

#include <gio/gio.h>

#include "core/lab/report/report.h"

/**
 * MsTuneConstraint: returns (transfer full) (nullable): the reason why @factors cannot run, found without building
 * anything.
 */
typedef GError *(*MsTuneConstraint)(const MsFactors *factors, gpointer data);

/**
 * MsTuneEvaluate: measures and verifies one configuration.
 * @seconds: the time that the configuration may take, after which it has failed; 0 for no limit
 * @measured: (inout): gets the time of the configuration, or why it failed
 *
 * Returns: %FALSE only when cancelled
 */
typedef gboolean (*MsTuneEvaluate)(const MsFactors *factors, double seconds, MsMeasurement *measured,
                                   GCancellable *cancellable, gpointer data, GError **error);

/** MsTuneDimension: one key and the values it may take, in an order in which neighbours have similar times. */
typedef struct {
  char *key;
  char **values;
} MsTuneDimension;

typedef struct _MsTuneSpace MsTuneSpace;

MsTuneSpace *ms_tune_space_new(MsTuneConstraint constraint, MsTuneEvaluate evaluate, gpointer data);
void ms_tune_space_free(MsTuneSpace *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsTuneSpace, ms_tune_space_free)
void ms_tune_space_add(MsTuneSpace *self, const char *key, const char *const *values);
guint64 ms_tune_space_size(const MsTuneSpace *self);

/* A search as a report, whose rows are the configurations that were tried. */
MsReport *ms_tune_report_new(const char *problem, const MsFactors *fixed);
MsReportRow *ms_tune_find(const MsReport *report, const MsFactors *factors);
MsFactors *ms_tune_settings(const MsReportRow *row);
const MsReportRow *ms_tune_best(const MsReport *report);
MsReportRow *ms_tune_add(MsReport *report, const MsFactors *factors, MsMeasurement *measured);
void ms_tune_rank(MsReport *report);
gboolean ms_tune_check(const MsReport *report, GError **error);

/** MsTuneProgress: called after every trial, in the thread that searches. @trial: (nullable): the last one */
typedef void (*MsTuneProgress)(MsReport *report, const MsReportRow *trial, double fraction, gpointer data);

/**
 * MsTuneOptions:
 * @budget_s: seconds for the whole search; 0 for no limit
 * @is_continued: whether an earlier process began the search, so that its budget may be over before anything is tried
 * @start: (nullable): the first point of the greedy search
 * @clock: (nullable): returns microseconds, instead of the host's clock; @clock_data: for it
 * @progress: (nullable)
 */
typedef struct {
  double budget_s;
  gboolean is_continued;
  guint32 seed;
  const MsFactors *start;
  gint64 (*clock)(gpointer data);
  gpointer clock_data;
  MsTuneProgress progress;
  gpointer progress_data;
} MsTuneOptions;

gboolean ms_tune_search(MsTuneSpace *space, MsReport *report, const MsTuneOptions *options, GCancellable *cancellable,
                        GError **error);
