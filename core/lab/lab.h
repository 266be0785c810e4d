/* SPDX-License-Identifier: MIT */
/*
 * The front door of the lab: run experiments, compare with a baseline, tune for a device. Blocking; use a thread in
 * the window.
 */
#pragma once

#include <gio/gio.h>

#include "core/filter/options.h"
#include "core/image/image.h"
#include "core/lab/report/compare.h"
#include "core/lab/report/report.h"
#include "core/lab/tune/tune-store.h"
#include "core/opencl/context.h"
#include "core/reduce/reduce-plan.h"

G_BEGIN_DECLS

/**
 * MsLabProgress: called from the thread that measures. @report: what is known so far; @row: just changed
 * (nullable).
 */
typedef void (*MsLabProgress)(const MsReport *report, const MsReportRow *row, double fraction, const char *message,
                              gpointer data);

/**
 * MsLabRequest: how experiments are to be run; zero it with ms_lab_request_init().
 * @context: (transfer none): the device that runs them
 * @contexts: (nullable) (element-type MsContext): the devices that split-adaptive shares an image among
 * @image: (nullable): filtered at its own size instead of generated scenes at the published sizes
 * @input: (nullable): what to call @image in the report
 * @quick: scaled-down sizes and shorter axes
 * @measure: noise, budget, repeats and seed
 * @report_dir: (nullable): where CSV, JSON, Markdown and SVG go; an interrupted experiment found there is
 *   resumed
 * @resume: leave out experiments whose finished report is there; without it they are measured anew
 */
typedef struct {
  MsContext *context;
  GPtrArray *contexts;
  MsImage *image;
  const char *input;
  gboolean quick;
  MsMeasureOptions measure;
  const char *report_dir;
  gboolean resume;
  MsLabProgress progress;
  gpointer progress_data;
} MsLabRequest;

void ms_lab_request_init(MsLabRequest *request, MsContext *context, gboolean quick);

char *ms_lab_list_text(GError **error);
GPtrArray *ms_lab_list_nodes(GError **error);
GPtrArray *ms_lab_report_paths(const char *const *names, const char *directory, GError **error);
MsReport *ms_lab_run_experiment(MsExperiment *experiment, const MsLabRequest *request, GCancellable *cancellable,
                                GError **error);
GPtrArray *ms_lab_run_experiments(const char *const *names, const MsLabRequest *request, GCancellable *cancellable,
                                  GError **error);

GPtrArray *ms_lab_baseline_load(const char *path, const char *const *names, GError **error);
GPtrArray *ms_lab_compare(GPtrArray *baseline, GPtrArray *reports, double noise);
gboolean ms_lab_comparisons_slower(GPtrArray *comparisons);
guint ms_lab_comparisons_judged(GPtrArray *comparisons);

/**
 * MsLabTuneRequest:
 * @context: (transfer none): the device to tune for
 * @kind: "mean-shift" or "reduce"
 * @image: (nullable): what is filtered; without it a generated scene of @width x @height
 * @fixed: (nullable): parameters of the problem: sp, sr, … or reduce, type, size
 * @budget_s: seconds for the whole search
 * @fresh: forget an earlier search of the same device, driver and problem instead of resuming it
 * @directory: (nullable): where searches are kept; without it the user's data folder
 */
typedef struct {
  MsContext *context;
  const char *kind;
  MsImage *image;
  int width;
  int height;
  const MsFactors *fixed;
  MsTuneStrategy strategy;
  double budget_s;
  gboolean fresh;
  guint32 seed;
  const char *directory;
  MsTuneProgress progress;
  gpointer progress_data;
} MsLabTuneRequest;

void ms_lab_tune_request_init(MsLabTuneRequest *request, MsContext *context);
MsTuneRecord *ms_lab_tune(const MsLabTuneRequest *request, GCancellable *cancellable, GError **error);
MsSettings ms_lab_tuned_settings(const MsSettings *settings, MsDevice *device, int width, int height);
gboolean ms_lab_tuned_reduce_options(const MsReduceSpec *spec, MsReduceOptions *options, guint64 n, MsDevice *device);

G_END_DECLS
