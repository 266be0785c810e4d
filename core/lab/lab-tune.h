/* SPDX-License-Identifier: MIT */
/* Tuning on a device: searches the toggles of the filter for the fastest. */
#pragma once

#include "core/image/common/image.h"
#include "core/lab/measure/journal.h"
#include "core/lab/report/report.h"
#include "core/lab/tune/tuner.h"
#include "core/opencl/context.h"

/**
 * MsLabTuneRequest:
 * @context: (transfer none): the device to tune for
 * @image: (nullable): the picture to filter; %NULL for a generated scene of @width by @height pixels
 * @fixed: (nullable): parameters of the problem: sp, sr, …
 * @budget_s: seconds for the whole search
 * @fresh: forget an earlier search of the same device, driver and problem instead of resuming it
 * @directory: (nullable): folder of the saved searches; %NULL for the user's data folder
 * @journal: (nullable) (transfer none): the trials of processes that the driver has ended are taken from it
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
  MsLabJournal *journal;
  MsTuneRecord **unfinished;
  MsTuneProgress progress;
  gpointer progress_data;
} MsLabTuneRequest;

void ms_lab_tune_request_init(MsLabTuneRequest *request, MsContext *context);
MsTuneRecord *ms_lab_tune(const MsLabTuneRequest *request, GCancellable *cancellable, GError **error);
MsReport *ms_lab_tune_report(const MsTuneRecord *record);
