/* SPDX-License-Identifier: MIT */
/*
 * Passes an array to the device, in place, by uploads or as an image, in chunks that a launch can process; folds each
 * chunk into the partials of the groups, those into one, and that into the result.
 */
#include "core/reduce/reduce.h"

#include <math.h>
#include <string.h>

#include "core/opencl/cl.h"
#include "core/opencl/transfers.h"
#include "core/reduce/reduce-plan.h"

/* Elements of a texel. */
#define TEXEL 4
/* Words before the partials in the output of a last-group finish, as in finish/last-group.cl. */
#define LAST_GROUP_HEADER 9
#define LAST_GROUP_PIECES 3
#define PARTIALS_TIMES 8

/** Centre: the element that moments are taken about, as stored in memory; zero for other operators. */
typedef union {
  float narrow;
  double wide;
} Centre;

struct _MsReducer {
  MsContext *context;
  MsReducePlan *plan;
  cl_kernel kernel;
  cl_kernel partials_kernel;
  cl_mem out[2]; /* recursive launches alternate between the two */
  gsize out_bytes;
  gboolean out_is_clear;
  cl_mem map;
  cl_mem image;
  guint64 image_elements;
  Centre centre;
  MsReducer *opposite; /* the maximum where a minimum alone cannot distinguish NaN from infinity, or vice versa */
};

/**
 * Span: @to - @from elements, counted from element @origin of a buffer, where a whole vector starts.
 * @place: index of the first of them in the whole array
 */
typedef struct {
  guint64 origin;
  cl_int from;
  cl_int to;
  guint64 place;
} Span;

void
ms_reducer_free(MsReducer *self)
{
  g_clear_pointer(&self->kernel, clReleaseKernel);
  g_clear_pointer(&self->partials_kernel, clReleaseKernel);
  g_clear_pointer(&self->out[0], clReleaseMemObject);
  g_clear_pointer(&self->out[1], clReleaseMemObject);
  g_clear_pointer(&self->map, clReleaseMemObject);
  g_clear_pointer(&self->image, clReleaseMemObject);
  g_clear_pointer(&self->opposite, ms_reducer_free);
  ms_reduce_plan_free(self->plan);
  ms_context_unref(self->context);
  g_free(self);
}

static gboolean
create_map(MsReducer *self, GError **error)
{
  gsize bytes = 2 * self->plan->group * sizeof(guint16);
  g_autofree guint16 *map = g_malloc(bytes);

  ms_reduce_plan_fill_map(self->plan, map);
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
  g_autoptr(MsReducer) self = g_new0(MsReducer, 1);

  self->context = ms_context_ref(context);
  self->plan = ms_reduce_plan_copy(plan);
  if (!create_kernels(self, log, error) || !create_map(self, error))
    return NULL;
  return g_steal_pointer(&self);
}

static gsize
out_bytes_for(const MsReducePlan *plan, guint groups)
{
  gsize words = (gsize)groups * plan->words;

  if (plan->options.between == MS_REDUCE_BETWEEN_ATOMIC)
    return MS_REDUCE_MAX_WORDS * sizeof(guint64);
  if (plan->options.between == MS_REDUCE_BETWEEN_LAST_GROUP)
    return (LAST_GROUP_HEADER + words * LAST_GROUP_PIECES) * sizeof(guint32);
  return words * sizeof(guint64);
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
  return ms_cl_check(
    clEnqueueFillBuffer(self->context->queue, self->out[0], &zero, sizeof zero, 0, self->out_bytes, 0, NULL, NULL),
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
  return ms_context_upload(self->context, &(MsBufferRange){self->out[0], 0, sizeof start}, start, NULL, error);
}

static gboolean
set_arguments(MsReducer *self, cl_mem source, const Span *span, cl_int times, GError **error)
{
  const gsize element_bytes = ms_element_type_size(self->plan->value_type);
  const MsKernelArg args[] = {
    MS_ARG_OF(source),
    MS_ARG_OF(span->origin),
    MS_ARG_OF(span->from),
    MS_ARG_OF(span->to),
    MS_ARG_OF(times),
    {element_bytes, &self->centre},
    MS_ARG_OF(self->out[0]),
    MS_ARG_OF(self->map),
    MS_ARG_LOCAL_BYTES(self->plan->scratch_bytes),
    MS_ARG_LOCAL_BYTES(sizeof(cl_uint)),
  };

  return ms_kernel_set_args(self->kernel, "reduce", args, G_N_ELEMENTS(args), error);
}

/* Folds the partials of @groups in the first buffer into those of @into groups in the second. */
static gboolean
launch_partials(MsReducer *self, guint groups, guint into, MsTimingLog *log, GError **error)
{
  MsNDRange range = ms_nd_range_of_groups(into, self->plan->group);
  cl_int n = (cl_int)groups, times = PARTIALS_TIMES;
  const MsKernelArg args[] = {
    MS_ARG_OF(self->out[0]),
    MS_ARG_OF(n),
    MS_ARG_OF(times),
    MS_ARG_OF(self->out[1]),
    MS_ARG_OF(self->map),
    MS_ARG_LOCAL_BYTES(self->plan->scratch_bytes),
    MS_ARG_LOCAL_BYTES(sizeof(cl_uint)),
  };
  const MsLaunch launch = {self->partials_kernel, "reduce_partials", range,
                           (guint64)groups * self->plan->words * sizeof(guint64)};

  return ms_kernel_set_args(launch.kernel, launch.name, args, G_N_ELEMENTS(args), error) &&
         ms_context_launch(self->context, &launch, log, error);
}

/* Leaves one partial in out[0]: the buffers are exchanged, not copied. */
static gboolean
fold_recursively(MsReducer *self, guint groups, MsTimingLog *log, GError **error)
{
  guint share = self->plan->group * PARTIALS_TIMES;

  while (groups > 1) {
    guint next = (groups + share - 1) / share;
    cl_mem from = self->out[0];
    if (!launch_partials(self, groups, next, log, error))
      return FALSE;
    self->out[0] = self->out[1];
    self->out[1] = from;
    groups = next;
  }
  return TRUE;
}

static gboolean
read_words(MsReducer *self, const MsBufferRange *range, guint64 *words, MsTimingLog *log, GError **error)
{
  const MsReduceWait wait = (MsReduceWait)self->plan->options.wait;

  if (wait == MS_REDUCE_WAIT_EVENT)
    return ms_context_download(self->context, range, words, log, error);
  return (wait != MS_REDUCE_WAIT_FINISH || ms_context_finish(self->context, error)) &&
         ms_context_read(self->context, range, words, log, error);
}

/* @first: index in the whole array of the element that positions are counted from. */
static gboolean
collect(MsReducer *self, guint groups, guint64 first, const MsReduceJob *job, GError **error)
{
  const MsReducePlan *plan = self->plan;
  gboolean many = plan->options.between == MS_REDUCE_BETWEEN_HOST;
  gsize n = many ? groups : 1, bytes = n * plan->words * sizeof(guint64);
  g_autofree guint64 *words = g_malloc(bytes);

  if (plan->options.between == MS_REDUCE_BETWEEN_RECURSIVE && !fold_recursively(self, groups, job->log, error))
    return FALSE;
  if (!read_words(self, &(MsBufferRange){self->out[0], 0, bytes}, words, job->log, error))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    ms_reduce_result_fold(plan, words + i * plan->words, first, job->result);
  return TRUE;
}

/* Folds one chunk of a buffer or image on the device. */
static gboolean
run_span(MsReducer *self, cl_mem source, const Span *span, const MsReduceJob *job, GError **error)
{
  guint64 n = (guint64)(span->to - span->from), bytes = n * self->plan->element_bytes;
  MsReduceLaunch launch = ms_reduce_plan_launch(self->plan, n);
  MsNDRange range = ms_nd_range_of_groups(launch.groups, self->plan->group);
  gboolean good;

  good = prepare_out(self, launch.groups, error) && set_arguments(self, source, span, (cl_int)launch.times, error) &&
         ms_context_launch(self->context, &(MsLaunch){self->kernel, "reduce", range, bytes}, job->log, error) &&
         collect(self, launch.groups, span->place - (guint64)span->from, job, error);
  if (!good)
    self->out_is_clear = FALSE;
  return good;
}

/* Makes sure that there is an image for @n elements of a chunk. */
static gboolean
ensure_image(MsReducer *self, guint64 n, GError **error)
{
  static const cl_channel_type types[] = {CL_UNSIGNED_INT8, CL_SIGNED_INT8,    CL_UNSIGNED_INT16, CL_SIGNED_INT16,
                                          CL_SIGNED_INT32,  CL_UNSIGNED_INT32, CL_FLOAT};
  cl_image_format format = {CL_RGBA, types[self->plan->spec.type]};
  guint64 row = self->plan->image_width * TEXEL;
  cl_image_desc shape = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                         .image_width = self->plan->image_width,
                         .image_height = (gsize)((n + row - 1) / row)};
  cl_int status = CL_SUCCESS;

  if (n <= self->image_elements)
    return TRUE;
  g_clear_pointer(&self->image, clReleaseMemObject);
  self->image_elements = 0;
  self->image = clCreateImage(self->context->cl, CL_MEM_READ_ONLY, &format, &shape, NULL, &status);
  if (!ms_cl_check(status, error, "making an image of %zu x %zu texels", shape.image_width, shape.image_height))
    return FALSE;
  self->image_elements = n;
  return TRUE;
}

/** Rectangle: texels of an image that are consecutive in the array, from element @element on. */
typedef struct {
  gsize origin[3];
  gsize region[3];
  guint64 element;
} Rectangle;

static gboolean
write_rectangle(MsReducer *self, const Rectangle *r, const MsReduceInput *input, MsTimingLog *log, GError **error)
{
  cl_command_queue queue = self->context->queue;
  const gsize size = self->plan->element_bytes;
  g_auto(cl_event) event = NULL;
  guint64 bytes = (guint64)r->region[0] * r->region[1] * TEXEL * size;
  cl_int status;

  if (r->region[0] == 0 || r->region[1] == 0)
    return TRUE;
  const guint64 begun_ns = ms_context_begin_command(self->context, log);
  if (input->host)
    status = clEnqueueWriteImage(queue, self->image, CL_TRUE, r->origin, r->region, 0, 0,
                                 (const guint8 *)input->host + r->element * size, 0, NULL, &event);
  else
    status = clEnqueueCopyBufferToImage(queue, input->buffer, self->image, (input->first + r->element) * size,
                                        r->origin, r->region, 0, NULL, &event);
  if (!ms_cl_check(status, error, "filling an image"))
    return FALSE;
  ms_context_log_command(self->context, begun_ns, &(MsTiming){MS_STAGE_UPLOAD, "image", .bytes = bytes}, event, log);
  return TRUE;
}

/* A last texel that is not full is copied through host memory, since the array may end within it. */
static gboolean
write_last_texel(MsReducer *self, const MsReduceInput *input, MsTimingLog *log, GError **error)
{
  const gsize size = self->plan->element_bytes;
  guint64 whole = input->n / TEXEL * TEXEL, texel = input->n / TEXEL;
  gsize rest = (gsize)(input->n - whole) * size;
  guint8 bytes[TEXEL * sizeof(double)] = {0};
  MsReduceInput from = {.host = bytes};
  Rectangle last = {{texel % self->plan->image_width, texel / self->plan->image_width, 0}, {1, 1, 1}, 0};

  if (rest == 0)
    return TRUE;
  if (input->host)
    memcpy(bytes, (const guint8 *)input->host + whole * size, rest);
  else if (!ms_context_download(self->context, &(MsBufferRange){input->buffer, (input->first + whole) * size, rest},
                                bytes, NULL, error))
    return FALSE;
  return write_rectangle(self, &last, &from, log, error);
}

/* Writes the elements into the image; texels beyond them stay undefined and are never folded. */
static gboolean
fill_image(MsReducer *self, const MsReduceInput *input, MsTimingLog *log, GError **error)
{
  const gsize width = self->plan->image_width;
  guint64 texels = input->n / TEXEL, rows = texels / width;
  Rectangle body = {{0}, {width, (gsize)rows, 1}, 0};
  Rectangle rest = {{0, (gsize)rows, 0}, {texels % width, 1, 1}, rows * width * TEXEL};

  return write_rectangle(self, &body, input, log, error) && write_rectangle(self, &rest, input, log, error) &&
         write_last_texel(self, input, log, error);
}

static gboolean
run_image(MsReducer *self, const MsReduceInput *part, guint64 place, const MsReduceJob *job, GError **error)
{
  Span span = {0, 0, (cl_int)part->n, place};

  return ensure_image(self, part->n, error) && fill_image(self, part, job->log, error) &&
         run_span(self, self->image, &span, job, error);
}

/* A span starts at a multiple of the vector width; `from` skips the elements before the array. */
static gboolean
run_buffer(MsReducer *self, const MsReduceInput *part, guint64 place, const MsReduceJob *job, GError **error)
{
  guint64 from = part->first % (guint64)self->plan->options.vector;
  Span span = {part->first - from, (cl_int)from, (cl_int)(from + part->n), place};

  return run_span(self, part->buffer, &span, job, error);
}

/* @place: index of the first element of @input in the whole array. */
static gboolean
run_chunks(MsReducer *self, const MsReduceInput *input, guint64 place, const MsReduceJob *job, GError **error)
{
  gboolean image = self->plan->options.storage == MS_REDUCE_STORAGE_IMAGE;

  for (guint64 done = 0; done < input->n; done += self->plan->chunk) {
    const MsReduceInput part = {.host =
                                  input->host ? (const guint8 *)input->host + done * self->plan->element_bytes : NULL,
                                .buffer = input->buffer,
                                .first = input->first + done,
                                .n = MIN(input->n - done, self->plan->chunk)};
    if (!(image ? run_image : run_buffer)(self, &part, place + done, job, error) ||
        g_cancellable_set_error_if_cancelled(job->cancellable, error))
      return FALSE;
  }
  return TRUE;
}

/*
 * Elements of a host array that are on the device at the same time: a multiple that keeps each part aligned where the
 * first one is, so that it can be read in place.
 */
static guint64
upload_chunk(const MsReducePlan *plan)
{
  guint64 n = MIN(plan->limits.max_allocation, plan->limits.global_memory / 4) / plan->element_bytes;

  return CLAMP(n >= 128 ? n / 128 * 128 : 16, 16, plan->chunk);
}

static gboolean
run_host(MsReducer *self, const MsReduceInput *input, const MsReduceJob *job, GError **error)
{
  const guint64 chunk = upload_chunk(self->plan);
  const gsize size = self->plan->element_bytes;

  for (guint64 done = 0; done < input->n; done += chunk) {
    MsReduceInput part = {.n = MIN(input->n - done, chunk)};
    g_auto(cl_mem) buffer =
      ms_device_array_new(self->context, (const guint8 *)input->host + done * size, part.n * size, job->log, error);
    part.buffer = buffer;
    if (!buffer || !run_chunks(self, &part, done, job, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
read_first(MsReducer *self, const MsReduceInput *input, Centre *first, GError **error)
{
  const gsize size = self->plan->element_bytes;

  if (!input->host)
    return ms_context_download(self->context, &(MsBufferRange){input->buffer, input->first * size, size}, first, NULL,
                               error);
  memcpy(first, input->host, size);
  return TRUE;
}

/* Any number near the elements serves as centre: the first element, unless it is infinite or NaN. */
static gboolean
set_centre(MsReducer *self, const MsReduceInput *input, MsReduceResult *result, GError **error)
{
  Centre first = {.wide = 0};
  double value;

  if (!self->plan->op->about_centre || !self->plan->real)
    return TRUE;
  if (!read_first(self, input, &first, error))
    return FALSE;
  value = self->plan->spec.type == MS_ELEMENT_FLOAT ? (double)first.narrow : first.wide;
  self->centre = isfinite(value) ? first : (Centre){.wide = 0};
  result->centre = isfinite(value) ? value : 0;
  return TRUE;
}

/* Computes the sums or extremes of an array; ms_reduce_result_complete() derives the result. */
static gboolean
fold(MsReducer *self, const MsReduceInput *input, const MsReduceJob *job, GError **error)
{
  ms_reduce_result_begin(&self->plan->spec, input->n, job->result);
  if (!set_centre(self, input, job->result, error))
    return FALSE;
  if (!input->host || self->plan->options.storage == MS_REDUCE_STORAGE_IMAGE)
    return run_chunks(self, input, 0, job, error);
  return run_host(self, input, job, error);
}

/*
 * A minimum of +infinity means that every element is +infinity or NaN, and only the maximum shows which: it is
 * -infinity when every element is NaN. The same holds with the roles exchanged.
 */
static gboolean
is_undecided(const MsReducePlan *plan, const MsReduceResult *result)
{
  const MsReduceOperator *op = plan->op;

  if (!ms_element_type_is_real(plan->spec.type))
    return FALSE;
  return (op->low && !op->high && result->min == INFINITY) || (op->high && !op->low && result->max == -INFINITY);
}

static MsReducer *
get_opposite(MsReducer *self, guint64 n, MsTimingLog *log, GError **error)
{
  MsReduceSpec spec = self->plan->spec;
  g_autoptr(MsReducePlan) plan = NULL;

  if (self->opposite)
    return self->opposite;
  spec.op = self->plan->op->opposite;
  plan = ms_reduce_plan_new(&spec, &self->plan->options, &self->plan->limits, n, error);
  if (plan)
    self->opposite = ms_reducer_new(self->context, plan, log, error);
  return self->opposite;
}

/**
 * ms_reducer_run:
 *
 * Returns: %FALSE with @error set: #MS_ERROR_USAGE for an empty array, G_IO_ERROR_CANCELLED, or the device's error
 */
gboolean
ms_reducer_run(MsReducer *self, const MsReduceInput *input, const MsReduceJob *job, GError **error)
{
  const MsReduceOperator *op = self->plan->op;
  MsReduceResult *result = job->result, other;
  const MsReduceJob again = {&other, job->log, job->cancellable};

  if (input->n == 0) {
    ms_set_error(error, MS_ERROR_USAGE, "The array is empty; a reduction needs at least one element.");
    return FALSE;
  }
  if (!fold(self, input, job, error))
    return FALSE;
  if (is_undecided(self->plan, result)) {
    MsReducer *opposite = get_opposite(self, input->n, job->log, error);
    if (!opposite || !fold(opposite, input, &again, error))
      return FALSE;
    *(op->low ? &result->max : &result->min) = op->low ? other.max : other.min;
  }
  if (self->plan->selects && result->min == INFINITY && result->max == -INFINITY)
    result->min = result->max = NAN;
  ms_reduce_result_wrap(self->plan, result);
  ms_reduce_result_complete(result);
  return TRUE;
}

/** ms_reduce_array: plans, builds and runs one reduction. */
gboolean
ms_reduce_array(MsContext *context, const MsReduceRequest *request, const MsReduceInput *input, const MsReduceJob *job,
                GError **error)
{
  g_autoptr(MsReducePlan) plan =
    ms_reduce_plan_new(&request->spec, &request->options, &context->device->limits, input->n, error);
  g_autoptr(MsReducer) reducer = plan ? ms_reducer_new(context, plan, job->log, error) : NULL;

  return reducer && ms_reducer_run(reducer, input, job, error);
}
