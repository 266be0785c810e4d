/* SPDX-License-Identifier: MIT */
#include "core/reduce/sort.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/opencl/cl.h"
#include "core/opencl/transfers.h"
#include "core/reduce/swap.h"

#define USUAL_GROUP 512

/*
 * Keys that one work-item of a processor sorts by itself: a block that its second-level cache holds easily, and a
 * smaller one for few keys.
 */
#define VECTOR_BLOCK 16384
#define SMALL_VECTOR_BLOCK 1024
#define MAX_KEYS (G_GUINT64_CONSTANT(1) << 31)

typedef enum {
  KERNEL_BLOCK,
  KERNEL_MERGE,
  KERNEL_STEP,
  KERNEL_THREE_STEPS,
  N_KERNELS,
} SortKernel;

static const char *const fast_names[N_KERNELS] = {"sort_block", "sort_merge", "sort_step", "sort_three_steps"};
static const char *const study_names[N_KERNELS] = {"study_block", "study_merge", "study_step", NULL};

/**
 * Sorter: the state of one sort.
 * @vectors: whether a work-item sorts a block by itself, in vectors
 * @group: work-items of a group
 * @block: keys that a group sorts by itself
 * @share: keys that a work-item moves in a step
 * @padded: keys with the padding, a power of two and at least a block
 */
typedef struct {
  MsContext *context;
  MsSortOptions options;
  MsElementType type;
  gboolean vectors;
  guint group;
  guint block;
  guint share;
  guint64 n;
  guint64 padded;
  const char *const *names;
  cl_kernel kernels[N_KERNELS];
  cl_kernel encode;
  cl_kernel decode;
  cl_mem keys;
  cl_mem map;
  MsTimingLog *log;
  GCancellable *cancellable;
} Sorter;

static void
sorter_clear(Sorter *self)
{
  for (int i = 0; i < N_KERNELS; i++)
    g_clear_pointer(&self->kernels[i], clReleaseKernel);
  g_clear_pointer(&self->encode, clReleaseKernel);
  g_clear_pointer(&self->decode, clReleaseKernel);
  g_clear_pointer(&self->keys, clReleaseMemObject);
  g_clear_pointer(&self->map, clReleaseMemObject);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Sorter, sorter_clear)

MsSortOptions
ms_sort_options_default(void)
{
  return (MsSortOptions){.form = MS_SORT_FAST, .swap = MS_SWAP_OFF, .swap_range = 64, .work_group = 0};
}

static guint
usual_group(const MsSortOptions *options, const MsDeviceLimits *limits)
{
  guint group = options->work_group > 0 ? (guint)options->work_group : USUAL_GROUP;

  if (options->work_group > 0)
    return group;
  while (group > 1 && (group > limits->max_work_group || group > limits->max_work_item[0] ||
                       2 * group * sizeof(cl_uint) > limits->local_memory))
    group /= 2;
  return group;
}

/* Processors run work-groups with barriers slowly, but order many pairs at once in vectors. */
static gboolean
takes_vectors(const MsSortOptions *options, const MsDeviceLimits *limits)
{
  return options->form == MS_SORT_FAST && options->work_group == 0 && ms_device_limits_have_vectors(limits);
}

static guint
block_length(const MsSortOptions *options, const MsDeviceLimits *limits, guint64 n)
{
  if (takes_vectors(options, limits))
    return n <= 4 * SMALL_VECTOR_BLOCK ? SMALL_VECTOR_BLOCK : VECTOR_BLOCK;
  return options->form == MS_SORT_STUDY ? usual_group(options, limits) : 2 * usual_group(options, limits);
}

static guint64
padded_length(guint64 n, guint block)
{
  guint64 padded = block;

  while (padded < n)
    padded *= 2;
  return padded;
}

#define REFUSE(...) (ms_set_error(error, MS_ERROR_UNSUPPORTED, __VA_ARGS__), FALSE)

static gboolean
check_group(const MsSortOptions *options, guint group, const MsDeviceLimits *limits, GError **error)
{
  if ((group & (group - 1)) != 0)
    return REFUSE("A bitonic sort needs a work-group that is a power of two, not %u.", group);
  if (group > limits->max_work_group || group > limits->max_work_item[0])
    return REFUSE("The device takes at most %zu work-items a group; %u were asked for.", limits->max_work_group, group);
  if (2 * group * sizeof(cl_uint) > limits->local_memory)
    return REFUSE("A work-group of %u needs %u bytes of local memory; the device has %" PRIu64 ".", group,
                  (guint)(2 * group * sizeof(cl_uint)), limits->local_memory);
  if (options->swap == MS_SWAP_OFF)
    return TRUE;
  if (options->form != MS_SORT_STUDY)
    return REFUSE("Thread swapping removes the divergence of the study's form; the fast form has none.");
  return ms_swap_range_is_valid((guint)options->swap_range, group, error);
}

/** ms_sort_check_type: whether keys of @type can be sorted; %FALSE with #MS_ERROR_UNSUPPORTED. */
gboolean
ms_sort_check_type(MsElementType type, GError **error)
{
  if (type == MS_ELEMENT_UINT || type == MS_ELEMENT_INT || type == MS_ELEMENT_FLOAT)
    return TRUE;
  return REFUSE("Keys of type %s cannot be sorted; uint, int and float can.", ms_element_type_name(type));
}

/**
 * ms_sort_check: whether a device with these limits can sort @n keys with these options.
 *
 * Returns: %FALSE with #MS_ERROR_UNSUPPORTED and the reason
 */
gboolean
ms_sort_check(const MsSortOptions *options, MsElementType type, const MsDeviceLimits *limits, guint64 n, GError **error)
{
  guint group = usual_group(options, limits);
  guint64 bytes = padded_length(n, block_length(options, limits, n)) * sizeof(cl_uint);

  if (!ms_sort_check_type(type, error))
    return FALSE;
  if (n > MAX_KEYS || bytes > limits->max_allocation)
    return REFUSE("Sorting %" PRIu64 " keys needs a buffer of %" PRIu64
                  " bytes (padded to a power of two); the device takes %" PRIu64 ".",
                  n, bytes, limits->max_allocation);
  return check_group(options, group, limits, error);
}

static MsProgramSpec *
compose(const Sorter *self)
{
  static const char *const swaps[] = {
    [MS_SWAP_OFF] = "OWN_WORK_AT", [MS_SWAP_PLAIN] = "SWAPPED_WORK_AT", [MS_SWAP_REFINED] = "REFINED_WORK_AT"};
  MsProgramSpec *spec = ms_program_spec_new();

  ms_program_spec_define_text(spec, "ELEM", ms_element_type_name(self->type));
  ms_program_spec_define_int(spec, "GROUP", self->group);
  ms_program_spec_define_int(spec, "BLOCK", self->block);
  ms_program_spec_define_int(spec, "SWAP_RANGE", self->options.swap_range);
  ms_program_spec_define_int(spec, "SWAP_ROWS", g_bit_nth_msf((gulong)self->options.swap_range, -1));
  ms_program_spec_add_part(spec, "sort/convert.cl");
  ms_program_spec_add_part(spec, self->vectors ? "sort/vectors.cl" : "sort/sort.cl");
  if (self->options.form == MS_SORT_STUDY) {
    ms_program_spec_define_text(spec, "WORK_AT", swaps[self->options.swap]);
    ms_program_spec_add_part(spec, "sort/study.cl");
  }
  return spec;
}

/* Derives the layout of the sort from the options, the number of keys and the device. */
static void
size_sorter(Sorter *self, const MsDeviceLimits *limits)
{
  gboolean study = self->options.form == MS_SORT_STUDY;

  self->vectors = takes_vectors(&self->options, limits);
  self->group = self->vectors ? 1 : usual_group(&self->options, limits);
  self->block = block_length(&self->options, limits, self->n);
  self->share = self->vectors ? self->block : study ? 1 : 2;
  self->padded = padded_length(self->n, self->block);
  self->names = study ? study_names : fast_names;
}

/** ms_sort_compose: (transfer full): the program that sorts @n keys on such a device; %NULL for refused options. */
MsProgramSpec *
ms_sort_compose(const MsSortOptions *options, MsElementType type, const MsDeviceLimits *limits, guint64 n)
{
  Sorter sorter = {.options = *options, .type = type, .n = n};

  size_sorter(&sorter, limits);
  return compose(&sorter);
}

static gboolean
build(Sorter *self, GError **error)
{
  g_autoptr(MsProgramSpec) spec = compose(self);
  MsProgram *program = ms_context_build(self->context, spec, self->log, error);

  if (!program)
    return FALSE;
  for (int i = 0; i < N_KERNELS && self->names[i]; i++) {
    self->kernels[i] = ms_program_create_kernel(program, self->names[i], error);
    if (!self->kernels[i])
      return FALSE;
  }
  self->encode = ms_program_create_kernel(program, "sort_encode", error);
  if (!self->encode)
    return FALSE;
  self->decode = ms_program_create_kernel(program, "sort_decode", error);
  return self->decode != NULL;
}

/* One row for each distance below the range. */
static gboolean
create_map(Sorter *self, GError **error)
{
  guint range = (guint)self->options.swap_range, n_rows = 0;
  g_autoptr(GArray) map = g_array_new(FALSE, FALSE, sizeof(guint16));

  if (self->options.form != MS_SORT_STUDY)
    return TRUE;
  for (guint distance = 1; distance < range; distance *= 2, n_rows++) {
    g_array_set_size(map, (n_rows + 1) * self->group);
    ms_swap_table_bitonic(&g_array_index(map, guint16, n_rows * self->group), MIN(range, self->group), self->group,
                          distance);
  }
  self->map = ms_context_create_buffer(self->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                       map->len * sizeof(guint16), map->data, error);
  return self->map != NULL;
}

static gboolean
open_sorter(Sorter *self, GError **error)
{
  const MsDeviceLimits *limits = &self->context->device->limits;

  if (!ms_sort_check(&self->options, self->type, limits, self->n, error))
    return FALSE;
  size_sorter(self, limits);
  self->keys = ms_context_create_buffer(self->context, CL_MEM_READ_WRITE, self->padded * sizeof(cl_uint), NULL, error);
  return self->keys && create_map(self, error) && build(self, error);
}

/** Conversion: of @items keys from @from to the order of unsigned integers in @into, or back. */
typedef struct {
  cl_kernel kernel;
  const char *name;
  cl_mem from;
  cl_mem into;
  guint64 items;
} Conversion;

static gboolean
convert(Sorter *self, const Conversion *c, GError **error)
{
  cl_uint n = (cl_uint)self->n;
  const MsKernelArg args[] = {MS_ARG_OF(c->from), MS_ARG_OF(n), MS_ARG_OF(c->into)};
  guint group = usual_group(&self->options, &self->context->device->limits);
  const MsLaunch launch = {c->kernel, c->name, ms_nd_range_of_groups((c->items + group - 1) / group, group),
                           8 * c->items};

  return ms_kernel_set_args(c->kernel, c->name, args, G_N_ELEMENTS(args), error) &&
         ms_context_launch(self->context, &launch, self->log, error);
}

/* The form in vectors takes no local memory, and only the study's form takes a swap map. */
static guint
count_args(const Sorter *self)
{
  return self->vectors ? 3 : self->options.form == MS_SORT_STUDY ? 5 : 4;
}

/** Step: steps of stage @k, the first over pairs of distance @j; a work-item moves @keys_per_item keys. */
typedef struct {
  SortKernel kernel;
  cl_uint k;
  cl_uint j;
  guint keys_per_item;
} Step;

static gboolean
run_sort_step(Sorter *self, const Step *step, GError **error)
{
  const MsKernelArg args[] = {MS_ARG_OF(self->keys), MS_ARG_OF(step->k), MS_ARG_OF(step->j),
                              MS_ARG_LOCAL_BYTES(self->block * sizeof(cl_uint)), MS_ARG_OF(self->map)};
  const char *name = self->names[step->kernel];
  const MsNDRange range = ms_nd_range_of_groups(self->padded / step->keys_per_item / self->group, self->group);
  const MsLaunch launch = {self->kernels[step->kernel], name, range, 8 * self->padded};

  return ms_kernel_set_args(launch.kernel, name, args, count_args(self), error) &&
         ms_context_launch(self->context, &launch, self->log, error);
}

/* The steps of stage k that reach beyond a block, three a launch while at least three remain. */
static gboolean
run_far_steps(Sorter *self, guint64 k, GError **error)
{
  guint64 nearest = self->block, j = k / 2;
  guint three_share = MAX(self->share, 8);

  while (j >= nearest) {
    gboolean three = self->kernels[KERNEL_THREE_STEPS] && j / 4 >= nearest && self->padded / three_share >= self->group;
    const Step steps = {KERNEL_THREE_STEPS, (cl_uint)k, (cl_uint)(j / 4), three_share};
    const Step step = {KERNEL_STEP, (cl_uint)k, (cl_uint)j, self->share};
    if (!run_sort_step(self, three ? &steps : &step, error))
      return FALSE;
    j /= three ? 8 : 2;
  }
  return TRUE;
}

static gboolean
run_stages(Sorter *self, GError **error)
{
  if (!run_sort_step(self, &(Step){KERNEL_BLOCK, 0, 0, self->share}, error))
    return FALSE;
  for (guint64 k = 2 * (guint64)self->block; k <= self->padded; k *= 2)
    if (g_cancellable_set_error_if_cancelled(self->cancellable, error) || !run_far_steps(self, k, error) ||
        !run_sort_step(self, &(Step){KERNEL_MERGE, (cl_uint)k, 0, self->share}, error))
      return FALSE;
  return TRUE;
}

/**
 * ms_sort_buffer:
 * @from: a buffer of the context with the keys
 * @into: receives them in ascending order; it may be @from
 *
 * Floats are in IEEE total order: -NaN, -inf, -0, +0, +inf, NaN.
 *
 * Returns: %FALSE with #MS_ERROR_UNSUPPORTED where ms_sort_check() gives a reason, or the error of the device
 */
gboolean
ms_sort_buffer(const MsDeviceRun *run, const MsSortRequest *request, cl_mem from, cl_mem into, GError **error)
{
  g_auto(Sorter) sorter = {.context = run->context,
                           .options = request->options,
                           .type = request->type,
                           .n = request->n,
                           .log = run->log,
                           .cancellable = run->cancellable};

  return request->n == 0 ||
         (open_sorter(&sorter, error) &&
          convert(&sorter, &(Conversion){sorter.encode, "sort_encode", from, sorter.keys, sorter.padded}, error) &&
          run_stages(&sorter, error) &&
          convert(&sorter, &(Conversion){sorter.decode, "sort_decode", sorter.keys, into, sorter.n}, error) &&
          ms_context_finish(run->context, error));
}

static int
compare_uint(const void *a, const void *b)
{
  guint32 x = *(const guint32 *)a, y = *(const guint32 *)b;

  return (x > y) - (x < y);
}

static int
compare_int(const void *a, const void *b)
{
  gint32 x = *(const gint32 *)a, y = *(const gint32 *)b;

  return (x > y) - (x < y);
}

/* IEEE total order, by the same keys as in sort/convert.cl. */
static int
compare_float(const void *a, const void *b)
{
  guint32 x = *(const guint32 *)a, y = *(const guint32 *)b;

  x ^= x & 0x80000000u ? 0xffffffffu : 0x80000000u;
  y ^= y & 0x80000000u ? 0xffffffffu : 0x80000000u;
  return (x > y) - (x < y);
}

/** ms_sort_serial: sorts with qsort() in the order of ms_sort_buffer(). */
void
ms_sort_serial(MsElementType type, void *keys, guint64 n)
{
  g_return_if_fail(type == MS_ELEMENT_UINT || type == MS_ELEMENT_INT || type == MS_ELEMENT_FLOAT);

  qsort(keys, n, 4, type == MS_ELEMENT_UINT ? compare_uint : type == MS_ELEMENT_INT ? compare_int : compare_float);
}
