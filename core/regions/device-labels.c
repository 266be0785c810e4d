/* SPDX-License-Identifier: MIT */
#include "core/regions/device-labels.h"

#include "core/opencl/cl-error.h"
#include "core/opencl/context-transfer.h"

/* Pixels of a work-item, of all pixels and of a row; see kernels/regions/label.cl. */
#define SPAN 64
#define ROW_SPAN 16

/* Work-items of a group of the kernels over spans. */
#define GROUP 32

/* The most work-items of the group that merges, and bytes of local memory for each; see Batch in merge.cl. */
#define MERGING_GROUP 1024
#define MERGING_LOCAL_BYTES 48

/* Region sizes that are merged between two reads of the number of remaining regions by the host. */
#define SIZES_A_LOOK 16

/* The most neighbouring pixels of a region for each of its pixels. */
#define NEIGHBOURS_A_PIXEL 8

/* The kernels, in the order in which they run. */
typedef enum {
  STEP_START,
  STEP_JOIN,
  STEP_COUNT,
  STEP_NUMBER,
  STEP_SPREAD,
  STEP_CLEAR,
  STEP_ADD_UP,
  STEP_CHAIN,
  STEP_BEGIN,
  STEP_MERGE,
  STEP_NUMBER_REGIONS,
  STEP_RENUMBER,
} Step;

#define N_LABEL_STEPS (STEP_SPREAD + 1)
#define N_STEPS (STEP_RENUMBER + 1)

typedef enum {
  BUFFER_COLOURS,
  BUFFER_MODES,
  BUFFER_PARENTS,
  BUFFER_LABELS,
  BUFFER_COUNTS,
  BUFFER_SIZES,
  BUFFER_SUMS,
  BUFFER_HEADS,
  BUFFER_TAILS,
  BUFFER_MEANS,
  BUFFER_ROOTS,
  BUFFER_FIRSTS,
  BUFFER_WAITING,
  BUFFER_TURN,
  BUFFER_NEIGHBOURS,
  BUFFER_STATE,
} Buffer;

#define N_LABEL_BUFFERS (BUFFER_COUNTS + 1)
#define N_BUFFERS (BUFFER_STATE + 1)

/* The parents are not read after the labels have been numbered. */
#define BUFFER_NEXT BUFFER_PARENTS

/* The list of regions of one size is not read after the last size. */
#define BUFFER_NUMBERS BUFFER_TURN

/* The items that the work-items of a kernel divide among themselves. */
typedef enum {
  OVER_ROWS,
  OVER_SPANS,
  OVER_REGIONS,
  OVER_ONE_GROUP,
} Form;

typedef struct {
  const char *function;
  Form form;
  guint n_buffers;
  Buffer buffers[12];
} StepRow;

static const StepRow steps[N_STEPS] = {
  [STEP_START] = {"start_labels", OVER_ROWS, 3, {BUFFER_COLOURS, BUFFER_MODES, BUFFER_PARENTS}},
  [STEP_JOIN] = {"join_labels", OVER_ROWS, 3, {BUFFER_COLOURS, BUFFER_MODES, BUFFER_PARENTS}},
  [STEP_COUNT] = {"count_labels", OVER_SPANS, 2, {BUFFER_PARENTS, BUFFER_COUNTS}},
  [STEP_NUMBER] = {"number_labels", OVER_SPANS, 3, {BUFFER_PARENTS, BUFFER_COUNTS, BUFFER_LABELS}},
  [STEP_SPREAD] = {"spread_labels", OVER_SPANS, 2, {BUFFER_PARENTS, BUFFER_LABELS}},
  [STEP_CLEAR] = {"clear_regions", OVER_REGIONS, 4, {BUFFER_SIZES, BUFFER_SUMS, BUFFER_HEADS, BUFFER_TAILS}},
  [STEP_ADD_UP] = {"add_up_regions", OVER_SPANS, 4, {BUFFER_LABELS, BUFFER_COLOURS, BUFFER_SIZES, BUFFER_SUMS}},
  [STEP_CHAIN] = {"chain_pixels",
                  OVER_SPANS,
                  5,
                  {BUFFER_LABELS, BUFFER_SIZES, BUFFER_NEXT, BUFFER_HEADS, BUFFER_TAILS}},
  [STEP_BEGIN] = {"begin_regions",
                  OVER_REGIONS,
                  7,
                  {BUFFER_SIZES, BUFFER_SUMS, BUFFER_MEANS, BUFFER_ROOTS, BUFFER_FIRSTS, BUFFER_WAITING, BUFFER_STATE}},
  [STEP_MERGE] = {"merge_size",
                  OVER_ONE_GROUP,
                  12,
                  {BUFFER_LABELS, BUFFER_NEXT, BUFFER_HEADS, BUFFER_TAILS, BUFFER_SIZES, BUFFER_SUMS, BUFFER_MEANS,
                   BUFFER_ROOTS, BUFFER_WAITING, BUFFER_TURN, BUFFER_NEIGHBOURS, BUFFER_STATE}},
  [STEP_NUMBER_REGIONS] = {"number_regions",
                           OVER_ONE_GROUP,
                           4,
                           {BUFFER_ROOTS, BUFFER_FIRSTS, BUFFER_NUMBERS, BUFFER_STATE}},
  [STEP_RENUMBER] = {"renumber_labels", OVER_SPANS, 2, {BUFFER_LABELS, BUFFER_NUMBERS}},
};

/*
 * One run.
 * @image: width, height, spatial radius and squared colour distance, as the kernels take them
 * @merging: number of regions, least number of pixels, and the size being merged, as the kernels take them
 */
typedef struct {
  MsContext *context;
  MsTimingLog *log;
  GCancellable *cancellable;
  cl_int4 image;
  cl_int4 merging;
  gsize n_pixels;
  gsize n_spans;
  gsize group;
  cl_kernel kernels[N_STEPS];
  cl_mem buffers[N_BUFFERS];
} Run;

static gsize
round_up(gsize n, gsize group)
{
  return (n + group - 1) / group * group;
}

static MsNDRange
range_of(const Run *self, Form form)
{
  const gsize spans = ((gsize)self->image.s[0] + ROW_SPAN - 1) / ROW_SPAN;

  switch (form) {
  case OVER_ROWS:
    return (MsNDRange){
      .dimensions = 2, .global = {round_up(spans, GROUP), (gsize)self->image.s[1]}, .local = {GROUP, 1}};
  case OVER_SPANS:
    return (MsNDRange){.dimensions = 1, .global = {round_up(self->n_spans, GROUP)}, .local = {GROUP}};
  case OVER_REGIONS:
    return (MsNDRange){.dimensions = 1, .global = {round_up((gsize)self->merging.s[0], GROUP)}, .local = {GROUP}};
  case OVER_ONE_GROUP:
    return (MsNDRange){.dimensions = 1, .global = {self->group}, .local = {self->group}};
  }
  g_assert_not_reached();
}

static gboolean
set_argument(Run *self, Step step, guint index, gsize bytes, const void *value, GError **error)
{
  return ms_cl_check(clSetKernelArg(self->kernels[step], index, bytes, value), error,
                     "setting argument %u of the kernel %s", index, steps[step].function);
}

static gboolean
launch(Run *self, Step step, GError **error)
{
  const StepRow *row = &steps[step];
  const MsNDRange range = range_of(self, row->form);

  for (guint i = 0; i < row->n_buffers; i++)
    if (!set_argument(self, step, i, sizeof(cl_mem), &self->buffers[row->buffers[i]], error))
      return FALSE;
  if (!set_argument(self, step, row->n_buffers, sizeof(cl_int4), &self->image, error) ||
      (step >= N_LABEL_STEPS && !set_argument(self, step, row->n_buffers + 1, sizeof(cl_int4), &self->merging, error)))
    return FALSE;
  return ms_context_launch(self->context, &(MsLaunch){self->kernels[step], row->function, range, 0}, self->log, error);
}

static gboolean
launch_all(Run *self, Step first, Step last, GError **error)
{
  for (Step step = first; step <= last; step++)
    if (!launch(self, step, error))
      return FALSE;
  return TRUE;
}

/* (transfer full): the program; with @merges it includes the kernels that merge. */
static MsProgramSpec *
describe_program(const Run *self, gboolean merges)
{
  MsProgramSpec *spec = ms_program_spec_new();
  int top = 1;

  while ((gsize)top * 2 <= self->group)
    top *= 2;
  ms_program_spec_define_int(spec, "SPAN", SPAN);
  ms_program_spec_define_int(spec, "ROW_SPAN", ROW_SPAN);
  ms_program_spec_add_part(spec, "regions/label.cl");
  if (!merges)
    return spec;
  ms_program_spec_define_int(spec, "GROUP", (int)self->group);
  ms_program_spec_define_int(spec, "TOP_STEP", top);
  ms_program_spec_add_part(spec, "regions/wide.cl");
  ms_program_spec_add_part(spec, "regions/regions.cl");
  ms_program_spec_add_part(spec, "regions/merge.cl");
  return spec;
}

static gboolean
create_kernels(Run *self, gboolean merges, GError **error)
{
  g_autoptr(MsProgramSpec) spec = describe_program(self, merges);
  MsProgram *program = ms_context_build(self->context, spec, self->log, error);

  for (Step i = 0; program && i < (merges ? N_STEPS : N_LABEL_STEPS); i++) {
    self->kernels[i] = ms_program_create_kernel(program, steps[i].function, error);
    if (!self->kernels[i])
      return FALSE;
  }
  return program != NULL;
}

static gsize
buffer_bytes(const Run *self, Buffer buffer)
{
  const gsize regions = (gsize)self->merging.s[0] + 1;

  switch (buffer) {
  case BUFFER_COLOURS:
  case BUFFER_MODES:
  case BUFFER_PARENTS:
  case BUFFER_LABELS:
    return self->n_pixels * sizeof(cl_uint);
  case BUFFER_COUNTS:
    return self->n_spans * sizeof(cl_uint);
  case BUFFER_SIZES:
  case BUFFER_HEADS:
  case BUFFER_TAILS:
  case BUFFER_ROOTS:
  case BUFFER_FIRSTS:
  case BUFFER_WAITING:
  case BUFFER_TURN:
    return regions * sizeof(cl_uint);
  case BUFFER_SUMS:
    return regions * 6 * sizeof(cl_uint);
  case BUFFER_MEANS:
    return regions * sizeof(cl_ushort4);
  case BUFFER_NEIGHBOURS:
    return self->group * NEIGHBOURS_A_PIXEL * (gsize)self->merging.s[1] * sizeof(cl_uint4);
  case BUFFER_STATE:
    return 2 * sizeof(cl_uint);
  }
  g_assert_not_reached();
}

static gboolean
create_buffers(Run *self, Buffer first, Buffer last, GError **error)
{
  for (Buffer i = first; i <= last; i++) {
    self->buffers[i] = ms_context_create_buffer(self->context, CL_MEM_READ_WRITE, buffer_bytes(self, i), NULL, error);
    if (!self->buffers[i])
      return FALSE;
  }
  return TRUE;
}

static void
release(Run *self)
{
  for (guint i = 0; i < N_STEPS; i++)
    g_clear_pointer(&self->kernels[i], clReleaseKernel);
  for (guint i = 0; i < N_BUFFERS; i++)
    g_clear_pointer(&self->buffers[i], clReleaseMemObject);
}

/* Replaces the counts of the spans by the number of sets that begin before each; returns the number of sets. */
static gboolean
add_up_counts(Run *self, guint32 *count, GError **error)
{
  g_autofree guint32 *counts = g_new(guint32, self->n_spans);

  if (!ms_context_download(self->context, &(MsBufferRange){self->buffers[BUFFER_COUNTS], 0, self->n_spans * 4}, counts,
                           self->log, error))
    return FALSE;
  *count = 0;
  for (gsize i = 0; i < self->n_spans; i++) {
    const guint32 own = counts[i];
    counts[i] = *count;
    *count += own;
  }
  return ms_context_upload(self->context, &(MsBufferRange){self->buffers[BUFFER_COUNTS], 0, self->n_spans * 4}, counts,
                           self->log, error);
}

static gboolean
find_labels(Run *self, MsImage *filtered, const guint16 *modes, guint32 *count, GError **error)
{
  const gsize bytes = self->n_pixels * 4;

  return create_buffers(self, BUFFER_COLOURS, N_LABEL_BUFFERS - 1, error) &&
         ms_context_upload(self->context, &(MsBufferRange){self->buffers[BUFFER_COLOURS], 0, bytes},
                           ms_image_get_pixels(filtered), self->log, error) &&
         ms_context_upload(self->context, &(MsBufferRange){self->buffers[BUFFER_MODES], 0, bytes}, modes, self->log,
                           error) &&
         launch_all(self, STEP_START, STEP_COUNT, error) && add_up_counts(self, count, error) &&
         launch_all(self, STEP_NUMBER, STEP_SPREAD, error);
}

/* Merges one size after another, until all are processed or no small region remains. */
static gboolean
merge_sizes(Run *self, GError **error)
{
  for (int size = 1; size < self->merging.s[1]; size++) {
    guint32 waiting = 1;
    self->merging.s[2] = size;
    if (!launch(self, STEP_MERGE, error))
      return FALSE;
    if (size % SIZES_A_LOOK == 0 &&
        (g_cancellable_set_error_if_cancelled(self->cancellable, error) ||
         !ms_context_download(self->context, &(MsBufferRange){self->buffers[BUFFER_STATE], 0, 4}, &waiting, self->log,
                              error)))
      return FALSE;
    if (waiting == 0)
      break;
  }
  return TRUE;
}

/* Merges the *@count regions, and sets *@count to the number of remaining ones. */
static gboolean
merge(Run *self, guint min_pixels, guint32 *count, GError **error)
{
  self->merging = (cl_int4){{(int)*count, (int)min_pixels, 0, 0}};
  return create_buffers(self, N_LABEL_BUFFERS, N_BUFFERS - 1, error) &&
         launch_all(self, STEP_CLEAR, STEP_BEGIN, error) && merge_sizes(self, error) &&
         launch_all(self, STEP_NUMBER_REGIONS, STEP_RENUMBER, error) &&
         ms_context_download(self->context, &(MsBufferRange){self->buffers[BUFFER_STATE], 4, 4}, count, self->log,
                             error);
}

/* Whether the device merges that many regions; a least size below two pixels merges none. */
static gboolean
merges(const MsDeviceLabels *about, guint32 count)
{
  const guint most = about->most_regions > 0 ? about->most_regions : MS_DEVICE_LABELS_MOST_REGIONS;

  return about->min_pixels > 1 && about->min_pixels <= MS_DEVICE_LABELS_MOST_PIXELS && count <= most;
}

static gboolean
run(Run *self, MsImage *filtered, const guint16 *modes, const MsDeviceLabels *about, guint32 *labels, guint32 *count,
    gboolean *merged, GError **error)
{
  if (!find_labels(self, filtered, modes, count, error))
    return FALSE;
  *merged = merges(about, *count);
  return (!*merged || merge(self, about->min_pixels, count, error)) &&
         ms_context_download(self->context, &(MsBufferRange){self->buffers[BUFFER_LABELS], 0, self->n_pixels * 4},
                             labels, self->log, error);
}

/* Labels have 30 bits in a comparison of merge.cl. */
#define MOST_PIXELS ((gsize)1 << 30)

/* Bytes a pixel where every pixel is a region: 5 words of labels, 13 of regions, and the means. */
#define MOST_BYTES_A_PIXEL (18 * 4 + 8)

/* The group that merges on a device: as many work-items as it takes and has local memory for. */
static gsize
merging_group(const MsDeviceLimits *limits)
{
  return MAX(1, MIN(MIN(MERGING_GROUP, limits->max_work_group), limits->local_memory / MERGING_LOCAL_BYTES));
}

/** ms_device_labels_fit: whether the device has the memory for the labels of so many pixels, and for merging them. */
gboolean
ms_device_labels_fit(MsContext *context, gsize n_pixels)
{
  const MsDeviceLimits *limits = ms_context_get_limits(context);

  return n_pixels <= MOST_PIXELS && n_pixels * 24 <= limits->max_allocation &&
         n_pixels * MOST_BYTES_A_PIXEL <= limits->global_memory / 2;
}

/**
 * ms_device_labels_find:
 * @modes: column and row of each pixel's mode
 * @labels: (out caller-allocates): the region of each pixel, numbered from 1 on in the order of the first pixels
 * @count: (out): the number of regions
 * @merged: (out): whether the device merged those that are too small; otherwise the labels are those before merging
 *
 * The result is that of ms_segmentation_new_on() without a device.
 *
 * Returns: %FALSE with #MS_ERROR or G_IO_ERROR_CANCELLED. After #MS_ERROR_TIMEOUT the device may still write to
 *   @labels, which must then never be freed.
 */
gboolean
ms_device_labels_find(MsContext *context, MsImage *filtered, const guint16 *modes, const MsDeviceLabels *about,
                      guint32 *labels, guint32 *count, gboolean *merged, MsTimingLog *log, GCancellable *cancellable,
                      GError **error)
{
  const int width = ms_image_get_width(filtered), height = ms_image_get_height(filtered);
  const gsize n_pixels = (gsize)width * (gsize)height;
  Run self = {.context = context,
              .log = log,
              .cancellable = cancellable,
              .image = {{width, height, about->rule.spatial, about->rule.squared_range}},
              .n_pixels = n_pixels,
              .n_spans = (n_pixels + SPAN - 1) / SPAN,
              .group = about->group > 0 ? about->group : merging_group(ms_context_get_limits(context))};
  gboolean good = create_kernels(&self, merges(about, 0), error);

  if (good) {
    ms_context_lock_kernels(context);
    good = run(&self, filtered, modes, about, labels, count, merged, error);
    ms_context_unlock_kernels(context);
  }
  release(&self);
  return good;
}
