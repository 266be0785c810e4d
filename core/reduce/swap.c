/* SPDX-License-Identifier: MIT */
#include "core/reduce/swap.h"

#include "core/opencl/cl-error.h"

#define EXAMPLE_GROUP 256

/** ms_swap_range_is_valid: whether work-items may change places within @range, a power of two from 64 to the group. */
gboolean
ms_swap_range_is_valid(guint range, guint work_group, GError **error)
{
  if (range >= 64 && range <= work_group && (range & (range - 1)) == 0 && work_group % range == 0)
    return TRUE;
  g_set_error(
    error, MS_ERROR, MS_ERROR_UNSUPPORTED,
    "A swap range of %u does not suit work-groups of %u; it takes a power of two from 64 up to the work-group.", range,
    work_group);
  return FALSE;
}

/**
 * ms_swap_table_by_outcome:
 * @map: (out): @work_group entries: the work that each item does
 * @outcome: outcomes are small numbers from 0 on
 *
 * Orders the work of each block of @range items by its branch [BD 1].
 */
void
ms_swap_table_by_outcome(guint16 *map, guint range, guint work_group, MsSwapOutcome outcome)
{
  for (guint block = 0; block < work_group; block += range) {
    guint placed = 0;
    for (guint wanted = 0; placed < range; wanted++)
      for (guint id = block; id < block + range; id++)
        if (outcome(id) == wanted)
          map[block + placed++] = (guint16)id;
  }
}

static guint
reverse_bits(guint value, guint n_bits)
{
  guint reversed = 0;

  for (guint i = 0; i < n_bits; i++)
    reversed |= ((value >> i) & 1) << (n_bits - 1 - i);
  return reversed;
}

/**
 * ms_swap_table_tree:
 *
 * For the interleaved tree [BD 2]. At distance s the works that are multiples of 2s go on; with the bits of the work
 * reversed inside the block these are the first items of the block, at every level.
 */
void
ms_swap_table_tree(guint16 *map, guint range, guint work_group)
{
  guint n_bits = g_bit_storage(range) - 1;

  for (guint i = 0; i < work_group; i++)
    map[i] = (guint16)(i - i % range + reverse_bits(i % range, n_bits));
}

/**
 * ms_swap_table_bitonic:
 * @distance: the j of the step, a power of two
 *
 * For a step of the bitonic sort [BD 3], whose branch is bit j of the work: that bit changes places with the highest
 * bit of the block, so that each half of the block branches alike. From @distance = @range on the block agrees anyway.
 */
void
ms_swap_table_bitonic(guint16 *map, guint range, guint work_group, guint distance)
{
  guint high = range / 2;

  for (guint i = 0; i < work_group; i++) {
    gboolean low_bit = (i & distance) != 0, high_bit = (i & high) != 0;
    map[i] = (guint16)(distance < range && low_bit != high_bit ? i ^ distance ^ high : i);
  }
}

/** ms_swap_table_invert: where the work of each id is done: inverse[map[i]] = i. */
void
ms_swap_table_invert(const guint16 *map, guint16 *inverse, guint work_group)
{
  for (guint i = 0; i < work_group; i++)
    inverse[map[i]] = (guint16)i;
}

/** ms_swap_divergent_warps: warps of a group in which not all items branch alike. */
guint
ms_swap_divergent_warps(const guint16 *map, guint work_group, guint warp, MsSwapOutcome outcome)
{
  guint divergent = 0;

  for (guint first = 0; first < work_group; first += warp) {
    gboolean differs = FALSE;
    for (guint i = first; i < MIN(first + warp, work_group); i++)
      differs |= outcome(map[i]) != outcome(map[first]);
    divergent += differs;
  }
  return divergent;
}

/** ms_swap_example_outcome: the branch of the study's example: multiply, add or subtract, on id % 4 and id % 2. */
guint
ms_swap_example_outcome(guint id)
{
  if (id % 4 == 0)
    return 0;
  return id % 2 == 0 ? 1 : 2;
}

/** ms_swap_example_serial: what the example kernel computes. */
void
ms_swap_example_serial(const float *a, const float *b, float *result, guint n)
{
  for (guint i = 0; i < n; i++) {
    switch (ms_swap_example_outcome(i)) {
    case 0:
      result[i] = a[i] * b[i];
      break;
    case 1:
      result[i] = a[i] + b[i];
      break;
    default:
      result[i] = a[i] - b[i];
    }
  }
}

typedef struct {
  cl_kernel kernel;
  cl_mem a, b, result, map;
} Example;

static void
example_clear(Example *self)
{
  g_clear_pointer(&self->kernel, clReleaseKernel);
  g_clear_pointer(&self->a, clReleaseMemObject);
  g_clear_pointer(&self->b, clReleaseMemObject);
  g_clear_pointer(&self->result, clReleaseMemObject);
  g_clear_pointer(&self->map, clReleaseMemObject);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Example, example_clear)

static gboolean
example_build(Example *self, MsContext *context, guint range, MsTimingLog *log, GError **error)
{
  g_autoptr(MsProgramSpec) spec = ms_program_spec_new();
  MsProgram *program;

  ms_program_spec_define_int(spec, "GROUP", EXAMPLE_GROUP);
  ms_program_spec_define_text(spec, "WORK_OF_ITEM", range > 0 ? "SWAPPED_WORK" : "OWN_WORK");
  ms_program_spec_add_part(spec, "reduce/tree/swap.cl");
  ms_program_spec_add_part(spec, "swap/example.cl");
  program = ms_context_build(context, spec, log, error);
  if (!program)
    return FALSE;
  self->kernel = ms_program_create_kernel(program, "swap_example", error);
  return self->kernel != NULL;
}

static gboolean
example_allocate(Example *self, MsContext *context, guint range, const float *a, const float *b, guint n,
                 GError **error)
{
  cl_mem_flags given = CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR;
  gsize bytes = n * sizeof(float);
  guint16 map[EXAMPLE_GROUP];

  for (guint i = 0; i < EXAMPLE_GROUP; i++)
    map[i] = (guint16)i;
  if (range > 0)
    ms_swap_table_by_outcome(map, range, EXAMPLE_GROUP, ms_swap_example_outcome);
  return (self->a = ms_context_create_buffer(context, given, bytes, (gpointer)a, error)) &&
         (self->b = ms_context_create_buffer(context, given, bytes, (gpointer)b, error)) &&
         (self->map = ms_context_create_buffer(context, given, sizeof map, map, error)) &&
         (self->result = ms_context_create_buffer(context, CL_MEM_WRITE_ONLY, bytes, NULL, error));
}

static gboolean
example_launch(Example *self, MsContext *context, cl_uint n, MsTimingLog *log, GError **error)
{
  gsize groups = (n + EXAMPLE_GROUP - 1) / EXAMPLE_GROUP;
  MsNDRange range = {.dimensions = 1, .global = {groups * EXAMPLE_GROUP}, .local = {EXAMPLE_GROUP}};
  cl_int status = clSetKernelArg(self->kernel, 0, sizeof(cl_mem), &self->a) |
                  clSetKernelArg(self->kernel, 1, sizeof(cl_mem), &self->b) |
                  clSetKernelArg(self->kernel, 2, sizeof(cl_mem), &self->result) |
                  clSetKernelArg(self->kernel, 3, sizeof n, &n) |
                  clSetKernelArg(self->kernel, 4, sizeof(cl_mem), &self->map);

  return ms_cl_check(status, error, "setting the arguments of swap_example") &&
         ms_context_launch(context, self->kernel, "swap_example", &range, 3 * (guint64)n * sizeof(float), log, error);
}

/**
 * ms_swap_example:
 * @range: 0 for no swapping, or 64, 128 or 256: the block within which work-items change places
 * @a: @n values; likewise @b and @result
 * @log: (nullable): gets the kernel
 *
 * Runs the study's example kernel [BD 1]: three branches over two arrays, in work-groups of 256.
 */
gboolean
ms_swap_example(MsContext *context, guint range, const float *a, const float *b, float *result, guint n,
                MsTimingLog *log, GCancellable *cancellable, GError **error)
{
  g_auto(Example) example = {0};

  if (n == 0) {
    g_set_error(error, MS_ERROR, MS_ERROR_USAGE, "The arrays are empty; the example needs at least one element.");
    return FALSE;
  }
  if (range > 0 && !ms_swap_range_is_valid(range, EXAMPLE_GROUP, error))
    return FALSE;
  return !g_cancellable_set_error_if_cancelled(cancellable, error) &&
         example_build(&example, context, range, log, error) &&
         example_allocate(&example, context, range, a, b, n, error) &&
         example_launch(&example, context, n, log, error) &&
         ms_context_download(context, example.result, 0, n * sizeof(float), result, log, error);
}
