/* SPDX-License-Identifier: MIT */
#include "core/regions/device-labels.h"

#include "core/opencl/cl-error.h"
#include "core/opencl/context-transfer.h"

/* Pixels of a work-item; see kernels/regions/label.cl. */
#define SPAN 64

/* Work-items of a group; the others of its width are in one row. */
#define GROUP 32

/* The kernels, in the order in which they run. */
typedef enum {
  STEP_START,
  STEP_JOIN,
  STEP_COUNT,
  STEP_NUMBER,
  STEP_SPREAD,
} Step;

#define N_STEPS (STEP_SPREAD + 1)

static const char *const functions[N_STEPS] = {"start_labels", "join_labels", "count_labels", "number_labels",
                                               "spread_labels"};

typedef enum {
  BUFFER_COLOURS,
  BUFFER_MODES,
  BUFFER_PARENTS,
  BUFFER_LABELS,
  BUFFER_COUNTS,
} Buffer;

#define N_BUFFERS (BUFFER_COUNTS + 1)

/* One run. @image: width, height, spatial radius and squared colour distance, as the kernels take them. */
typedef struct {
  MsContext *context;
  MsTimingLog *log;
  cl_int4 image;
  cl_int n_pixels;
  gsize n_spans;
  cl_kernel kernels[N_STEPS];
  cl_mem buffers[N_BUFFERS];
} Run;

typedef struct {
  gsize bytes;
  const void *value;
} Argument;

static gboolean
launch(Run *self, Step step, const Argument *arguments, guint n, const MsNDRange *range, GError **error)
{
  for (guint i = 0; i < n; i++)
    if (!ms_cl_check(clSetKernelArg(self->kernels[step], i, arguments[i].bytes, arguments[i].value), error,
                     "setting argument %u of the kernel %s", i, functions[step]))
      return FALSE;
  return ms_context_launch(self->context, self->kernels[step], functions[step], range, (guint64)self->n_pixels * 12,
                           self->log, error);
}

/* A kernel over the pixels and modes, by spans of each row. */
static gboolean
launch_rows(Run *self, Step step, GError **error)
{
  const Argument arguments[] = {{sizeof(cl_mem), &self->buffers[BUFFER_COLOURS]},
                                {sizeof(cl_mem), &self->buffers[BUFFER_MODES]},
                                {sizeof(cl_mem), &self->buffers[BUFFER_PARENTS]},
                                {sizeof(cl_int4), &self->image}};
  const gsize spans = ((gsize)self->image.s[0] + SPAN - 1) / SPAN;
  const MsNDRange range = {
    .dimensions = 2, .global = {(spans + GROUP - 1) / GROUP * GROUP, (gsize)self->image.s[1]}, .local = {GROUP, 1}};

  return launch(self, step, arguments, G_N_ELEMENTS(arguments), &range, error);
}

/* A kernel over the parents and one or two more buffers, by spans of all pixels. */
static gboolean
launch_spans(Run *self, Step step, const Buffer *buffers, guint n, GError **error)
{
  Argument arguments[4] = {{sizeof(cl_mem), &self->buffers[BUFFER_PARENTS]}};
  const MsNDRange range = {.dimensions = 1, .global = {(self->n_spans + GROUP - 1) / GROUP * GROUP}, .local = {GROUP}};

  for (guint i = 0; i < n; i++)
    arguments[1 + i] = (Argument){sizeof(cl_mem), &self->buffers[buffers[i]]};
  arguments[1 + n] = (Argument){sizeof(cl_int), &self->n_pixels};
  return launch(self, step, arguments, n + 2, &range, error);
}

static gboolean
create(Run *self, GError **error)
{
  const gsize bytes = (gsize)self->n_pixels * 4;
  g_autoptr(MsProgramSpec) spec = ms_program_spec_new();
  MsProgram *program;

  ms_program_spec_define_int(spec, "SPAN", SPAN);
  ms_program_spec_add_part(spec, "regions/label.cl");
  program = ms_context_build(self->context, spec, self->log, error);
  for (guint i = 0; program && i < N_STEPS; i++) {
    self->kernels[i] = ms_program_create_kernel(program, functions[i], error);
    if (!self->kernels[i])
      return FALSE;
  }
  for (guint i = 0; program && i < N_BUFFERS; i++) {
    self->buffers[i] = ms_context_create_buffer(self->context, CL_MEM_READ_WRITE,
                                                i == BUFFER_COUNTS ? self->n_spans * 4 : bytes, NULL, error);
    if (!self->buffers[i])
      return FALSE;
  }
  return program != NULL;
}

static void
release(Run *self)
{
  for (guint i = 0; i < N_STEPS; i++)
    g_clear_pointer(&self->kernels[i], clReleaseKernel);
  for (guint i = 0; i < N_BUFFERS; i++)
    g_clear_pointer(&self->buffers[i], clReleaseMemObject);
}

/* Replaces the counts of the spans by how many sets begin before each; returns how many there are. */
static gboolean
add_up_counts(Run *self, guint32 *count, GError **error)
{
  g_autofree guint32 *counts = g_new(guint32, self->n_spans);

  if (!ms_context_download(self->context, self->buffers[BUFFER_COUNTS], 0, self->n_spans * 4, counts, self->log, error))
    return FALSE;
  *count = 0;
  for (gsize i = 0; i < self->n_spans; i++) {
    const guint32 own = counts[i];
    counts[i] = *count;
    *count += own;
  }
  return ms_context_upload(self->context, self->buffers[BUFFER_COUNTS], 0, self->n_spans * 4, counts, self->log, error);
}

static gboolean
run(Run *self, MsImage *filtered, const guint16 *modes, guint32 *labels, guint32 *count, GError **error)
{
  static const Buffer counts[] = {BUFFER_COUNTS}, numbers[] = {BUFFER_COUNTS, BUFFER_LABELS}, all[] = {BUFFER_LABELS};
  const gsize bytes = (gsize)self->n_pixels * 4;

  return ms_context_upload(self->context, self->buffers[BUFFER_COLOURS], 0, bytes, ms_image_get_pixels(filtered),
                           self->log, error) &&
         ms_context_upload(self->context, self->buffers[BUFFER_MODES], 0, bytes, modes, self->log, error) &&
         launch_rows(self, STEP_START, error) && launch_rows(self, STEP_JOIN, error) &&
         launch_spans(self, STEP_COUNT, counts, 1, error) && add_up_counts(self, count, error) &&
         launch_spans(self, STEP_NUMBER, numbers, 2, error) && launch_spans(self, STEP_SPREAD, all, 1, error) &&
         ms_context_download(self->context, self->buffers[BUFFER_LABELS], 0, bytes, labels, self->log, error);
}

/** ms_device_labels_fit: whether the device has the memory for the labels of so many pixels. */
gboolean
ms_device_labels_fit(MsContext *context, gsize n_pixels)
{
  const MsDeviceLimits *limits = ms_context_get_limits(context);

  return n_pixels * 4 <= limits->max_allocation && n_pixels * 17 <= limits->global_memory / 2;
}

/**
 * ms_device_labels_find:
 * @modes: column and row of each pixel's mode
 * @labels: (out caller-allocates): the set of each pixel, numbered from 1 on in the order of the sets' first pixels
 * @count: (out): how many there are
 *
 * Returns: %FALSE with #MS_ERROR. After #MS_ERROR_TIMEOUT the device may still write to @labels, which must then never
 *   be freed.
 */
gboolean
ms_device_labels_find(MsContext *context, MsImage *filtered, const guint16 *modes, const MsLabelRule *rule,
                      guint32 *labels, guint32 *count, MsTimingLog *log, GError **error)
{
  const int width = ms_image_get_width(filtered), height = ms_image_get_height(filtered);
  Run self = {.context = context,
              .log = log,
              .image = {{width, height, rule->spatial, rule->squared_range}},
              .n_pixels = width * height,
              .n_spans = ((gsize)width * height + SPAN - 1) / SPAN};
  gboolean good = create(&self, error);

  if (good) {
    ms_context_lock_kernels(context);
    good = run(&self, filtered, modes, labels, count, error);
    ms_context_unlock_kernels(context);
  }
  release(&self);
  return good;
}
