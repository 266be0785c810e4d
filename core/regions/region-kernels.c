/* SPDX-License-Identifier: MIT */
#include "core/regions/region-kernels.h"

#include "core/opencl/transfers.h"

/*
 * What a work-item takes on a device that is no processor: pixels of a row, of a few rows where it is to find the same
 * pairs again; pixels of a list, which are added up together where they follow each other in one region; and regions or
 * edges, of which there are too few for longer spans.
 */
#define TILE_WIDTH 16
#define TILE_HEIGHT 8
#define PIXEL_SPAN 64
#define LANES 16 /* pixels that a processor links at a time */
#define REGION_SPAN 8

/* Work-items of a group there. */
#define GROUP 64

/* On a processor, work-items for each of its cores, so that one that is slow delays little, and the least of a list. */
#define PARTS_A_CORE 4
#define LEAST_SPAN 1024

/* Pairs of regions that touch, for each region, and pixels for each pair that another tile has found too. */
#define EDGES_A_REGION 8
#define PIXELS_AN_EDGE 8

/*
 * Logarithm of the pairs that a work-item remembers, so as to list each of them once: of the regions along a row of the
 * picture on a processor, and of those of a tile on other devices, where they take memory from all work-items.
 */
#define SEEN_BITS_OF_ROWS 10
#define SEEN_BITS_OF_TILE 4

/* Numbers of 32 bits of the sums of a region in kernels/regions/sums.cl. */
#define PACKED_SUMS 4
#define WIDE_SUMS 8

/* What the work-items of a kernel divide among themselves. */
typedef enum {
  OVER_EACH_PIXEL,
  OVER_TILES,
  OVER_TALL_TILES,
  OVER_PIXELS,
  OVER_REGIONS,
  OVER_EDGES,
} Form;

/* The most buffers of a kernel. */
#define MAX_BUFFERS 5

typedef struct {
  const char *function;
  Form form;
  guint n_buffers;
  MsRegionBuffer buffers[MAX_BUFFERS];
} StepRow;

#define BUFFER(name) MS_REGION_BUFFER_##name

static const StepRow steps[MS_REGION_N_STEPS] = {
  [MS_REGION_STEP_LINK] = {"link_pixels", OVER_EACH_PIXEL, 3, {BUFFER(COLOURS), BUFFER(MODES), BUFFER(LABELS)}},
  [MS_REGION_STEP_CONNECT] = {"connect_tiles", OVER_TILES, 2, {BUFFER(LABELS), BUFFER(PARENTS)}},
  [MS_REGION_STEP_JOIN_TILES] = {"join_tiles", OVER_TILES, 2, {BUFFER(LABELS), BUFFER(PARENTS)}},
  [MS_REGION_STEP_COUNT_PIXELS] = {"count_sets", OVER_PIXELS, 3, {BUFFER(PARENTS), BUFFER(COUNTS), BUFFER(LABELS)}},
  [MS_REGION_STEP_NUMBER_PIXELS] = {"number_sets", OVER_PIXELS, 3, {BUFFER(PARENTS), BUFFER(COUNTS), BUFFER(LABELS)}},
  [MS_REGION_STEP_START_REGIONS] = {"start_regions", OVER_REGIONS, 3, {BUFFER(LEFT), BUFFER(JOINED), BUFFER(SUMS)}},
  [MS_REGION_STEP_MARK_SHARED] = {"mark_shared",
                                  OVER_PIXELS,
                                  4,
                                  {BUFFER(PARENTS), BUFFER(COUNTS), BUFFER(LABELS), BUFFER(SUMS)}},
  [MS_REGION_STEP_SUM] = {"sum_colours",
                          OVER_PIXELS,
                          5,
                          {BUFFER(PARENTS), BUFFER(COUNTS), BUFFER(LABELS), BUFFER(COLOURS), BUFFER(SUMS)}},
  [MS_REGION_STEP_BEGIN_ROUND] = {"begin_round",
                                  OVER_REGIONS,
                                  5,
                                  {BUFFER(LEFT), BUFFER(SUMS), BUFFER(MEANS), BUFFER(NEAREST), BUFFER(TOTALS)}},
  [MS_REGION_STEP_LIST_EDGES] = {"list_edges",
                                 OVER_TILES,
                                 5,
                                 {BUFFER(LABELS), BUFFER(MEANS), BUFFER(NEAREST), BUFFER(EDGES), BUFFER(TOTALS)}},
  [MS_REGION_STEP_FIND_NEAREST] = {"find_nearest",
                                   OVER_EDGES,
                                   4,
                                   {BUFFER(EDGES), BUFFER(JOINED), BUFFER(MEANS), BUFFER(NEAREST)}},
  [MS_REGION_STEP_SETTLE_NEAREST] = {"settle_nearest", OVER_EDGES, 3, {BUFFER(EDGES), BUFFER(MEANS), BUFFER(NEAREST)}},
  [MS_REGION_STEP_JOIN_REGIONS] = {"join_regions", OVER_REGIONS, 3, {BUFFER(LEFT), BUFFER(NEAREST), BUFFER(JOINED)}},
  [MS_REGION_STEP_ADD_UP] = {"add_up_regions", OVER_REGIONS, 3, {BUFFER(LEFT), BUFFER(JOINED), BUFFER(SUMS)}},
  [MS_REGION_STEP_COUNT_REGIONS] = {"count_sets", OVER_REGIONS, 3, {BUFFER(JOINED), BUFFER(COUNTS), BUFFER(NUMBERS)}},
  [MS_REGION_STEP_NUMBER_REGIONS] = {"number_sets", OVER_REGIONS, 3, {BUFFER(JOINED), BUFFER(COUNTS), BUFFER(NUMBERS)}},
  [MS_REGION_STEP_SUM_TABLE] = {"sum_regions", OVER_PIXELS, 3, {BUFFER(LABELS), BUFFER(COLOURS), BUFFER(TABLE)}},
  [MS_REGION_STEP_LIST_NEIGHBOURS] = {"list_neighbours",
                                      OVER_TALL_TILES,
                                      3,
                                      {BUFFER(LABELS), BUFFER(EDGES), BUFFER(TOTALS)}},
  [MS_REGION_STEP_KEEP_DISTINCT] = {"keep_distinct",
                                    OVER_EDGES,
                                    4,
                                    {BUFFER(EDGES), BUFFER(SLOTS), BUFFER(DISTINCT), BUFFER(TOTALS)}},
  [MS_REGION_STEP_REPLACE_LABELS] = {"replace_labels", OVER_PIXELS, 2, {BUFFER(LABELS), BUFFER(JOINED)}},
};

/* Whether no sum of a channel exceeds 32 bits. */
static gboolean
has_packed_sums(const MsRegionKernels *self)
{
  return self->n_pixels <= G_MAXUINT32 / G_MAXUINT8;
}

static guint32
divide(guint32 n, guint32 by)
{
  return n / by + (n % by > 0);
}

/* Rows of the picture that a work-item of a processor takes. */
static guint32
rows_of_part(const MsRegionKernels *self)
{
  return divide((guint32)self->image.s[1], self->n_parts);
}

/* On a processor, how many lists of edges there are: each work-item of list_edges() writes one. */
static guint32
lists_of_edges(const MsRegionKernels *self)
{
  return divide((guint32)self->image.s[1], rows_of_part(self));
}

/* Members of a list of @n that a work-item takes. */
static guint32
span_of(const MsRegionKernels *self, Form form, guint32 n)
{
  if (self->n_parts == 0)
    return form == OVER_PIXELS ? PIXEL_SPAN : REGION_SPAN;
  if (form == OVER_PIXELS)
    return rows_of_part(self) * (guint32)self->image.s[0];
  if (form == OVER_EDGES)
    return MAX(n / lists_of_edges(self), 1);
  return MAX(divide(n, self->n_parts), LEAST_SPAN);
}

static MsNDRange
range_of_items(const MsRegionKernels *self, gsize columns, gsize rows)
{
  const gsize group = self->n_parts > 0 ? 1 : GROUP;

  return (MsNDRange){.dimensions = 2, .global = {(columns + group - 1) / group * group, rows}, .local = {group, 1}};
}

/* The range of a kernel, and the columns and rows of a tile, or the members of a span and of the whole list. */
static MsNDRange
divide_work(const MsRegionKernels *self, Form form, cl_uint4 *work)
{
  const guint32 width = (guint32)self->image.s[0], height = (guint32)self->image.s[1];
  guint32 n = 0, columns = TILE_WIDTH, rows = 1, last = self->n_slots - 1;

  switch (form) {
  case OVER_EACH_PIXEL:
  case OVER_TILES:
  case OVER_TALL_TILES:
    if (self->n_parts > 0) {
      columns = width;
      rows = rows_of_part(self);
    } else if (form == OVER_EACH_PIXEL) {
      columns = 1;
    } else if (form == OVER_TALL_TILES) {
      rows = TILE_HEIGHT;
    }
    *work = (cl_uint4){{columns, rows, self->min_pixels, self->most_edges}};
    return range_of_items(self, divide(width, columns), divide(height, rows));
  case OVER_PIXELS:
    n = self->n_pixels;
    break;
  case OVER_REGIONS:
    n = self->n_regions;
    last = self->round;
    break;
  case OVER_EDGES:
    n = self->n_parts > 0 ? self->most_edges : self->n_edges;
    break;
  }
  *work = (cl_uint4){{span_of(self, form, n), n, self->min_pixels, last}};
  return range_of_items(self, divide(n, work->s[0]), 1);
}

static gboolean
launch_region_step(MsRegionKernels *self, MsRegionStep step, GError **error)
{
  const StepRow *row = &steps[step];
  cl_uint4 work;

  if (!self->kernels[step])
    self->kernels[step] = ms_program_create_kernel(self->program, row->function, error);
  if (!self->kernels[step])
    return FALSE;
  const MsLaunch about = {self->kernels[step], row->function, divide_work(self, row->form, &work), 0};
  if (step == MS_REGION_STEP_NUMBER_PIXELS || step == MS_REGION_STEP_NUMBER_REGIONS ||
      step == MS_REGION_STEP_MARK_SHARED || step == MS_REGION_STEP_SUM)
    work.s[3] = self->n_sets;
  MsKernelArg args[MAX_BUFFERS + 2];
  guint n = 0;

  while (n < row->n_buffers) {
    args[n] = (MsKernelArg)MS_ARG_OF(self->buffers[row->buffers[n]]);
    n++;
  }
  args[n++] = (MsKernelArg)MS_ARG_OF(self->image);
  args[n++] = (MsKernelArg)MS_ARG_OF(work);
  return ms_kernel_set_args(about.kernel, about.name, args, n, error) &&
         ms_context_launch(self->run.context, &about, self->run.log, error);
}

/** ms_region_kernels_launch: enqueues the steps @first to @last; there must be something to divide. */
gboolean
ms_region_kernels_launch(MsRegionKernels *self, MsRegionStep first, MsRegionStep last, GError **error)
{
  for (MsRegionStep step = first; step <= last; step++)
    if ((step != MS_REGION_STEP_SETTLE_NEAREST || self->settles) &&
        (step != MS_REGION_STEP_MARK_SHARED || self->n_parts > 0) && !launch_region_step(self, step, error))
      return FALSE;
  return TRUE;
}

/**
 * ms_region_kernels_init:
 * @limits: (nullable): decide which kernels run and how they divide their work; %NULL for those of the device
 * @image: width, height, spatial radius and squared colour distance
 */
void
ms_region_kernels_init(MsRegionKernels *self, const MsDeviceRun *run, const MsDeviceLimits *limits, cl_int4 image)
{
  if (!limits)
    limits = &run->context->device->limits;
  const gboolean has_vectors = ms_device_limits_have_vectors(limits);

  *self = (MsRegionKernels){.run = *run,
                            .image = image,
                            .n_pixels = (guint32)image.s[0] * (guint32)image.s[1],
                            .settles = !limits->int64_atomics,
                            .n_parts = has_vectors ? MAX(limits->compute_units, 1) * PARTS_A_CORE : 0};
}

gboolean
ms_region_kernels_build(MsRegionKernels *self, GError **error)
{
  const gboolean in_lanes = self->n_parts > 0;
  const char *const parts[] = {
    "regions/links.cl",
    "regions/connect.cl",
    self->settles ? "regions/atomic-32.cl" : "regions/atomic-64.cl",
    "regions/sums.cl",
    in_lanes ? "regions/tiles-lanes.cl" : "regions/tiles-one.cl",
    "regions/touching.cl",
    "regions/merge.cl",
    in_lanes ? "regions/search-blocks.cl" : "regions/search-one.cl",
    "regions/table.cl",
  };
  g_autoptr(MsProgramSpec) spec = ms_program_spec_new();

  ms_program_spec_add_parts(spec, parts, G_N_ELEMENTS(parts));
  ms_program_spec_define_int(spec, "LANES", in_lanes ? LANES : 1);
  ms_program_spec_define_int(spec, "SUMS", has_packed_sums(self) ? PACKED_SUMS : WIDE_SUMS);
  ms_program_spec_define_int(spec, "SEEN_BITS", in_lanes ? SEEN_BITS_OF_ROWS : SEEN_BITS_OF_TILE);
  self->program = ms_context_build(self->run.context, spec, self->run.log, error);
  return self->program != NULL;
}

/**
 * ms_region_kernels_expect_edges: chooses how many pairs of regions that touch there is space for at first; small tiles
 * find many pairs several times, and lists of work-items have different lengths. Where more are found, the step runs
 * again.
 */
void
ms_region_kernels_expect_edges(MsRegionKernels *self)
{
  const guint32 n = EDGES_A_REGION * self->n_regions;

  if (self->n_parts > 0)
    self->most_edges = lists_of_edges(self) * (n / lists_of_edges(self) + LEAST_SPAN);
  else
    self->most_edges = n + self->n_pixels / PIXELS_AN_EDGE;
}

/** ms_region_kernels_bytes: the size of @buffer for the present numbers of pixels, regions and edges. */
guint64
ms_region_kernels_bytes(const MsRegionKernels *self, MsRegionBuffer buffer)
{
  const guint64 pixels = self->n_pixels, regions = self->n_regions;

  switch (buffer) {
  case MS_REGION_BUFFER_COLOURS:
  case MS_REGION_BUFFER_MODES:
  case MS_REGION_BUFFER_PARENTS:
  case MS_REGION_BUFFER_LABELS:
    return pixels * sizeof(cl_uint);
  case MS_REGION_BUFFER_COUNTS:
    /* There are at most as many regions as pixels. */
    return (self->n_parts > 0 ? self->n_parts : divide(self->n_pixels, REGION_SPAN)) * sizeof(cl_uint);
  case MS_REGION_BUFFER_TOTALS:
    return MS_REGION_ROUNDS_AT_ONCE * sizeof(MsRegionTotals);
  case MS_REGION_BUFFER_SUMS:
    return regions * (has_packed_sums(self) ? PACKED_SUMS : WIDE_SUMS) * sizeof(cl_uint);
  case MS_REGION_BUFFER_MEANS:
  case MS_REGION_BUFFER_NEAREST:
    return regions * 2 * sizeof(cl_uint);
  case MS_REGION_BUFFER_LEFT:
  case MS_REGION_BUFFER_JOINED:
  case MS_REGION_BUFFER_NUMBERS:
    return regions * sizeof(cl_uint);
  case MS_REGION_BUFFER_EDGES:
    return (guint64)self->most_edges * 2 * sizeof(cl_uint);
  case MS_REGION_BUFFER_TABLE:
    return regions * MS_REGION_ENTRY_WORDS * sizeof(cl_uint);
  case MS_REGION_BUFFER_SLOTS:
    return (guint64)self->n_slots * sizeof(cl_uint);
  case MS_REGION_BUFFER_DISTINCT:
    return (guint64)self->n_edges * 2 * sizeof(cl_uint);
  }
  g_assert_not_reached();
}

/** ms_region_kernels_place: uses a buffer that somebody else owns and may keep. */
void
ms_region_kernels_place(MsRegionKernels *self, MsRegionBuffer buffer, cl_mem memory)
{
  clRetainMemObject(memory);
  self->buffers[buffer] = memory;
  self->is_placed[buffer] = TRUE;
}

/** ms_region_kernels_drop: gives a buffer back, if there is one. Memory that is limited is not kept. */
void
ms_region_kernels_drop(MsRegionKernels *self, MsRegionBuffer buffer)
{
  cl_mem memory = g_steal_pointer(&self->buffers[buffer]);

  if (memory && (self->is_placed[buffer] || self->budget))
    clReleaseMemObject(memory);
  else if (memory)
    ms_context_return_buffer(self->run.context, memory);
  self->is_placed[buffer] = FALSE;
}

/** ms_region_kernels_reserve: creates the buffers @first to @last that do not exist yet, within the budget. */
gboolean
ms_region_kernels_reserve(MsRegionKernels *self, MsRegionBuffer first, MsRegionBuffer last, GError **error)
{
  MsMemoryBudget *budget = ms_device_has_own_memory(self->run.context->device) ? NULL : self->budget;
  guint64 bytes = 0;

  for (MsRegionBuffer i = first; i <= last; i++)
    bytes += self->buffers[i] ? 0 : ms_region_kernels_bytes(self, i);
  if (!ms_memory_budget_take(budget, bytes))
    return !ms_memory_budget_fail(budget, error);
  for (MsRegionBuffer i = first; i <= last; i++) {
    if (!self->buffers[i])
      self->buffers[i] = ms_context_borrow_buffer(self->run.context, ms_region_kernels_bytes(self, i), error);
    if (!self->buffers[i])
      return FALSE;
  }
  return TRUE;
}

/** ms_region_kernels_upload: fills a whole buffer. */
gboolean
ms_region_kernels_upload(MsRegionKernels *self, MsRegionBuffer buffer, const void *from, GError **error)
{
  const MsBufferRange range = {self->buffers[buffer], 0, ms_region_kernels_bytes(self, buffer)};

  return ms_context_upload(self->run.context, &range, from, self->run.log, error);
}

/** ms_region_kernels_fill: enqueues the filling of a buffer with zeros. */
gboolean
ms_region_kernels_fill(MsRegionKernels *self, MsRegionBuffer buffer, GError **error)
{
  const cl_uint zero = 0;

  return ms_cl_check(clEnqueueFillBuffer(self->run.context->queue, self->buffers[buffer], &zero, sizeof zero, 0,
                                         ms_region_kernels_bytes(self, buffer), 0, NULL, NULL),
                     error, "clearing a buffer");
}

/** ms_region_kernels_check: whether @n, a size or label that the device returned, lies between @least and @most. */
gboolean
ms_region_kernels_check(MsRegionKernels *self, guint32 n, guint32 least, guint64 most, GError **error)
{
  if (n >= least && n <= most)
    return TRUE;
  ms_set_error(error, MS_ERROR_DEVICE,
               "The device %s computes regions wrongly: it returned %u where a number from %u to %u belongs. Select "
               "another device with --device.",
               self->run.context->device->name, n, least, (guint32)MIN(most, G_MAXUINT32));
  return FALSE;
}

/** ms_region_kernels_make_room: whether there was too little space for @n_edges regions that touch, which is mended. */
gboolean
ms_region_kernels_make_room(MsRegionKernels *self, guint32 n_edges)
{
  g_debug("regions: %u; lists of pairs that touch: %u of %u", self->n_regions, n_edges, self->most_edges);
  if (n_edges <= self->most_edges)
    return FALSE;
  self->most_edges = n_edges;
  for (MsRegionBuffer i = MS_REGION_BUFFER_EDGES; i <= MS_REGION_BUFFER_DISTINCT; i++)
    ms_region_kernels_drop(self, i);
  return TRUE;
}

/**
 * ms_region_kernels_list_neighbours: enqueues the listing of pairs of regions that touch, and of each pair once. The
 * totals say afterwards whether there was space for all.
 */
gboolean
ms_region_kernels_list_neighbours(MsRegionKernels *self, GError **error)
{
  self->n_edges = self->most_edges;
  self->n_slots = 2u << MIN(g_bit_storage(self->n_edges), 30);
  return ms_region_kernels_reserve(self, MS_REGION_BUFFER_EDGES, MS_REGION_BUFFER_DISTINCT, error) &&
         ms_region_kernels_fill(self, MS_REGION_BUFFER_TOTALS, error) &&
         ms_region_kernels_fill(self, MS_REGION_BUFFER_SLOTS, error) &&
         ms_region_kernels_launch(self, MS_REGION_STEP_LIST_NEIGHBOURS, MS_REGION_STEP_KEEP_DISTINCT, error);
}

/** ms_region_kernels_read_totals: waits for the launched steps, and reads the totals of the first @n rounds. */
gboolean
ms_region_kernels_read_totals(MsRegionKernels *self, MsRegionTotals *totals, guint n, GError **error)
{
  const MsBufferRange range = {self->buffers[MS_REGION_BUFFER_TOTALS], 0, n * sizeof *totals};
  /* Each pixel touches four before it; lists that are as long as the longest have space for twice as many. */
  const guint64 most_edges = 8 * (guint64)self->n_pixels;

  if (!ms_context_read(self->run.context, &range, totals, self->run.log, error))
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (!ms_region_kernels_check(self, totals[i].n_edges, 0, most_edges, error) ||
        !ms_region_kernels_check(self, totals[i].n_left, 0, self->n_regions, error))
      return FALSE;
  return TRUE;
}

/**
 * ms_region_kernels_add_up_counts:
 * @step: that has counted the sets of spans
 *
 * Replaces each count by the number of sets that begin before the span; their number is stored in @count.
 */
gboolean
ms_region_kernels_add_up_counts(MsRegionKernels *self, MsRegionStep step, guint32 *count, GError **error)
{
  const Form form = steps[step].form;
  const guint32 n = form == OVER_PIXELS ? self->n_pixels : self->n_regions;
  const guint32 span = span_of(self, form, n), n_spans = divide(n, span);
  const MsBufferRange range = {self->buffers[MS_REGION_BUFFER_COUNTS], 0, n_spans * sizeof(guint32)};
  g_autofree guint32 *counts = g_new(guint32, n_spans);

  if (!ms_context_download(self->run.context, &range, counts, self->run.log, error))
    return FALSE;
  *count = 0;
  for (guint32 i = 0; i < n_spans; i++) {
    const guint32 own = counts[i];
    if (!ms_region_kernels_check(self, own, 0, MIN(span, n - i * span), error))
      return FALSE;
    counts[i] = *count;
    *count += own;
  }
  self->n_sets = *count;
  return ms_region_kernels_check(self, *count, 1, n, error) &&
         ms_context_upload(self->run.context, &range, counts, self->run.log, error);
}

/** ms_region_kernels_clear: releases the kernels and buffers. */
void
ms_region_kernels_clear(MsRegionKernels *self)
{
  for (guint i = 0; i < MS_REGION_N_STEPS; i++)
    g_clear_pointer(&self->kernels[i], clReleaseKernel);
  for (MsRegionBuffer i = 0; i < MS_REGION_N_BUFFERS; i++)
    ms_region_kernels_drop(self, i);
}
