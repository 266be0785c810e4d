/* SPDX-License-Identifier: MIT */
#include "core/regions/label-kernels.h"

#include "core/opencl/cl.h"

/* Pixels of a work-item, of all pixels and of a row; see kernels/regions/label.cl. */
#define SPAN 64
#define ROW_SPAN 16

/* Work-items of a group of the kernels over spans. */
#define GROUP 32

/* The items that the work-items of a kernel divide among themselves. */
typedef enum {
  OVER_ROWS,
  OVER_SPANS,
} Form;

/* The most buffers of a kernel. */
#define MAX_BUFFERS 3

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
  }
  g_assert_not_reached();
}

static gboolean
launch(MsLabelKernels *self, MsLabelStep step, GError **error)
{
  const StepRow *row = &steps[step];
  const MsLaunch about = {self->kernels[step], row->function, range_of(self, row->form), 0};
  MsKernelArg args[MAX_BUFFERS + 1];
  guint n = 0;

  while (n < row->n_buffers) {
    args[n] = (MsKernelArg)MS_ARG_OF(self->buffers[row->buffers[n]]);
    n++;
  }
  args[n++] = (MsKernelArg)MS_ARG_OF(self->image);
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

/** ms_label_kernels_init: @image: width, height, spatial radius and squared colour distance */
void
ms_label_kernels_init(MsLabelKernels *self, MsContext *context, cl_int4 image)
{
  const gsize n_pixels = (gsize)image.s[0] * (gsize)image.s[1];

  *self =
    (MsLabelKernels){.context = context, .image = image, .n_pixels = n_pixels, .n_spans = (n_pixels + SPAN - 1) / SPAN};
}

gboolean
ms_label_kernels_build(MsLabelKernels *self, GError **error)
{
  g_autoptr(MsProgramSpec) spec = ms_program_spec_new();

  ms_program_spec_define_int(spec, "SPAN", SPAN);
  ms_program_spec_define_int(spec, "ROW_SPAN", ROW_SPAN);
  ms_program_spec_add_part(spec, "regions/label.cl");
  MsProgram *program = ms_context_build(self->context, spec, self->log, error);
  for (MsLabelStep i = 0; program && i < MS_LABEL_N_STEPS; i++) {
    self->kernels[i] = ms_program_create_kernel(program, steps[i].function, error);
    if (!self->kernels[i])
      return FALSE;
  }
  return program != NULL;
}

static gsize
buffer_bytes(const MsLabelKernels *self, MsLabelBuffer buffer)
{
  switch (buffer) {
  case MS_LABEL_BUFFER_COLOURS:
  case MS_LABEL_BUFFER_MODES:
  case MS_LABEL_BUFFER_PARENTS:
  case MS_LABEL_BUFFER_LABELS:
    return self->n_pixels * sizeof(cl_uint);
  case MS_LABEL_BUFFER_COUNTS:
    return self->n_spans * sizeof(cl_uint);
  }
  g_assert_not_reached();
}

gboolean
ms_label_kernels_create_buffers(MsLabelKernels *self, GError **error)
{
  for (MsLabelBuffer i = 0; i < MS_LABEL_N_BUFFERS; i++) {
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
