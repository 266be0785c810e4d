/* SPDX-License-Identifier: MIT */
#include "core/reduce/swap.h"

#include <string.h>

#include "core/opencl/cl.h"
#include "core/opencl/transfers.h"

#define GROUP MS_SWAP_EXAMPLE_GROUP

/**
 * ms_swap_range_is_valid: whether work-items may be swapped within blocks of @range, a power of two from 64 to the
 * group.
 */
gboolean
ms_swap_range_is_valid(guint range, guint work_group, GError **error)
{
  if (range >= 64 && range <= work_group && (range & (range - 1)) == 0 && work_group % range == 0)
    return TRUE;
  ms_set_error(
    error, MS_ERROR_UNSUPPORTED,
    "The swap range %u is not valid for work-groups of %u; it must be a power of two from 64 up to the work-group.",
    range, work_group);
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
 * For the interleaved tree [BD 2]. At distance s the works that are multiples of 2s remain active; with the bits of the
 * index reversed within the block, these are the first work-items of the block at every level.
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
 * For a step of the bitonic sort [BD 3], whose branch is bit j of the work: that bit is exchanged with the highest bit
 * of the block, so that each half of the block takes one branch. From @distance = @range on, a block takes one branch
 * anyway.
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

/** ms_swap_table_invert: the inverse permutation: inverse[map[i]] = i. */
void
ms_swap_table_invert(const guint16 *map, guint16 *inverse, guint work_group)
{
  for (guint i = 0; i < work_group; i++)
    inverse[map[i]] = (guint16)i;
}

/* A model of warps: which branches the work-items of a warp take, and how many memory segments they touch. */

#define SEGMENT_ELEMENTS 32 /* floats in 128 bytes, the unit of a coalesced access on Fermi */
#define MOST_BRANCHES 8

/* The segments that are read by the items of the warp that take this branch, one element each; 0 if none does. */
static guint
count_segments(const guint16 *map, guint first, MsSwapOutcome outcome, guint branch)
{
  g_autoptr(GHashTable) segments = g_hash_table_new(NULL, NULL);

  for (guint i = first; i < first + MS_WARP_SIZE; i++)
    if (outcome(map[i]) == branch)
      g_hash_table_add(segments, GUINT_TO_POINTER(map[i] / SEGMENT_ELEMENTS + 1));
  return g_hash_table_size(segments);
}

/**
 * ms_warp_model_count:
 * @map: the swap table; item i does the work of map[i]
 * @first: the first item of the warp
 * @outcome: the branch of the work of an id, below 8
 *
 * Returns: counts of one read of one array by the warp, as in tables 2 and 4 of [BD]
 */
MsWarpCounts
ms_warp_model_count(const guint16 *map, guint first, MsSwapOutcome outcome)
{
  MsWarpCounts counts = {0, 0, 0};

  for (guint branch = 0; branch < MOST_BRANCHES; branch++) {
    guint segments = count_segments(map, first, outcome, branch);
    counts.branches += segments > 0;
    counts.accesses += segments;
    counts.uncoalesced += segments > 0 ? segments - 1 : 0;
  }
  return counts;
}

struct _MsSwapExample {
  MsContext *context;
  cl_kernel kernel;
  cl_mem a, b, result, map;
  guint n;
};

/** ms_swap_example_outcome: the branch of the study's example: multiply, add or subtract, on id % 4 and id % 2. */
guint
ms_swap_example_outcome(guint id)
{
  if (id % 4 == 0)
    return 0;
  return id % 2 == 0 ? 1 : 2;
}

/** ms_swap_example_serial: the same computation on the host. */
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

/**
 * ms_swap_example_map:
 * @map: (out): %MS_SWAP_EXAMPLE_GROUP entries: the work that each item of a group does
 * @range: 0 for no swapping, or 64, 128 or 256: the block within which work-items are swapped */
void
ms_swap_example_map(guint16 *map, guint range)
{
  for (guint i = 0; i < GROUP; i++)
    map[i] = (guint16)i;
  if (range > 0)
    ms_swap_table_by_outcome(map, range, GROUP, ms_swap_example_outcome);
}

/** ms_swap_example_compose: (transfer full): the program; @range as in ms_swap_example_map(). */
MsProgramSpec *
ms_swap_example_compose(guint range)
{
  MsProgramSpec *spec = ms_program_spec_new();

  ms_program_spec_define_int(spec, "GROUP", GROUP);
  ms_program_spec_define_text(spec, "WORK_OF_ITEM", range > 0 ? "SWAPPED_WORK" : "OWN_WORK");
  ms_program_spec_add_part(spec, "reduce/tree/item.cl");
  ms_program_spec_add_part(spec, "swap/example.cl");
  return spec;
}

static gboolean
allocate(MsSwapExample *self, const MsSwapArrays *arrays, guint range, GError **error)
{
  cl_mem_flags given = CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR;
  gsize bytes = self->n * sizeof(float);
  guint16 map[GROUP];

  ms_swap_example_map(map, range);
  return (self->a = ms_context_create_buffer(self->context, given, bytes, (gpointer)arrays->a, error)) &&
         (self->b = ms_context_create_buffer(self->context, given, bytes, (gpointer)arrays->b, error)) &&
         (self->map = ms_context_create_buffer(self->context, given, sizeof map, map, error)) &&
         (self->result = ms_context_create_buffer(self->context, CL_MEM_READ_WRITE, bytes, NULL, error));
}

static gboolean
set_arguments(MsSwapExample *self, GError **error)
{
  cl_uint n = self->n;
  const MsKernelArg args[] = {MS_ARG_OF(self->a), MS_ARG_OF(self->b), MS_ARG_OF(self->result), MS_ARG_OF(n),
                              MS_ARG_OF(self->map)};

  return ms_kernel_set_args(self->kernel, "swap_example", args, G_N_ELEMENTS(args), error);
}

/**
 * ms_swap_example_new:
 * @range: 0 for no swapping, or 64, 128 or 256: the block within which work-items are swapped
 * @log: (nullable): gets the build
 *
 * Builds the study's example kernel [BD 1], three branches over two arrays in work-groups of 256, and puts the arrays
 * on the device.
 */
MsSwapExample *
ms_swap_example_new(MsContext *context, const MsSwapArrays *arrays, guint range, MsTimingLog *log, GError **error)
{
  g_autoptr(MsProgramSpec) spec = ms_swap_example_compose(range);
  g_autoptr(MsSwapExample) self = NULL;

  if (arrays->n == 0) {
    ms_set_error(error, MS_ERROR_USAGE, "The arrays are empty; the example needs at least one element.");
    return NULL;
  }
  if (range > 0 && !ms_swap_range_is_valid(range, GROUP, error))
    return NULL;
  self = g_new0(MsSwapExample, 1);
  self->context = ms_context_ref(context);
  self->n = arrays->n;
  self->kernel = ms_kernel_new(context, spec, "swap_example", log, error);
  if (!self->kernel || !allocate(self, arrays, range, error) || !set_arguments(self, error))
    return NULL;
  return g_steal_pointer(&self);
}

void
ms_swap_example_free(MsSwapExample *self)
{
  g_clear_pointer(&self->kernel, clReleaseKernel);
  g_clear_pointer(&self->a, clReleaseMemObject);
  g_clear_pointer(&self->b, clReleaseMemObject);
  g_clear_pointer(&self->result, clReleaseMemObject);
  g_clear_pointer(&self->map, clReleaseMemObject);
  ms_context_unref(self->context);
  g_free(self);
}

/**
 * ms_swap_example_run:
 * @log: (nullable): gets the kernel
 *
 * Runs the kernel once and waits for it; the result stays on the device.
 */
gboolean
ms_swap_example_run(MsSwapExample *self, MsTimingLog *log, GError **error)
{
  MsNDRange range = ms_nd_range_of_groups((self->n + GROUP - 1) / GROUP, GROUP);
  guint64 bytes = 3 * (guint64)self->n * sizeof(float);

  return ms_context_launch(self->context, &(MsLaunch){self->kernel, "swap_example", range, bytes}, log, error) &&
         ms_context_finish(self->context, error);
}

/**
 * ms_swap_example_read:
 * @result: (out): the values of the last run
 *
 * Also overwrites them on the device, so that a later run that writes nothing is noticed.
 */
gboolean
ms_swap_example_read(MsSwapExample *self, float *result, GError **error)
{
  gsize bytes = self->n * sizeof(float);
  g_autofree void *other = g_malloc(bytes);

  memset(other, 0x5a, bytes);
  return ms_context_download(self->context, &(MsBufferRange){self->result, 0, bytes}, result, NULL, error) &&
         ms_context_upload(self->context, &(MsBufferRange){self->result, 0, bytes}, other, NULL, error);
}
