/* SPDX-License-Identifier: MIT */
#include "core/reduce/reduce.h"

#include <math.h>
#include <string.h>

#include "core/opencl/cl-error.h"
#include "core/reduce/plan-parts.h"
#include "core/reduce/reduce-image.h"
#include "core/reduce/reduce-words.h"
#include "core/reduce/swap.h"

/* Layout of the output of a last-group finish; as in finish-last-group.cl. */
#define LAST_GROUP_HEADER 9
#define LAST_GROUP_PIECES 3
#define PARTIALS_TIMES 8
/* Alignment that a host pointer needs to be used in place: the widest vector of OpenCL. */
#define HOST_ALIGNMENT 128

struct _MsReducer {
  GObject parent_instance;
  MsContext *context;
  MsReducePlan *plan;
  cl_kernel kernel;
  cl_kernel partials_kernel;
  cl_mem out[2]; /* the second takes turns with the first in recursive launches */
  gsize out_bytes;
  gboolean out_is_clear;
  cl_mem map;
  cl_mem upload;
  cl_mem image;
  MsReducer *opposite; /* the maximum, asked for when a minimum alone cannot tell NaN from infinity, and the other way */
};

G_DEFINE_FINAL_TYPE(MsReducer, ms_reducer, G_TYPE_OBJECT)

static void
ms_reducer_finalize(GObject *object)
{
  MsReducer *self = MS_REDUCER(object);

  g_clear_pointer(&self->kernel, clReleaseKernel);
  g_clear_pointer(&self->partials_kernel, clReleaseKernel);
  g_clear_pointer(&self->out[0], clReleaseMemObject);
  g_clear_pointer(&self->out[1], clReleaseMemObject);
  g_clear_pointer(&self->map, clReleaseMemObject);
  g_clear_pointer(&self->upload, clReleaseMemObject);
  g_clear_pointer(&self->image, clReleaseMemObject);
  g_clear_pointer(&self->plan, ms_reduce_plan_free);
  g_clear_object(&self->opposite);
  g_clear_object(&self->context);
  G_OBJECT_CLASS(ms_reducer_parent_class)->finalize(object);
}

static void
ms_reducer_class_init(MsReducerClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = ms_reducer_finalize;
}

static void
ms_reducer_init(MsReducer *self)
{
}

static void
fill_map(const MsReducePlan *plan, guint16 *map)
{
  for (guint i = 0; i < plan->group; i++)
    map[i] = (guint16)i;
  if (plan->options.swap != MS_SWAP_OFF)
    ms_swap_table_tree(map, (guint)plan->options.swap_range, plan->group);
  ms_swap_table_invert(map, map + plan->group, plan->group);
}

static gboolean
create_map(MsReducer *self, GError **error)
{
  gsize bytes = 2 * self->plan->group * sizeof(guint16);
  g_autofree guint16 *map = g_malloc(bytes);

  fill_map(self->plan, map);
  self->map = ms_context_create_buffer(self->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, map, error);
  return self->map != NULL;
}

static gboolean
create_kernels(MsReducer *self, MsTimingLog *log, GError **error)
{
  MsProgram *program = ms_context_build(self->context, self->plan->program, log, error);

  if (!program)
    return FALSE;
  self->kernel = ms_program_create_kernel(program, "reduce", error);
  if (!self->kernel)
    return FALSE;
  if (self->plan->options.between != MS_REDUCE_BETWEEN_RECURSIVE)
    return TRUE;
  self->partials_kernel = ms_program_create_kernel(program, "reduce_partials", error);
  return self->partials_kernel != NULL;
}

/**
 * ms_reducer_new:
 * @plan: copied
 * @log: (nullable): gets the build
 *
 * Returns: (transfer full): a reducer with its kernels built, or %NULL with @error set
 */
MsReducer *
ms_reducer_new(MsContext *context, const MsReducePlan *plan, MsTimingLog *log, GError **error)
{
  g_autoptr(MsReducer) self = g_object_new(MS_TYPE_REDUCER, NULL);

  self->context = g_object_ref(context);
  self->plan = ms_reduce_plan_copy(plan);
  if (!create_kernels(self, log, error) || !create_map(self, error))
    return NULL;
  return g_steal_pointer(&self);
}

const MsReducePlan *
ms_reducer_get_plan(MsReducer *self)
{
  return self->plan;
}

static gsize
out_bytes_for(const MsReducePlan *plan, guint groups)
{
  gsize words = (gsize)groups * plan->words;

  switch (plan->options.between) {
  case MS_REDUCE_BETWEEN_ATOMIC:
    return MS_REDUCE_MAX_WORDS * sizeof(guint64);
  case MS_REDUCE_BETWEEN_LAST_GROUP:
    return (LAST_GROUP_HEADER + words * LAST_GROUP_PIECES) * sizeof(guint32);
  default:
    return words * sizeof(guint64);
  }
}

static gboolean
ensure_out(MsReducer *self, guint groups, GError **error)
{
  gsize bytes = out_bytes_for(self->plan, groups);
  guint n = self->plan->options.between == MS_REDUCE_BETWEEN_RECURSIVE ? 2 : 1;

  if (bytes <= self->out_bytes)
    return TRUE;
  self->out_bytes = 0;
  self->out_is_clear = FALSE;
  for (guint i = 0; i < n; i++) {
    g_clear_pointer(&self->out[i], clReleaseMemObject);
    self->out[i] = ms_context_create_buffer(self->context, CL_MEM_READ_WRITE, bytes, NULL, error);
    if (!self->out[i])
      return FALSE;
  }
  self->out_bytes = bytes;
  return TRUE;
}

static gboolean
clear_slots(MsReducer *self, GError **error)
{
  const guint32 zero = 0;

  if (self->out_is_clear)
    return TRUE;
  self->out_is_clear = TRUE;
  return ms_cl_check(clEnqueueFillBuffer(ms_context_get_queue(self->context), self->out[0], &zero, sizeof zero, 0,
                                         self->out_bytes, 0, NULL, NULL),
                     error, "clearing the partials");
}

static gboolean
prepare_out(MsReducer *self, guint groups, GError **error)
{
  guint64 start[MS_REDUCE_MAX_WORDS];

  if (!ensure_out(self, groups, error))
    return FALSE;
  if (self->plan->options.between == MS_REDUCE_BETWEEN_LAST_GROUP)
    return clear_slots(self, error);
  if (self->plan->options.between != MS_REDUCE_BETWEEN_ATOMIC)
    return TRUE;
  ms_reduce_atomic_start(self->plan, start);
  return ms_context_upload(self->context, self->out[0], 0, sizeof start, start, NULL, error);
}

/** Span: @to - @from elements, counted from element @origin of a buffer, where a whole vector starts. */
typedef struct {
  guint64 origin;
  cl_int from;
  cl_int to;
} Span;

static gsize
local_bytes(const MsReducer *self)
{
  return self->plan->group * ms_reduce_partial_bytes(self->plan);
}

static gboolean
set_arguments(MsReducer *self, cl_mem source, const Span *span, cl_int times, GError **error)
{
  const struct {
    gsize size;
    const void *value;
  } arguments[] = {
    {sizeof source, &source},       {sizeof span->origin, &span->origin}, {sizeof span->from, &span->from},
    {sizeof span->to, &span->to},   {sizeof times, &times},               {sizeof(cl_mem), &self->out[0]},
    {sizeof(cl_mem), &self->map},   {local_bytes(self), NULL},            {sizeof(cl_uint), NULL},
  };

  for (cl_uint i = 0; i < G_N_ELEMENTS(arguments); i++)
    if (!ms_cl_check(clSetKernelArg(self->kernel, i, arguments[i].size, arguments[i].value), error,
                     "setting argument %u of reduce", i))
      return FALSE;
  return TRUE;
}

static MsNDRange
grid(const MsReducer *self, guint groups)
{
  return (MsNDRange){.dimensions = 1, .global = {(gsize)groups * self->plan->group}, .local = {self->plan->group}};
}

static gboolean
launch_partials(MsReducer *self, cl_mem from, cl_int n, cl_mem into, guint groups, MsTimingLog *log, GError **error)
{
  MsNDRange range = grid(self, groups);
  cl_int times = PARTIALS_TIMES;
  cl_kernel kernel = self->partials_kernel;
  cl_int status = clSetKernelArg(kernel, 0, sizeof from, &from) | clSetKernelArg(kernel, 1, sizeof n, &n) |
                  clSetKernelArg(kernel, 2, sizeof times, &times) | clSetKernelArg(kernel, 3, sizeof into, &into) |
                  clSetKernelArg(kernel, 4, sizeof(cl_mem), &self->map) |
                  clSetKernelArg(kernel, 5, local_bytes(self), NULL) | clSetKernelArg(kernel, 6, sizeof(cl_uint), NULL);

  return ms_cl_check(status, error, "setting the arguments of reduce_partials") &&
         ms_context_launch(self->context, kernel, "reduce_partials", &range,
                           (guint64)n * self->plan->words * sizeof(guint64), log, error);
}

/* Leaves one partial in out[0]: the buffers change names instead of contents. */
static gboolean
fold_recursively(MsReducer *self, guint groups, MsTimingLog *log, GError **error)
{
  guint share = self->plan->group * PARTIALS_TIMES;

  while (groups > 1) {
    guint next = (groups + share - 1) / share;
    cl_mem from = self->out[0];
    if (!launch_partials(self, from, (cl_int)groups, self->out[1], next, log, error))
      return FALSE;
    self->out[0] = self->out[1];
    self->out[1] = from;
    groups = next;
  }
  return TRUE;
}

static gboolean
collect(MsReducer *self, guint groups, guint64 first_element, MsReduceResult *result, MsTimingLog *log, GError **error)
{
  const MsReducePlan *plan = self->plan;
  gboolean many = plan->options.between == MS_REDUCE_BETWEEN_HOST;
  gsize n = many ? groups : 1;
  g_autofree guint64 *words = g_new(guint64, n * plan->words);

  if (plan->options.between == MS_REDUCE_BETWEEN_RECURSIVE && !fold_recursively(self, groups, log, error))
    return FALSE;
  if (!ms_context_download(self->context, self->out[0], 0, n * plan->words * sizeof(guint64), words, log, error))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    ms_reduce_result_fold(plan, words + i * plan->words, first_element, result);
  return TRUE;
}

/* The bytes that the kernel moves: whole pixels for a channel. */
static gboolean
run_span(MsReducer *self, cl_mem source, const Span *span, guint64 first_element, MsReduceResult *result,
         MsTimingLog *log, GError **error)
{
  guint64 n = (guint64)(span->to - span->from);
  MsReduceLaunch launch = ms_reduce_plan_launch(self->plan, n);
  MsNDRange range = grid(self, launch.groups);
  gboolean good;

  good = prepare_out(self, launch.groups, error) &&
         set_arguments(self, source, span, (cl_int)launch.times, error) &&
         ms_context_launch(self->context, self->kernel, "reduce", &range, n * self->plan->element_bytes, log, error) &&
         collect(self, launch.groups, first_element - (guint64)span->from, result, log, error);
  if (!good)
    self->out_is_clear = FALSE;
  return good;
}

/* A span starts where a vector does; the elements in front of the array are left out by `from`. */
static Span
span_of(const MsReducePlan *plan, guint64 first, guint64 n)
{
  guint64 from = first % (guint64)plan->options.vector;

  return (Span){first - from, (cl_int)from, (cl_int)(from + n)};
}

static gboolean
run_image_chunk(MsReducer *self, const MsReduceImageSource *from, guint64 n, guint64 first_element,
                MsReduceResult *result, MsTimingLog *log, GError **error)
{
  Span span = {0, 0, (cl_int)n};

  if (!self->image)
    self->image = ms_reduce_image_new(self->context, self->plan, n, error);
  return self->image && ms_reduce_image_fill(self->context, self->plan, self->image, from, n, log, error) &&
         run_span(self, self->image, &span, first_element, result, log, error);
}

static gboolean
run_chunks_of_buffer(MsReducer *self, cl_mem buffer, guint64 first, guint64 n, guint64 base, MsReduceResult *result,
                     MsTimingLog *log, GCancellable *cancellable, GError **error)
{
  for (guint64 done = 0; done < n;) {
    guint64 part = MIN(n - done, self->plan->chunk);
    Span span = span_of(self->plan, first + done, part);
    MsReduceImageSource source = {.buffer = buffer, .first = first + done};
    gboolean good = self->plan->options.storage == MS_REDUCE_STORAGE_IMAGE
                      ? run_image_chunk(self, &source, part, base + done, result, log, error)
                      : run_span(self, buffer, &span, base + done, result, log, error);
    if (!good || g_cancellable_set_error_if_cancelled(cancellable, error))
      return FALSE;
    done += part;
  }
  return TRUE;
}

static gboolean
run_image_of_host(MsReducer *self, const guint8 *data, guint64 n, MsReduceResult *result, MsTimingLog *log,
                  GCancellable *cancellable, GError **error)
{
  for (guint64 done = 0; done < n;) {
    guint64 part = MIN(n - done, self->plan->chunk);
    MsReduceImageSource source = {.host = data + done * self->plan->element_bytes};
    if (!run_image_chunk(self, &source, part, done, result, log, error) ||
        g_cancellable_set_error_if_cancelled(cancellable, error))
      return FALSE;
    done += part;
  }
  return TRUE;
}

/* Elements that are on the device at a time when an array comes from the host. */
static guint64
upload_chunk(const MsReducePlan *plan)
{
  guint64 bytes = MIN(plan->limits.max_allocation, plan->limits.global_memory / 4);

  return CLAMP(bytes / plan->element_bytes / 16 * 16, 16, plan->chunk);
}

static gboolean
upload_and_run(MsReducer *self, const guint8 *data, guint64 n, MsReduceResult *result, MsTimingLog *log,
               GCancellable *cancellable, GError **error)
{
  guint64 chunk = MIN(upload_chunk(self->plan), n);
  gsize size = self->plan->element_bytes;

  g_clear_pointer(&self->upload, clReleaseMemObject);
  self->upload = ms_context_create_buffer(self->context, CL_MEM_READ_ONLY, chunk * size, NULL, error);
  for (guint64 done = 0; self->upload && done < n; done += chunk) {
    guint64 part = MIN(n - done, chunk);
    if (!ms_context_upload(self->context, self->upload, 0, part * size, data + done * size, log, error) ||
        !run_chunks_of_buffer(self, self->upload, 0, part, done, result, log, cancellable, error))
      return FALSE;
  }
  return self->upload != NULL;
}

/* Where host and device share memory, an aligned array is read where it lies. */
static gboolean
run_in_place(MsReducer *self, const guint8 *data, guint64 n, MsReduceResult *result, MsTimingLog *log,
             GCancellable *cancellable, GError **error)
{
  guint64 chunk = MIN(upload_chunk(self->plan) / HOST_ALIGNMENT * HOST_ALIGNMENT, n);
  gsize size = self->plan->element_bytes;

  for (guint64 done = 0; done < n; done += chunk) {
    guint64 part = MIN(n - done, chunk);
    g_auto(cl_mem) buffer = ms_context_create_buffer(self->context, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, part * size,
                                                     (gpointer)(data + done * size), error);
    if (!buffer || !run_chunks_of_buffer(self, buffer, 0, part, done, result, log, cancellable, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
can_run_in_place(const MsReducePlan *plan, const void *data)
{
  return plan->limits.host_unified && (guintptr)data % HOST_ALIGNMENT == 0 && upload_chunk(plan) >= HOST_ALIGNMENT;
}

static gboolean
fold_host(MsReducer *self, const void *data, guint64 n, MsReduceResult *result, MsTimingLog *log,
          GCancellable *cancellable, GError **error)
{
  ms_reduce_result_begin(self->plan, result);
  result->n = n;
  if (self->plan->options.storage == MS_REDUCE_STORAGE_IMAGE)
    return run_image_of_host(self, data, n, result, log, cancellable, error);
  if (can_run_in_place(self->plan, data))
    return run_in_place(self, data, n, result, log, cancellable, error);
  return upload_and_run(self, data, n, result, log, cancellable, error);
}

static gboolean
fold_buffer(MsReducer *self, cl_mem buffer, guint64 first, guint64 n, MsReduceResult *result, MsTimingLog *log,
            GCancellable *cancellable, GError **error)
{
  ms_reduce_result_begin(self->plan, result);
  result->n = n;
  return run_chunks_of_buffer(self, buffer, first, n, 0, result, log, cancellable, error);
}

/*
 * A minimum of +infinity means that every element is +infinity or NaN, and only the maximum tells which: it stays at
 * -infinity when nothing but NaN went by. The other way round for the maximum.
 */
static gboolean
is_undecided(const MsReducePlan *plan, const MsReduceResult *result)
{
  if (!ms_element_type_is_real(plan->spec.type))
    return FALSE;
  return (plan->spec.op == MS_REDUCE_MIN && result->min == INFINITY) ||
         (plan->spec.op == MS_REDUCE_MAX && result->max == -INFINITY);
}

static MsReducer *
get_opposite(MsReducer *self, guint64 n, MsTimingLog *log, GError **error)
{
  MsReduceSpec spec = self->plan->spec;
  g_autoptr(MsReducePlan) plan = NULL;

  if (self->opposite)
    return self->opposite;
  spec.op = spec.op == MS_REDUCE_MIN ? MS_REDUCE_MAX : MS_REDUCE_MIN;
  plan = ms_reduce_plan_new(&spec, &self->plan->options, &self->plan->limits, n, error);
  if (plan)
    self->opposite = ms_reducer_new(self->context, plan, log, error);
  return self->opposite;
}

static void
decide_nan(MsReduceResult *result)
{
  if (!ms_element_type_is_real(result->type) || result->min != INFINITY || result->max != -INFINITY)
    return;
  result->min = result->max = NAN;
}

static gboolean
is_empty(guint64 n, GError **error)
{
  if (n == 0)
    g_set_error(error, MS_ERROR, MS_ERROR_USAGE, "The array is empty; a reduction needs at least one element.");
  return n == 0;
}

static void
complete(MsReducer *self, const MsReduceResult *opposite, MsReduceResult *result)
{
  if (opposite && self->plan->spec.op == MS_REDUCE_MIN)
    result->max = opposite->max;
  else if (opposite)
    result->min = opposite->min;
  if (opposite || self->plan->spec.op == MS_REDUCE_MINMAX)
    decide_nan(result);
  ms_reduce_result_complete(result);
}

/**
 * ms_reducer_run_host:
 * @data: @n elements (8UC4 pixels for a channel); an array aligned to 128 bytes is not copied where host and device share
 *   memory, any other is uploaded, in chunks where it exceeds the device's memory
 * @log: (nullable): gets uploads, kernels and downloads
 * @result: (out caller-allocates): the result; undefined on failure
 *
 * Returns: %FALSE with @error set (#MS_ERROR_USAGE for an empty array, G_IO_ERROR_CANCELLED, or what the device said)
 */
gboolean
ms_reducer_run_host(MsReducer *self, const void *data, guint64 n, MsReduceResult *result, MsTimingLog *log,
                    GCancellable *cancellable, GError **error)
{
  MsReduceResult other;
  MsReducer *opposite = NULL;

  if (is_empty(n, error) || !fold_host(self, data, n, result, log, cancellable, error))
    return FALSE;
  if (is_undecided(self->plan, result)) {
    opposite = get_opposite(self, n, log, error);
    if (!opposite || !fold_host(opposite, data, n, &other, log, cancellable, error))
      return FALSE;
  }
  complete(self, opposite ? &other : NULL, result);
  return TRUE;
}

/**
 * ms_reducer_run_buffer:
 * @buffer: a buffer of the reducer's context
 * @first: element (pixel for a channel) of the buffer to start from; any number
 *
 * As ms_reducer_run_host(), for data that is on the device already.
 */
gboolean
ms_reducer_run_buffer(MsReducer *self, cl_mem buffer, guint64 first, guint64 n, MsReduceResult *result,
                      MsTimingLog *log, GCancellable *cancellable, GError **error)
{
  MsReduceResult other;
  MsReducer *opposite = NULL;

  if (is_empty(n, error) || !fold_buffer(self, buffer, first, n, result, log, cancellable, error))
    return FALSE;
  if (is_undecided(self->plan, result)) {
    opposite = get_opposite(self, n, log, error);
    if (!opposite || !fold_buffer(opposite, buffer, first, n, &other, log, cancellable, error))
      return FALSE;
  }
  complete(self, opposite ? &other : NULL, result);
  return TRUE;
}

/** ms_reduce_array: plans, builds and runs one reduction over a host array. */
gboolean
ms_reduce_array(MsContext *context, const MsReduceSpec *spec, const MsReduceOptions *options, const void *data,
                guint64 n, MsReduceResult *result, MsTimingLog *log, GCancellable *cancellable, GError **error)
{
  g_autoptr(MsReducePlan) plan = ms_reduce_plan_new(spec, options, ms_context_get_limits(context), n, error);
  g_autoptr(MsReducer) reducer = plan ? ms_reducer_new(context, plan, log, error) : NULL;

  return reducer && ms_reducer_run_host(reducer, data, n, result, log, cancellable, error);
}
