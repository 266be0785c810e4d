/* SPDX-License-Identifier: MIT */
/* MsMeanShift: runs plans on one device and keeps its buffers there between runs. */
#pragma once

#include "core/filter/plan/plan.h"
#include "core/filter/reference.h"
#include "core/opencl/context.h"

typedef struct _MsMeanShift MsMeanShift;

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
 * MsFilterRequest: one image to filter.
 * @region: (nullable): the rectangle to compute, %NULL for the whole image
 * @modes: (nullable) (out caller-allocates): column and row of the mode, the position at which each pixel converges,
 *   two numbers a pixel of the region. The result's colours are then in the space of the settings, as
 *   ms_space_convert() stores them, since ms_segmentation_new() compares them there.
 * @stay: (nullable) (out caller-allocates): for a request with modes: where the device holds the whole picture, result
 *   and modes stay there and neither is downloaded; they belong to the caller and are valid until the next run
 * @coarser: (nullable): the result of the level above, where it is known, for settings with levels and without modes;
 *   only the rows of @source that can influence the region are read then
 * @pipelined: whether the plan may cut a large picture into pieces, so that transfers overlap kernels, once runs with
 *   the same settings have measured that this is faster
 * @early_rows: whether the rows of each band are in the caller's pixels when @progress is called, so that a window can
 *   show them; without @pipelined. This downloads each row twice; the log has the final download only
 * @progress: (nullable): called after each band, from the thread that runs
 * @log: (nullable): gets build, upload, kernel and download rows, resolved
 * @cancellable: (nullable): checked before each band
 */
typedef struct {
  MsImage *source;
  const MsSettings *settings;
  const MsRegion *region;
  guint16 *modes;
  MsDeviceResult *stay;
  MsImage *coarser;
  gboolean pipelined;
  gboolean early_rows;
  MsProgressFunc progress;
  gpointer progress_data;
  MsTimingLog *log;
  GCancellable *cancellable;
} MsFilterRequest;

MsMeanShift *ms_mean_shift_new(MsContext *context);
void ms_mean_shift_free(MsMeanShift *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsMeanShift, ms_mean_shift_free)

MsContext *ms_mean_shift_get_context(MsMeanShift *self);
void ms_mean_shift_set_memory_budget(MsMeanShift *self, guint64 bytes);

MsPlan *ms_mean_shift_plan(MsMeanShift *self, const MsFilterRequest *request, GError **error);
GBytes *ms_mean_shift_alloc_result(MsMeanShift *self, const MsPlan *plan, gboolean may_pin, GError **error);
MsImage *ms_mean_shift_run(MsMeanShift *self, const MsFilterRequest *request, GError **error);
MsImage *ms_mean_shift_run_plan(MsMeanShift *self, const MsFilterRequest *request, const MsPlan *plan, GError **error);
gboolean ms_mean_shift_run_plan_into(MsMeanShift *self, const MsFilterRequest *request, const MsPlan *plan,
                                     guint8 *pixels, GError **error);
