/* SPDX-License-Identifier: MIT */
/* MsFilterRun: executes a plan over its region, stripe by stripe and band by band. */
#pragma once

#include "core/filter/mean-shift-launch.h"
#include "core/filter/reference.h"

/** MsStripeFunc: called for each stripe when its source is on the device, before the passes of its bands. */
typedef gboolean (*MsStripeFunc)(const MsFilterLaunch *stripe, gpointer data, GError **error);

/**
 * MsFilterRun:
 * @source: the pixels of the whole image
 * @pixels: region width x region height x 4 bytes for the result
 * @modes: (nullable): column and row for each pixel of the region, for plans with modes
 * @coarser: (nullable): the pixels of the result of the level above, for a plan that has it
 * @progress: (nullable): called after each band
 * @rows_done: (nullable): rows computed by all runs that share the region; %NULL where this run computes it alone
 * @start_stripe: (nullable): called with @start_data for each stripe, before its passes are enqueued
 * @early_rows: whether each band is downloaded before @progress is called
 */
typedef struct {
  MsFilterLaunch launch;
  const guint8 *source;
  guint8 *pixels;
  guint16 *modes;
  const guint8 *coarser;
  GCancellable *cancellable;
  MsProgressFunc progress;
  gpointer progress_data;
  int *rows_done;
  MsStripeFunc start_stripe;
  gpointer start_data;
  gboolean early_rows;
} MsFilterRun;

gboolean ms_filter_run_upload(MsFilterRun *self, GError **error);
gboolean ms_filter_run_download(MsFilterRun *self, GError **error);
gboolean ms_filter_run_bands(MsFilterRun *self, GError **error);
gboolean ms_filter_run_stripe(MsFilterRun *self, MsRows stripe, GError **error);
gboolean ms_filter_run(MsFilterRun *self, GError **error);
