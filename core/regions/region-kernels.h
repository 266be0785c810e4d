/* SPDX-License-Identifier: MIT */
/* MsRegionKernels: the kernels that find regions, the buffers they share, and how each is launched. */
#pragma once

#include "core/memory-budget.h"
#include "core/opencl/context.h"

/** MsRegionStep: launches of kernels in the order in which they run; rounds repeat some, and the table has its own. */
typedef enum {
  MS_REGION_STEP_LINK,
  MS_REGION_STEP_CONNECT,
  MS_REGION_STEP_JOIN_TILES,
  MS_REGION_STEP_COUNT_PIXELS,
  MS_REGION_STEP_NUMBER_PIXELS,
  MS_REGION_STEP_START_REGIONS,
  MS_REGION_STEP_MARK_SHARED,
  MS_REGION_STEP_SUM,
  MS_REGION_STEP_BEGIN_ROUND,
  MS_REGION_STEP_LIST_EDGES,
  MS_REGION_STEP_FIND_NEAREST,
  MS_REGION_STEP_SETTLE_NEAREST,
  MS_REGION_STEP_JOIN_REGIONS,
  MS_REGION_STEP_ADD_UP,
  MS_REGION_STEP_COUNT_REGIONS,
  MS_REGION_STEP_NUMBER_REGIONS,
  MS_REGION_STEP_REPLACE_LABELS,
  MS_REGION_STEP_SUM_TABLE,
  MS_REGION_STEP_LIST_NEIGHBOURS,
  MS_REGION_STEP_KEEP_DISTINCT,
} MsRegionStep;

#define MS_REGION_N_STEPS (MS_REGION_STEP_KEEP_DISTINCT + 1)

/**
 * MsRegionBuffer: what the kernels read and write; the links of pixels lie in the buffer of labels, and the table's
 * picture in that of colours.
 */
typedef enum {
  MS_REGION_BUFFER_COLOURS,
  MS_REGION_BUFFER_MODES,
  MS_REGION_BUFFER_PARENTS,
  MS_REGION_BUFFER_LABELS,
  MS_REGION_BUFFER_COUNTS,
  MS_REGION_BUFFER_TOTALS,
  MS_REGION_BUFFER_SUMS,
  MS_REGION_BUFFER_MEANS,
  MS_REGION_BUFFER_NEAREST,
  MS_REGION_BUFFER_LEFT,
  MS_REGION_BUFFER_JOINED,
  MS_REGION_BUFFER_NUMBERS,
  MS_REGION_BUFFER_EDGES,
  MS_REGION_BUFFER_SLOTS,
  MS_REGION_BUFFER_DISTINCT,
  MS_REGION_BUFFER_TABLE,
} MsRegionBuffer;

#define MS_REGION_N_BUFFERS (MS_REGION_BUFFER_TABLE + 1)

/* Numbers of a region in the table; see kernels/regions/table.cl. */
#define MS_REGION_ENTRY_WORDS 22

/** MS_REGION_ROUNDS_AT_ONCE: rounds that are enqueued before the host waits for their totals; most pictures take 5. */
#define MS_REGION_ROUNDS_AT_ONCE 5

/** MsRegionTotals: the counters of the kernels; each round has its own. */
typedef struct {
  guint32 n_edges;
  guint32 n_left;
  guint32 n_small;
  guint32 n_distinct;
} MsRegionTotals;

/**
 * MsRegionKernels:
 * @run: the device, and the log and the cancellable of all launches
 * @budget: (nullable): for buffers that are of the host's memory
 * @image: width, height, spatial radius and squared colour distance
 * @min_pixels: a region with fewer is small
 * @n_pixels, @n_regions, @n_edges: what the kernels divide among their work-items
 * @n_parts: on a processor with vectors, work-items of a kernel; 0 for any other device, where each takes little
 * @most_edges: for which the buffer has space; on a processor, in lists of equal length
 * @n_slots: of the hash table of edges, a power of two
 * @n_sets: that were counted, of pixels or regions; a number is at most this
 * @round: which of the rounds that are enqueued at once is next; its totals are at that place
 * @program: once it is built
 * @is_placed: whether somebody else owns the buffer
 * @settles: whether kernels take atomic operations on 32 bits, and a second pass to find the nearest regions
 */
typedef struct {
  MsDeviceRun run;
  MsMemoryBudget *budget;
  cl_int4 image;
  guint32 min_pixels;
  guint32 n_pixels;
  guint32 n_regions;
  guint32 n_edges;
  guint32 most_edges;
  guint32 n_slots;
  guint32 n_sets;
  guint32 round;
  guint n_parts;
  gboolean settles;
  MsProgram *program;
  cl_kernel kernels[MS_REGION_N_STEPS];
  cl_mem buffers[MS_REGION_N_BUFFERS];
  gboolean is_placed[MS_REGION_N_BUFFERS];
} MsRegionKernels;

void ms_region_kernels_init(MsRegionKernels *self, const MsDeviceRun *run, const MsDeviceLimits *limits, cl_int4 image);
gboolean ms_region_kernels_build(MsRegionKernels *self, GError **error);
void ms_region_kernels_expect_edges(MsRegionKernels *self);
guint64 ms_region_kernels_bytes(const MsRegionKernels *self, MsRegionBuffer buffer);
gboolean ms_region_kernels_upload(MsRegionKernels *self, MsRegionBuffer buffer, const void *from, GError **error);
void ms_region_kernels_place(MsRegionKernels *self, MsRegionBuffer buffer, cl_mem memory);
void ms_region_kernels_drop(MsRegionKernels *self, MsRegionBuffer buffer);
gboolean ms_region_kernels_reserve(MsRegionKernels *self, MsRegionBuffer first, MsRegionBuffer last, GError **error);
gboolean ms_region_kernels_check(MsRegionKernels *self, guint32 n, guint32 least, guint64 most, GError **error);
gboolean ms_region_kernels_make_room(MsRegionKernels *self, guint32 n_edges);
gboolean ms_region_kernels_list_neighbours(MsRegionKernels *self, GError **error);
gboolean ms_region_kernels_launch(MsRegionKernels *self, MsRegionStep first, MsRegionStep last, GError **error);
gboolean ms_region_kernels_fill(MsRegionKernels *self, MsRegionBuffer buffer, GError **error);
gboolean ms_region_kernels_read_totals(MsRegionKernels *self, MsRegionTotals *totals, guint n, GError **error);
gboolean ms_region_kernels_add_up_counts(MsRegionKernels *self, MsRegionStep step, guint32 *count, GError **error);
void ms_region_kernels_clear(MsRegionKernels *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(MsRegionKernels, ms_region_kernels_clear)
