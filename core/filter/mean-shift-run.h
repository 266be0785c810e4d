/* SPDX-License-Identifier: MIT */
/*
 * What the rooms of MsMeanShift share: the object, and what one run of it needs from stripe to stripe and band to band.
 */
#pragma once

#include "core/filter/bands.h"
#include "core/filter/mean-shift.h"

G_BEGIN_DECLS

/** MsDeviceBuffer: a device buffer that is kept between runs and only grows. */
typedef struct {
  cl_mem mem;
  gsize bytes;
} MsDeviceBuffer;

struct _MsMeanShift {
  GObject parent_instance;
  MsContext *context;
  GPtrArray *lanes; /* MsMeanShift: one for each further queue on the device, made for the first plan with lanes */
  MsDeviceBuffer source;
  MsDeviceBuffer result;
  MsDeviceBuffer scratch[MS_PLAN_MAX_SCRATCH];
  cl_mem image;
  gsize image_width;
  gsize image_height;
  guint64 memory_budget;
  MsProgressFunc progress;
  gpointer progress_data;
  gboolean early_rows;
  gboolean pipelined;
};

/**
 * MsFilterRun: one run.
 * @self: the filter whose queue and buffers it uses
 * @owner: the filter that the caller holds and that reports progress; another than @self only in a further lane
 * @stripe: rows of the result that the device's buffers hold now
 * @held: the rows of the image that they need
 * @band: rows of the result that are launched together
 * @rows_done: (nullable): rows computed by all runs that share the region; %NULL where this run computes it alone
 */
typedef struct {
  MsMeanShift *self;
  MsMeanShift *owner;
  const MsPlan *plan;
  const guint8 *source;
  guint8 *pixels;
  MsTimingLog *log;
  GCancellable *cancellable;
  cl_kernel kernels[MS_PLAN_MAX_PASSES];
  int *rows_done;
  MsRows stripe;
  MsRows held;
  MsRows band;
} MsFilterRun;

gboolean ms_filter_run_stripe(MsFilterRun *run, GError **error);
gboolean ms_filter_run_stripes(MsFilterRun *run, GError **error);

gboolean ms_filter_run_create_kernels(MsFilterRun *run, GError **error);
void ms_filter_run_release_kernels(MsFilterRun *run);
gboolean ms_filter_run_launch(MsFilterRun *run, gboolean of_stripe, GError **error);

G_END_DECLS
