/* SPDX-License-Identifier: MIT */
/*
 * MsLane: a device that takes tiles of pictures; MsLevel: the plan of a picture, or of a level above it, in its hands;
 * MsTile: some rows of it.
 */
#pragma once

#include "core/filter/plan/plan.h"
#include "core/filter/tiles.h"
#include "core/opencl/context.h"

/** MsDeviceBuffer: a device buffer that only grows. */
typedef struct {
  cl_mem mem;
  gsize bytes;
} MsDeviceBuffer;

/**
 * MsFilterBuffers: the device memory of a tile, kept between pictures so that a repeated run allocates nothing; all
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

/**
 * MsTile: rows of the result that a device computes together.
 * @held: the rows of the source that they need
 * @pixels: (nullable): for their result, which stays on the device where it is %NULL
 */
typedef struct {
  MsRows rows;
  MsRows held;
  guint8 *pixels;
  MsFilterBuffers *buffers;
} MsTile;

/**
 * MsLevel: a plan in the hands of a device.
 * @job: of the picture; its log gets a row for the build and one for each transfer and launch
 * @plan: of the picture, or of the level above it
 * @tiles: (nullable): the list from which the device, number @device of it, takes tiles of the picture; %NULL for a
 *   level above it, whose rows are no progress
 * @tables: (nullable): of the colours of the source, for plans that convert them
 * @start_tile: (nullable): called with @start_data for each tile when its source is on the device, before the
 *   passes of its bands
 */
typedef struct MsLevel MsLevel;
struct MsLevel {
  MsContext *context;
  const MsJob *job;
  const MsPlan *plan;
  MsTiles *tiles;
  guint device;
  cl_kernel kernels[MS_PLAN_MAX_PASSES];
  GBytes *tables;
  gboolean (*start_tile)(const MsLevel *level, const MsTile *tile, gpointer data, GError **error);
  gpointer start_data;
};

/**
 * MsLane: a device with the buffers and programs that it keeps for the next picture. At first only @context and @share
 * are set.
 * @up, @down: (nullable): further queues, for plans that overlap transfers with kernels
 * @slots: the memory of the tiles under way; the first serves plans that have one tile at a time
 * @above: the memory of the levels above the picture
 * @speed: pixels a millisecond in the last picture; 0 where it is unknown
 */
typedef struct {
  MsContext *context;
  MsDeviceShare share;
  MsContext *up;
  MsContext *down;
  MsFilterBuffers slots[MS_PLAN_MOST_DEPTH];
  MsFilterBuffers above[MS_LEVELS_MAX];
  double speed;
} MsLane;

void ms_filter_buffers_release(MsFilterBuffers *self);

gboolean ms_level_open(MsLevel *self, GError **error);
void ms_level_close(MsLevel *self);
gboolean ms_level_reserve(const MsLevel *self, const MsTile *tile, GError **error);
gboolean ms_level_upload(const MsLevel *self, const MsTile *tile, GError **error);
gboolean ms_level_prepare_source(const MsLevel *self, const MsTile *tile, GError **error);
gboolean ms_level_enqueue_bands(const MsLevel *self, const MsTile *tile, GError **error);
gboolean ms_level_run_bands(const MsLevel *self, const MsTile *tile, GError **error);
gboolean ms_level_run_one_by_one(const MsLevel *self, MsFilterBuffers *buffers, GError **error);

gboolean ms_levels_run(MsLane *lane, const MsLevel *picture, GError **error);

gboolean ms_job_stays(const MsJob *job, const MsPlan *plan);
gboolean ms_lane_run(MsLane *self, const MsJob *job, const MsPlan *plan, MsTiles *tiles, guint device, GError **error);
void ms_lane_release(MsLane *self);
