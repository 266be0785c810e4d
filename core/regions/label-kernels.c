/* SPDX-License-Identifier: MIT */
#include "core/regions/label-kernels.h"

#include "core/opencl/kernel-args.h"

/* Pixels of a work-item, of all pixels and of a row; see kernels/regions/label.cl. */
#define SPAN 64
#define ROW_SPAN 16

/* Work-items of a group of the kernels over spans. */
#define GROUP 32

/* The most work-items of the group that merges, and bytes of local memory for each; see Batch in merge.cl. */
#define MERGING_GROUP 1024
#define MERGING_LOCAL_BYTES 48

/* The most neighbouring pixels of a region for each of its pixels. */
#define NEIGHBOURS_A_PIXEL 8

/* The parents are not read after the labels have been numbered. */
#define BUFFER_NEXT MS_LABEL_BUFFER_PARENTS

/* The list of regions of one size is not read after the last size. */
#define BUFFER_NUMBERS MS_LABEL_BUFFER_TURN

/* The items that the work-items of a kernel divide among themselves. */
typedef enum {
  OVER_ROWS,
  OVER_SPANS,
  OVER_REGIONS,
  OVER_ONE_GROUP,
} Form;

/* The most buffers of a kernel. */
#define MAX_BUFFERS 12

typedef struct {
  const char *function;
  Form form;
  guint n_buffers;
  MsLabelBuffer buffers[MAX_BUFFERS];
} StepRow;

static const StepRow steps[MS_LABEL_N_STEPS] = {
  [MS_LABEL_STEP_START] = {"start_labels",
                           OVER_ROWS,
                           3,
                           {MS_LABEL_BUFFER_COLOURS, MS_LABEL_BUFFER_MODES, MS_LABEL_BUFFER_PARENTS}},
  [MS_LABEL_STEP_JOIN] = {"join_labels",
                          OVER_ROWS,
                          3,
                          {MS_LABEL_BUFFER_COLOURS, MS_LABEL_BUFFER_MODES, MS_LABEL_BUFFER_PARENTS}},
  [MS_LABEL_STEP_COUNT] = {"count_labels", OVER_SPANS, 2, {MS_LABEL_BUFFER_PARENTS, MS_LABEL_BUFFER_COUNTS}},
  [MS_LABEL_STEP_NUMBER] = {"number_labels",
                            OVER_SPANS,
                            3,
                            {MS_LABEL_BUFFER_PARENTS, MS_LABEL_BUFFER_COUNTS, MS_LABEL_BUFFER_LABELS}},
  [MS_LABEL_STEP_SPREAD] = {"spread_labels", OVER_SPANS, 2, {MS_LABEL_BUFFER_PARENTS, MS_LABEL_BUFFER_LABELS}},
  [MS_LABEL_STEP_CLEAR] = {"clear_regions",
                           OVER_REGIONS,
                           4,
                           {MS_LABEL_BUFFER_SIZES, MS_LABEL_BUFFER_SUMS, MS_LABEL_BUFFER_HEADS, MS_LABEL_BUFFER_TAILS}},
  [MS_LABEL_STEP_ADD_UP] = {"add_up_regions",
                            OVER_SPANS,
                            4,
                            {MS_LABEL_BUFFER_LABELS, MS_LABEL_BUFFER_COLOURS, MS_LABEL_BUFFER_SIZES,
                             MS_LABEL_BUFFER_SUMS}},
  [MS_LABEL_STEP_CHAIN] = {"chain_pixels",
                           OVER_SPANS,
                           5,
                           {MS_LABEL_BUFFER_LABELS, MS_LABEL_BUFFER_SIZES, BUFFER_NEXT, MS_LABEL_BUFFER_HEADS,
                            MS_LABEL_BUFFER_TAILS}},
  [MS_LABEL_STEP_BEGIN] = {"begin_regions",
                           OVER_REGIONS,
                           7,
                           {MS_LABEL_BUFFER_SIZES, MS_LABEL_BUFFER_SUMS, MS_LABEL_BUFFER_MEANS, MS_LABEL_BUFFER_ROOTS,
                            MS_LABEL_BUFFER_FIRSTS, MS_LABEL_BUFFER_WAITING, MS_LABEL_BUFFER_STATE}},
  [MS_LABEL_STEP_MERGE] = {"merge_size",
                           OVER_ONE_GROUP,
                           12,
                           {MS_LABEL_BUFFER_LABELS, BUFFER_NEXT, MS_LABEL_BUFFER_HEADS, MS_LABEL_BUFFER_TAILS,
                            MS_LABEL_BUFFER_SIZES, MS_LABEL_BUFFER_SUMS, MS_LABEL_BUFFER_MEANS, MS_LABEL_BUFFER_ROOTS,
                            MS_LABEL_BUFFER_WAITING, MS_LABEL_BUFFER_TURN, MS_LABEL_BUFFER_NEIGHBOURS,
                            MS_LABEL_BUFFER_STATE}},
  [MS_LABEL_STEP_NUMBER_REGIONS] = {"number_regions",
                                    OVER_ONE_GROUP,
                                    4,
                                    {MS_LABEL_BUFFER_ROOTS, MS_LABEL_BUFFER_FIRSTS, BUFFER_NUMBERS,
                                     MS_LABEL_BUFFER_STATE}},
  [MS_LABEL_STEP_RENUMBER] = {"renumber_labels", OVER_SPANS, 2, {MS_LABEL_BUFFER_LABELS, BUFFER_NUMBERS}},
};

static gsize
round_up(gsize n, gsize group)
{
  return (n + group - 1) / group * group;
}

static MsNDRange
range_of(const MsLabelKernels *self, Form form)
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
launch(MsLabelKernels *self, MsLabelStep step, GError **error)
{
  const StepRow *row = &steps[step];
  const MsLaunch about = {self->kernels[step], row->function, range_of(self, row->form), 0};
  MsKernelArg args[MAX_BUFFERS + 2];
  guint n = 0;

  while (n < row->n_buffers) {
    args[n] = (MsKernelArg)MS_ARG_OF(self->buffers[row->buffers[n]]);
    n++;
  }
  args[n++] = (MsKernelArg)MS_ARG_OF(self->image);
  if (step > MS_LABEL_STEP_SPREAD)
    args[n++] = (MsKernelArg)MS_ARG_OF(self->merging);
  return ms_kernel_set_args(about.kernel, about.name, args, n, error) &&
         ms_context_launch(self->context, &about, self->log, error);
}

/** ms_label_kernels_launch: enqueues the kernels @first to @last. */
gboolean
ms_label_kernels_launch(MsLabelKernels *self, MsLabelStep first, MsLabelStep last, GError **error)
{
  for (MsLabelStep step = first; step <= last; step++)
    if (!launch(self, step, error))
      return FALSE;
  return TRUE;
}

/* The group that merges on a device: as many work-items as it takes and has local memory for. */
static gsize
merging_group(const MsDeviceLimits *limits)
{
  return MAX(1, MIN(MIN(MERGING_GROUP, limits->max_work_group), limits->local_memory / MERGING_LOCAL_BYTES));
}

/**
 * ms_label_kernels_init:
 * @image: width, height, spatial radius and squared colour distance
 * @group: work-items of the group that merges, or 0 for as many as the device has
 */
void
ms_label_kernels_init(MsLabelKernels *self, MsContext *context, cl_int4 image, guint group)
{
  const gsize n_pixels = (gsize)image.s[0] * (gsize)image.s[1];

  *self = (MsLabelKernels){.context = context,
                           .image = image,
                           .n_pixels = n_pixels,
                           .n_spans = (n_pixels + SPAN - 1) / SPAN,
                           .group = group > 0 ? group : merging_group(ms_context_get_limits(context))};
}

/* (transfer full): the program; with @merges it includes the kernels that merge. */
static MsProgramSpec *
describe_program(const MsLabelKernels *self, gboolean merges)
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

/** ms_label_kernels_build: builds the kernels that label, and with @merges those that merge as well. */
gboolean
ms_label_kernels_build(MsLabelKernels *self, gboolean merges, GError **error)
{
  const MsLabelStep last = merges ? MS_LABEL_N_STEPS - 1 : MS_LABEL_STEP_SPREAD;
  g_autoptr(MsProgramSpec) spec = describe_program(self, merges);
  MsProgram *program = ms_context_build(self->context, spec, self->log, error);

  for (MsLabelStep i = 0; program && i <= last; i++) {
    self->kernels[i] = ms_program_create_kernel(program, steps[i].function, error);
    if (!self->kernels[i])
      return FALSE;
  }
  return program != NULL;
}

static gsize
buffer_bytes(const MsLabelKernels *self, MsLabelBuffer buffer)
{
  const gsize regions = (gsize)self->merging.s[0] + 1;

  switch (buffer) {
  case MS_LABEL_BUFFER_COLOURS:
  case MS_LABEL_BUFFER_MODES:
  case MS_LABEL_BUFFER_PARENTS:
  case MS_LABEL_BUFFER_LABELS:
    return self->n_pixels * sizeof(cl_uint);
  case MS_LABEL_BUFFER_COUNTS:
    return self->n_spans * sizeof(cl_uint);
  case MS_LABEL_BUFFER_SIZES:
  case MS_LABEL_BUFFER_HEADS:
  case MS_LABEL_BUFFER_TAILS:
  case MS_LABEL_BUFFER_ROOTS:
  case MS_LABEL_BUFFER_FIRSTS:
  case MS_LABEL_BUFFER_WAITING:
  case MS_LABEL_BUFFER_TURN:
    return regions * sizeof(cl_uint);
  case MS_LABEL_BUFFER_SUMS:
    return regions * 6 * sizeof(cl_uint);
  case MS_LABEL_BUFFER_MEANS:
    return regions * sizeof(cl_ushort4);
  case MS_LABEL_BUFFER_NEIGHBOURS:
    return self->group * NEIGHBOURS_A_PIXEL * (gsize)self->merging.s[1] * sizeof(cl_uint4);
  case MS_LABEL_BUFFER_STATE:
    return 2 * sizeof(cl_uint);
  }
  g_assert_not_reached();
}

/** ms_label_kernels_create_buffers: those of merging have the size that @merging tells. */
gboolean
ms_label_kernels_create_buffers(MsLabelKernels *self, MsLabelBuffer first, MsLabelBuffer last, GError **error)
{
  for (MsLabelBuffer i = first; i <= last; i++) {
    self->buffers[i] = ms_context_create_buffer(self->context, CL_MEM_READ_WRITE, buffer_bytes(self, i), NULL, error);
    if (!self->buffers[i])
      return FALSE;
  }
  return TRUE;
}

/** ms_label_kernels_clear: releases the kernels and buffers. */
void
ms_label_kernels_clear(MsLabelKernels *self)
{
  for (guint i = 0; i < MS_LABEL_N_STEPS; i++)
    g_clear_pointer(&self->kernels[i], clReleaseKernel);
  for (guint i = 0; i < MS_LABEL_N_BUFFERS; i++)
    g_clear_pointer(&self->buffers[i], clReleaseMemObject);
}
