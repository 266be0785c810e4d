/* SPDX-License-Identifier: MIT */
/* The serial reference: methods 1.1 and 1.2 in plain C on one thread, without any optimisation. */
#pragma once

#include <gio/gio.h>

#include "core/filter/no-data.h"
#include "core/filter/settings/settings.h"
#include "core/image/common/image.h"

/** MsProgressFunc: called with @done of @total rows from the thread that computes. */
typedef void (*MsProgressFunc)(int done, int total, gpointer user_data);

/**
 * MsReferenceRun: the region and the reports of a run; every member may be %NULL.
 * @region: the rectangle to compute, %NULL for the whole image
 * @coarser: the result of the level above where it is known; only the rows of the source that can influence the region
 *   are read then
 * @no_data: the pixels that no window counts; ms_reference_run() finds those of the source itself
 * @samples: (inout): grows by the number of window pixels tested in all iterations of all pixels
 * @progress: called after each row
 * @cancellable: checked before each row
 */
typedef struct {
  const MsRegion *region;
  MsImage *coarser;
  const MsNoData *no_data;
  guint64 *samples;
  MsProgressFunc progress;
  gpointer progress_data;
  GCancellable *cancellable;
} MsReferenceRun;

MsImage *ms_reference_run(MsImage *source, const MsParams *params, const MsReferenceRun *run, GError **error);
MsImage *ms_reference_run_with_modes(MsImage *source, const MsParams *params, guint16 *modes, const MsReferenceRun *run,
                                     GError **error);

int ms_reference_mean(gint64 sum, int n, MsRule rule);
