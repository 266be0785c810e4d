/* SPDX-License-Identifier: MIT */
/*
 * MsJob: one picture to filter, as command line, batch, window, library and lab ask for it. It is passed down unchanged
 * to the device or the serial reference that computes it, and holds the further outputs beside the picture.
 */
#pragma once

#include <gio/gio.h>

#include "core/filter/pyramid/pyramid.h"
#include "core/image/common/image.h"
#include "core/opencl/program.h"
#include "core/opencl/timing.h"

/* In plan/plan.h, which reads jobs. */
typedef struct MsPlan MsPlan;

/** MS_DEVICES_MAX: devices that compute one picture together. */
#define MS_DEVICES_MAX 16

/** MsProgressFunc: called with @done of @total rows by the threads that compute, never by two at the same time. */
typedef void (*MsProgressFunc)(int done, int total, gpointer user_data);

/**
 * MsRowsFunc: called when further rows are final, from the thread that computes.
 * @pixels: of the region's result; its first @done rows are final
 */
typedef void (*MsRowsFunc)(const guint8 *pixels, int done, gpointer user_data);

/**
 * MsDeviceResult: what a filter leaves of a whole picture in the memory of a device; all %NULL for nothing.
 * @source: (nullable): the picture that was filtered, where it is there as it was uploaded
 */
typedef struct {
  cl_mem colours;
  cl_mem modes;
  cl_mem source;
} MsDeviceResult;

void ms_device_result_clear(MsDeviceResult *self);

/**
 * MsRowStream: where the rows of a picture come from and go to of which only some are in memory at a time.
 * @most_rows: of the result, counted from the first that is not written, that are computed or wait to be written
 * @read: called before the rows of the source above @end are used, which stay until the rows that they influence are
 *   written
 * @write: takes the rows that follow those written before; @pixels: (transfer full): of all columns
 * @data: for both; neither is called by two threads at the same time, but one may be while the other is
 * @written: (inout): rows that were written; a job that is run again goes on behind them
 * @failed: (out): whether the run failed since @read or @write did, or no memory was left for rows
 */
typedef struct {
  int most_rows;
  gboolean (*read)(int end, gpointer data, GError **error);
  gboolean (*write)(guint8 *pixels, MsRows rows, gpointer data, GError **error);
  gpointer data;
  int written;
  gboolean failed;
} MsRowStream;

/**
 * MsJob: the inputs, and from @used on the outputs. The inputs belong to the caller, who keeps them during the run.
 * @size: of a picture without @source, whose job is only planned
 * @region: (nullable): the rectangle to compute, %NULL for the whole picture
 * @settings_of: (nullable): for several devices, the settings of each in place of @settings; they differ in their
 *   toggles alone, since those never change the picture
 * @shares: (nullable): for several devices, the rows of each, handed out beforehand; %NULL for one list of tiles, of
 *   which each device takes the next when it is free
 * @plan: (nullable): the plan to carry out, for measurements that change one; it is of this source and region
 * @coarser: (nullable): the result of the level above, where it is known, for settings with levels and without modes.
 *   Only the rows of the source that can influence the region are read then
 * @wants_modes: also compute the modes of the whole picture, the column and row at which each pixel converges. The
 *   result's colours are then in the space of the settings, as ms_space_convert() stores them, since
 *   ms_segmentation_new() compares them there
 * @may_stay: with @wants_modes: result and modes may stay on one device that holds the whole picture. Then @stayed has
 *   them until the next run on that device, @modes is %NULL, and the image returned is the source
 * @interactive: keep bands short, so that cancelling takes effect soon
 * @stream: (nullable) (inout): for a whole picture of which only some rows are in memory, without modes, and with
 *   @coarser where there are levels; the image returned is the source then
 * @into: (nullable): memory for region width x region height x 4 bytes of the result, which the device may use; they
 *   are there if the image returned says so
 * @modes_into: (nullable): memory for the modes, two numbers a pixel, instead of @modes
 * @rows: (nullable): called with the rows that are final
 * @progress: (nullable): called with rows done and rows in all
 * @log: (nullable): gets rows for building, uploads, kernels and downloads
 * @samples: (nullable) (inout): grows by the window pixels that the serial reference tests in all iterations
 * @used: the settings with every `auto` resolved
 * @rejected: (nullable) (owned): why `auto` did not take faster kernels
 * @program: (nullable) (owned): the program that ran
 * @modes: (nullable) (owned): where wanted, two numbers a pixel
 * @stayed: (owned): see @may_stay
 */
typedef struct {
  MsImage *source;
  MsPyramidSize size;
  const MsSettings *settings;
  const MsRegion *region;
  const MsSettings *settings_of;
  const MsRows *shares;
  const MsPlan *plan;
  MsImage *coarser;
  gboolean wants_modes;
  gboolean may_stay;
  gboolean interactive;
  MsRowStream *stream;
  guint8 *into;
  guint16 *modes_into;
  MsRowsFunc rows;
  gpointer rows_data;
  MsProgressFunc progress;
  gpointer progress_data;
  MsTimingLog *log;
  GCancellable *cancellable;
  guint64 *samples;
  MsSettings used;
  char *rejected;
  MsProgramSpec *program;
  guint16 *modes;
  MsDeviceResult stayed;
} MsJob;

MsPyramidSize ms_job_get_size(const MsJob *self);
MsRegion ms_job_get_region(const MsJob *self);
guint16 *ms_job_get_modes(const MsJob *self);
gboolean ms_job_begin(MsJob *self, GError **error);
void ms_job_clear(MsJob *self);
