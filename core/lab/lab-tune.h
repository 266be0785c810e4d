/* SPDX-License-Identifier: MIT */
/* Tuning on a device: searches the toggles of the filter for the fastest. */
#pragma once

#include "core/engine/tuned.h"
#include "core/image/common/image.h"
#include "core/lab/measure/log.h"
#include "core/lab/report/report.h"
#include "core/lab/tune/tuner.h"
#include "core/opencl/context.h"

/**
 * MsLabTuneRequest:
 * @context: (transfer none): the device to tune for
 * @image: (nullable): the picture to filter; %NULL for a generated scene of @width by @height pixels
 * @fixed: (nullable): parameters of the problem: sp, sr, …
 * @budget_s: seconds for the whole search
 * @fresh: forget the earlier searches of the same device, driver and class of problems instead of going on
 * @directory: (nullable): folder of the saved searches; %NULL for the user's data folder
 * @log: (nullable) (transfer none): of the command: which configurations have ended a process
 * @unfinished: (out) (optional) (nullable): receives the trials of a search that was cancelled
 */
typedef struct {
  MsContext *context;
  MsImage *image;
  int width;
  int height;
  const MsFactors *fixed;
  double budget_s;
  gboolean fresh;
  guint32 seed;
  const char *directory;
  MsLabLog *log;
  MsReport **unfinished;
  MsTuneProgress progress;
  gpointer progress_data;
} MsLabTuneRequest;

void ms_lab_tune_request_init(MsLabTuneRequest *request, MsContext *context);
MsReport *ms_lab_tune(const MsLabTuneRequest *request, GCancellable *cancellable, GError **error);

/* What was tried on a device. */
char *ms_lab_tune_problem(const MsFactors *problem);
char *ms_lab_tune_log_path(const char *directory, const MsWinnerKey *key);
MsReport *ms_lab_tune_load(const char *directory, const MsWinnerKey *key);
