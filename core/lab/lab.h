/* SPDX-License-Identifier: MIT */
/*
 * Runs experiments on a device and reports on them: what is shipped, one or several of them, their comparison with a
 * baseline.
 */
#pragma once

#include "core/image/common/image.h"
#include "core/lab/report/compare.h"
#include "core/lab/report/report.h"
#include "core/lab/kinds/measure.h"
#include "core/opencl/context.h"

/**
 * MsLabProgress: is called by the thread that measures.
 * @report: has the rows that are measured already
 * @fraction: the part of the whole work that is done, from 0 to 1
 * @message: names what is being measured
 */
typedef void (*MsLabProgress)(const MsReport *report, double fraction, const char *message, gpointer data);

/**
 * MsLabRequest: how to run experiments; initialise it with ms_lab_request_init().
 * @context: (transfer none): the device that runs them
 * @contexts: (nullable) (element-type MsContext): the devices that experiments of kind split share an image among
 * @image: (nullable): filtered at its own size instead of generated scenes at the published sizes, by experiments that
 *   take one
 * @input: (nullable): name of @image in the report
 * @quick: scaled-down sizes and shorter axes
 * @measure: noise, budget, repeats and seed
 * @report_dir: (nullable): folder for the files of reports and the log of rows, from which an interrupted experiment
 *   goes on
 * @report_folder: that folder as it was when the run began, so that no other one gets reports; zeros for any
 * @sensor: (nullable) (transfer none): of the device; %NULL for what its machine has
 * @retries: how often a group is measured again of which a row was disturbed, see ms_conditions_are_disturbed()
 * @columns: optional columns beside those that the experiment asks for
 * @accept_disturbed: such rows are ranked, and not measured again
 * @log: (nullable) (transfer none): of the command: rows of processes that the driver has ended are taken from it
 * @unfinished: (nullable) (element-type MsReport): receives the reports made before a run ended with an error
 * @resume: skip experiments that @report_dir has whole; otherwise they are measured again
 */
typedef struct {
  MsContext *context;
  GPtrArray *contexts;
  MsImage *image;
  const char *input;
  gboolean quick;
  MsMeasureOptions measure;
  const char *report_dir;
  MsFileId report_folder;
  MsSensor *sensor;
  guint retries;
  MsColumns columns;
  gboolean accept_disturbed;
  MsLabLog *log;
  GPtrArray *unfinished;
  gboolean resume;
  MsLabProgress progress;
  gpointer progress_data;
} MsLabRequest;

void ms_lab_request_init(MsLabRequest *request, MsContext *context, gboolean quick);

MsReport *ms_lab_run_experiment(MsExperiment *experiment, const MsLabRequest *request, GCancellable *cancellable,
                                GError **error);

char *ms_lab_list_text(GError **error);
GPtrArray *ms_lab_list_nodes(GError **error);
GPtrArray *ms_lab_report_paths(const char *const *names, const char *directory, GError **error);
GPtrArray *ms_lab_run_experiments(const char *const *names, const MsLabRequest *request, GCancellable *cancellable,
                                  GError **error);

GPtrArray *ms_lab_baseline_load(const char *path, const char *const *names, GError **error);
