/* SPDX-License-Identifier: MIT */
/*
 * MsPlan: the complete description of a run, made before it starts: program parts, constants, passes, arguments,
 * tiles and bands.
 */
#pragma once

#include "core/filter/plan/job.h"
#include "core/opencl/device.h"

#define MS_PLAN_MAX_ARGS 14
#define MS_PLAN_MAX_PASSES 8
#define MS_PLAN_MAX_SCRATCH 5

/**
 * MsArg: the value of a kernel argument. The vectors are int4 in OpenCL C.
 * @MS_ARG_SOURCE: the tile's pixels as they are: a buffer of uchar4, or an image2d_t, as the memory toggle says
 * @MS_ARG_PIXELS: the tile's pixels in a buffer, also where MS_ARG_SOURCE is an image made of it
 * @MS_ARG_RESULT: a buffer of uchar4 of the region's width and the tile's rows of the region
 * @MS_ARG_IMAGE: (image width, image height, first image row held by the source, rows held)
 * @MS_ARG_MARGIN: int, the plan's margin; @MS_ARG_PITCH: int, its pitch
 * @MS_ARG_REGION: (x, y, width, height) in the image of the rectangle that the result buffer holds
 * @MS_ARG_BAND: (x, y, width, height) in the image of the rectangle to compute in this launch
 * @MS_ARG_FILTER: (whole radius, isr2, max_iterations, epsilon)
 * @MS_ARG_SP: float, the radius with its fraction
 * @MS_ARG_LOCAL: local memory, as many bytes as the pass says
 * @MS_ARG_MASK: a byte for each pixel of the image, 0 where the result is unchanged; see ms_plan_is_masked()
 * @MS_ARG_TABLES: the tables of ms_space_tables_get()
 * @MS_ARG_MODES: a buffer of ushort2 with the shape of the result: the mode of each pixel
 * @MS_ARG_NO_DATA: the value that red, green and blue of pixels without data have
 * @MS_ARG_SCRATCH_0: the plan's scratch buffers, and those that follow
 */
typedef enum {
  MS_ARG_SOURCE,
  MS_ARG_PIXELS,
  MS_ARG_RESULT,
  MS_ARG_IMAGE,
  MS_ARG_MARGIN,
  MS_ARG_PITCH,
  MS_ARG_REGION,
  MS_ARG_BAND,
  MS_ARG_FILTER,
  MS_ARG_SP,
  MS_ARG_LOCAL,
  MS_ARG_MASK,
  MS_ARG_TABLES,
  MS_ARG_MODES,
  MS_ARG_NO_DATA,
  MS_ARG_SCRATCH_0,
  MS_ARG_SCRATCH_1,
  MS_ARG_SCRATCH_2,
  MS_ARG_SCRATCH_3,
  MS_ARG_SCRATCH_4,
} MsArg;

/**
 * MsGrid: the pixels that the work-items of a pass cover.
 * @MS_GRID_BAND: the band's pixels, item_width x item_height for each work-item, rounded up to whole work-groups
 * @MS_GRID_TILE: the source rows of the tile plus @pad on each side, in the same way; runs once a tile
 * @MS_GRID_SOURCE: the same, before anything else reads the source
 */
typedef enum {
  MS_GRID_BAND,
  MS_GRID_TILE,
  MS_GRID_SOURCE,
} MsGrid;

/** MsPass: one kernel launch of a band (or, for the other grids, of a tile). */
typedef struct {
  const char *function;
  MsGrid grid;
  int item_width;
  int item_height;
  int pad_x;
  int pad_y;
  gsize local[2];
  gsize local_bytes;
  guint n_args;
  MsArg args[MS_PLAN_MAX_ARGS];
} MsPass;

/**
 * MsScratch: a temporary device buffer.
 * @row_bytes: bytes for each source row of the tile
 * @fixed_bytes: bytes on top of them
 * @cleared: whether it is filled with zeros before the passes of each band
 */
typedef struct {
  gsize row_bytes;
  gsize fixed_bytes;
  gboolean cleared;
} MsScratch;

/**
 * MS_KERNEL_BYTES_CAPABILITY: the least compute capability, times ten, of NVIDIA devices with the instruction that
 * multiplies and adds four bytes, which the packed kernel uses.
 */
#define MS_KERNEL_BYTES_CAPABILITY 61

/** MS_PLAN_MOST_DEPTH: one tile is uploaded, one computed and one downloaded at the same time. */
#define MS_PLAN_MOST_DEPTH 3

/**
 * MsDeviceShare: what a plan may use of a device.
 * @limits: must outlive the plan
 * @memory_budget: bytes of the device, 0 for its default
 * @is_shared: whether other pictures are on the device at the same time, whose kernels overlap the transfers
 * @n_devices: that compute the picture together, 0 for one
 */
typedef struct {
  const MsDeviceLimits *limits;
  guint64 memory_budget;
  gboolean is_shared;
  guint n_devices;
} MsDeviceShare;

/**
 * MsPlan:
 * @settings: the job's settings with every `auto` resolved
 * @limits: of the device
 * @is_auto: whether the program chose the kernel
 * @width, @height: of the picture, or of the level above it that is planned
 * @region: the rectangle of it that is computed
 * @has_modes: whether the positions at which pixels converge are computed
 * @has_no_data: whether pixels may have no data: those whose red, green and blue are @no_data
 * @radius: the whole window radius, rounded up where the window has a half
 * @halo: rows above and below that can influence a pixel: each iteration moves the window by at most its radius
 * @margin: elements before column 0 in a row of what the kernel makes of the source; @pitch: elements, or records, of
 *   a row
 * @tile_rows: rows of the region that are uploaded, computed and downloaded together
 * @depth: tiles that are on the device at once, each in memory of its own, so that transfers of some overlap kernels of
 *   others; 1 for one after the other
 * @band_rows: rows of one launch, so that a run can be cancelled and shows progress
 * @rejected: (nullable): for `auto`, why faster kernels were rejected
 * @coarser: (nullable): the plan of the next level of the pyramid, whose result says which pixels of this level are
 *   filtered
 * @in_tiles: for a level with a @coarser one: whether the device holds this level in tiles, one at a time, computed
 *   after the coarser level; otherwise the device holds this level and all coarser ones whole
 */
struct MsPlan {
  MsSettings settings;
  const MsDeviceLimits *limits;
  gboolean is_auto;
  int width;
  int height;
  MsRegion region;
  gboolean has_modes;
  gboolean has_no_data;
  guint8 no_data;
  MsProgramSpec *program;
  int radius;
  int halo;
  int margin;
  int pitch;
  guint n_passes;
  MsPass passes[MS_PLAN_MAX_PASSES];
  guint n_scratch;
  MsScratch scratch[MS_PLAN_MAX_SCRATCH];
  gboolean source_is_image;
  int tile_rows;
  guint depth;
  int band_rows;
  char *rejected;
  MsPlan *coarser;
  gboolean in_tiles;
};

MsPlan *ms_plan_new(const MsJob *job, const MsDeviceShare *share, GError **error);
char *ms_plan_refusal(const MsJob *job, const MsDeviceShare *share);
char *ms_plan_option_refusal(const MsJob *job, const MsDeviceShare *share, const MsOptionInfo *option,
                             const char *value);
gboolean ms_plan_is_masked(const MsPlan *self);
gboolean ms_plan_fills_image(const MsPlan *self);
guint64 ms_plan_device_bytes(const MsPlan *self, int tile_rows);
void ms_plan_free(MsPlan *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsPlan, ms_plan_free)
