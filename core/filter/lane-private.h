/* SPDX-License-Identifier: MIT */
/* MsFilterRun: executes a plan tile by tile and band by band, on one device. */
#pragma once

#include "core/filter/mean-shift.h"
#include "core/filter/tiles.h"

/** MsDeviceBuffer: a device buffer that only grows. */
typedef struct {
  cl_mem mem;
  gsize bytes;
} MsDeviceBuffer;

/**
 * MsFilterBuffers: the device memory of a filter, kept between its runs so that a repeated run allocates nothing; all
 * zero before the first run.
 * @modes: for plans with modes
 * @mask: for plans with a mask
 * @edges: a byte for each pixel of the level above, for plans with a mask
 * @tables: for plans that convert colours, with the values of @tables_held
 */
typedef struct {
  MsDeviceBuffer source;
  MsDeviceBuffer result;
  MsDeviceBuffer modes;
  MsDeviceBuffer mask;
  MsDeviceBuffer edges;
  MsDeviceBuffer scratch[MS_PLAN_MAX_SCRATCH];
  cl_mem tables;
  GBytes *tables_held;
  cl_mem image;
  gsize image_width;
  gsize image_height;
} MsFilterBuffers;

typedef struct MsFilterRun MsFilterRun;

/**
 * MsFilterRun:
 * @job: of the picture; its log is not that of the run where pieces keep their own
 * @is_picture: whether it is the picture itself and no level above it, whose early rows the caller wants
 * @log: (nullable): gets a row for the build and one for each transfer and launch
 * @tiles: the list that the device, number @device of it, takes tiles from
 * @tile: rows of the result that the buffers hold now
 * @held: the rows of the image that they need
 * @band: rows of the result that are launched together
 * @source: the pixels of the whole image
 * @pixels: (nullable): for the result of the tile
 * @modes: (nullable): column and row for each pixel of the region, for plans with modes
 * @stays: whether result and modes stay on the device
 * @tables: (nullable): of the colours of the source, for plans that convert them
 * @coarser: (nullable): the pixels of the result of the level above, for a plan that has it
 * @start_tile: (nullable): called with @start_data for each tile when its source is on the device, before the
 *   passes of its bands
 */
struct MsFilterRun {
  const MsJob *job;
  gboolean is_picture;
  MsContext *context;
  const MsPlan *plan;
  MsFilterBuffers *buffers;
  MsTimingLog *log;
  cl_kernel kernels[MS_PLAN_MAX_PASSES];
  MsTiles *tiles;
  guint device;
  MsRows tile;
  MsRows held;
  MsRows band;
  const guint8 *source;
  guint8 *pixels;
  guint16 *modes;
  gboolean stays;
  GBytes *tables;
  const guint8 *coarser;
  gboolean (*start_tile)(const MsFilterRun *tile, gpointer data, GError **error);
  gpointer start_data;
};

/**
 * MsLane: what a device needs to compute one tile after the other, kept between runs; all zero before the first one.
 * @up, @down: (nullable): further queues, for plans that overlap transfers with kernels
 * @slots: the memory of the tiles under way; the first serves plans that have one tile at a time
 */
typedef struct {
  MsContext *up;
  MsContext *down;
  MsFilterBuffers slots[MS_PLAN_MOST_DEPTH];
} MsLane;

/** MsFilterLevels: the device memory of the levels above the picture, all zero before the first run. */
typedef struct {
  MsFilterBuffers above[MS_LEVELS_MAX];
} MsFilterLevels;

void ms_filter_buffers_release(MsFilterBuffers *self);
gboolean ms_filter_run_reserve(MsFilterRun *self, GError **error);
gboolean ms_filter_run_create_kernels(MsFilterRun *self, GError **error);
void ms_filter_run_release_kernels(MsFilterRun *self);
gboolean ms_filter_run_launch(const MsFilterRun *self, MsGrid grid, GError **error);
gboolean ms_filter_run_upload(const MsFilterRun *self, GError **error);
gboolean ms_filter_run_download(const MsFilterRun *self, GError **error);
gboolean ms_filter_run_enqueue_bands(MsFilterRun *self, GError **error);
gboolean ms_filter_run_bands(MsFilterRun *self, GError **error);
void ms_filter_run_report(const MsFilterRun *self);
gboolean ms_filter_run(MsFilterRun *self, MsLane *lane, GError **error);

gboolean ms_filter_levels_run(MsFilterLevels *self, const MsFilterRun *run, GError **error);
void ms_filter_levels_release(MsFilterLevels *self);

gboolean ms_lane_run(MsLane *self, const MsFilterRun *run, GError **error);
void ms_lane_release_further(MsLane *self);
