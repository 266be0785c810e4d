/* SPDX-License-Identifier: MIT */
#include "core/reduce/reduce-plan.h"

#include <inttypes.h>

#include "core/reduce/swap.h"

/* A lane of 32 bits holds the sum of this many elements (or squares of 8-bit elements) without overflow. */
#define NARROW_LOADS (1 << 15)
/* Keeps the number of partials within 32 bits and their memory small. */
#define MAX_GROUPS (G_GUINT64_CONSTANT(1) << 22)
/* Positions and indices are 32-bit, also four steps of the grid beyond the end. */
#define MAX_GRID (G_GUINT64_CONSTANT(1) << 28)
#define MAX_CHUNK (G_GUINT64_CONSTANT(1) << 29)
/* Groups by size: each compute unit gets several in turn ([PCL] recommends 4 to 8). */
#define GROUPS_PER_UNIT 8
#define MAX_IMAGE_SIDE 4096
/* Work-items that a compute unit of a graphics processor runs at a time. */
#define ITEMS_PER_UNIT 2048

#define REFUSE(...) (ms_set_error(error, MS_ERROR_UNSUPPORTED, __VA_ARGS__), FALSE)

static guint64
ceil_div(guint64 a, guint64 b)
{
  return (a + b - 1) / b;
}

/* Whether sub-groups have a built-in reduction for each word of the partial. */
static gboolean
has_built_in_fold(const MsReducePlan *plan)
{
  return !plan->op->positions && !plan->compensated && !plan->options.vector_partials;
}

/* Work-groups where their number does not follow from the length of the array. */
static guint64
fixed_groups(const MsReducePlan *plan)
{
  const MsReduceOptions *o = &plan->options;

  if (o->groups == MS_REDUCE_GROUPS_UNITS)
    return (guint64)MAX(plan->limits.compute_units, 1) * (guint64)o->groups_count;
  return (guint64)o->groups_count;
}

/** ms_reduce_can_wrap: whether the result is one sum of integers, which accumulators of 32 bits hold modulo 2^32. */
gboolean
ms_reduce_can_wrap(const MsReduceSpec *spec)
{
  const MsReduceOperator *op = ms_reduce_operator(spec->op);

  return op->shape == MS_REDUCE_TOTAL && op->sum && !op->squares && !ms_reduce_operator_total_is_real(op, spec->type);
}

/* Whether the operator has a packed form for such elements: of loads from a buffer, whose partials are no vectors. */
static gboolean
can_pack(const MsReducePlan *plan)
{
  const MsReduceOptions *o = &plan->options;

  return plan->op->packed && ms_element_type_size(plan->spec.type) <= plan->op->packed_bytes && o->vector >= 4 &&
         !o->vector_partials && o->storage == MS_REDUCE_STORAGE_BUFFER;
}

static MsSubGroups
best_sub_groups(const MsReducePlan *plan)
{
  if (plan->options.tree != MS_REDUCE_TREE_COMPLETELY_UNROLL)
    return MS_SUB_GROUPS_OFF;
  if (plan->warp_barrier)
    return MS_SUB_GROUPS_BARRIER;
  if (!plan->limits.subgroups)
    return MS_SUB_GROUPS_OFF;
  if (has_built_in_fold(plan))
    return MS_SUB_GROUPS_REDUCE;
  if (plan->limits.subgroup_shuffle && !plan->options.vector_partials)
    return MS_SUB_GROUPS_SHUFFLE;
  /* To compile barriers of sub-groups ends the process on Mesa's llvmpipe. */
  return ms_device_limits_lack_vectors(&plan->limits) ? MS_SUB_GROUPS_OFF : MS_SUB_GROUPS_BARRIER;
}

/*
 * A processor: one work-item a group, which folds a contiguous block in the widest vectors; the host folds the few
 * partials.
 */
static void
choose_for_cpu(MsReducePlan *plan, guint64 n)
{
  MsReduceOptions *o = &plan->options;
  guint64 share = n / 16 / (MAX(plan->limits.compute_units, 1) * GROUPS_PER_UNIT);

  *o = (MsReduceOptions){.vector = 16,
                         .stride = MS_REDUCE_STRIDE_BLOCK,
                         .groups_count = 1,
                         .work_group = 1,
                         .tree = MS_REDUCE_TREE_DIVERGENCE_FREE,
                         .bank_conflict_saving = 1,
                         .swap_range = 64,
                         .between = MS_REDUCE_BETWEEN_HOST,
                         .builtin = !ms_element_type_is_real(plan->spec.type),
                         .times = (int)CLAMP(share, 256, 8192)};
}

/* A graphics processor: loads of 16 bytes, and large groups, as many as run at the same time, in one launch. */
static void
choose_for_gpu(MsReducePlan *plan, guint64 n)
{
  MsReduceOptions *o = &plan->options;
  int size = (int)ms_element_type_size(plan->spec.type), group = 1024, each;
  guint64 full, vectors;

  while (group > 1 && ((gsize)group > plan->limits.max_work_group || (gsize)group > plan->limits.max_work_item[0] ||
                       group * 32u + 4 > plan->limits.local_memory))
    group /= 2;
  each = ITEMS_PER_UNIT / group;
  full = (guint64)MAX(plan->limits.compute_units, 1) * (guint64)each;
  *o = (MsReduceOptions){.vector = MAX(16 / size, 4),
                         .work_group = group,
                         .swap_range = 64,
                         .builtin = 1,
                         .tree = MS_REDUCE_TREE_COMPLETELY_UNROLL,
                         .bank_conflict_saving = 1,
                         .between = MS_REDUCE_BETWEEN_LAST_GROUP,
                         .groups = MS_REDUCE_GROUPS_UNITS,
                         .groups_count = each};
  vectors = n / (guint64)o->vector;
  if (vectors >= full * (guint64)group * 4)
    return;
  o->groups = MS_REDUCE_GROUPS_FIXED;
  o->groups_count = (int)CLAMP(ceil_div(vectors, (guint64)group * 4), 1, full);
}

/* The loads of a work-item when the number of groups follows from the size. */
static int
resolve_times(const MsReducePlan *plan, guint64 n)
{
  const MsReduceOptions *o = &plan->options;
  guint64 wanted = (guint64)MAX(plan->limits.compute_units, 1) * GROUPS_PER_UNIT * (guint64)o->work_group;

  if (o->times > 0)
    return o->times;
  return (int)CLAMP(n / (guint64)o->vector / wanted, 1, 64);
}

/* The vector units of processors fold bytes efficiently; elsewhere lanes of 32 bits cost instructions or registers. */
static gboolean
gains_by_packing(const MsReducePlan *plan)
{
  if (plan->selects)
    return plan->pair_extremes;
  return plan->limits.type != MS_DEVICE_TYPE_CPU;
}

/* Every choice that the options leave to the plan. */
static void
resolve_options(MsReducePlan *plan, guint64 n)
{
  MsReduceOptions *o = &plan->options;

  if (o->automatic && plan->limits.type == MS_DEVICE_TYPE_CPU)
    choose_for_cpu(plan, n);
  else if (o->automatic)
    choose_for_gpu(plan, n);
  plan->group = (guint)o->work_group;
  plan->warp_barrier =
    plan->limits.nvidia_capability >= 70 && plan->limits.preferred_multiple == 32 && plan->group % 32 == 0;
  plan->pair_extremes = plan->limits.nvidia_capability >= 90;
  if (o->groups == MS_REDUCE_GROUPS_SIZE)
    o->times = resolve_times(plan, n);
  if (o->vector == 1 || plan->op->positions)
    o->vector_partials = 0;
  plan->compensated = !plan->limits.fp64 && plan->spec.type == MS_ELEMENT_FLOAT && plan->real;
  plan->wraps = o->accumulator == MS_ACCUMULATOR_32_BIT && ms_reduce_can_wrap(&plan->spec);
  plan->packed = gains_by_packing(plan) && can_pack(plan);
  plan->sub_groups = best_sub_groups(plan);
  plan->sub_groups_first = plan->limits.type == MS_DEVICE_TYPE_CPU &&
                           (plan->sub_groups == MS_SUB_GROUPS_SHUFFLE || plan->sub_groups == MS_SUB_GROUPS_REDUCE);
}

static MsElementType
value_type(const MsReducePlan *plan)
{
  MsElementType type = plan->spec.type;

  if (plan->options.storage != MS_REDUCE_STORAGE_IMAGE || ms_element_type_is_real(type))
    return type;
  return ms_element_type_is_signed(type) ? MS_ELEMENT_INT : MS_ELEMENT_UINT;
}

/* Words of the partial, and the local memory that it takes: for all work-items, or without those kept in registers. */
static void
lay_out(MsReducePlan *plan)
{
  const MsReduceOperator *op = plan->op;
  const gsize kept = plan->options.tree == MS_REDUCE_TREE_FOUR_WAY && plan->group > 2 ? 4 : 2;
  gsize size, in_memory = plan->group;

  plan->element_bytes = ms_element_type_size(plan->spec.type);
  plan->value_type = value_type(plan);
  size = ms_element_type_size(plan->value_type);
  plan->terms = (op->sum ? 1 : 0) + (op->squares ? plan->wide_squares ? 2 : 1 : 0);
  plan->slots = plan->compensated ? 2 : 1;
  plan->words = plan->terms * plan->slots;
  if (plan->selects)
    plan->words = ((op->low ? 1u : 0u) + (op->high ? 1u : 0u)) * (op->positions ? 2 : 1);
  if (op->positions)
    plan->partial_bytes = size == 8 ? 24 : 2 * MAX(size, 4) + 8;
  else
    plan->partial_bytes = plan->words * (plan->selects ? size : plan->compensated || plan->wraps ? 4 : 8);
  if (plan->options.vector_partials)
    plan->partial_bytes *= (gsize)plan->options.vector;
  if (plan->options.bank_conflict_saving && plan->group > 1 && !plan->sub_groups_first)
    in_memory -= plan->group / kept;
  plan->scratch_bytes = in_memory * plan->partial_bytes;
}

/* Whether the operation exists for @n elements on the plan's device. */
static gboolean
check_request(const MsReducePlan *plan, guint64 n, GError **error)
{
  const MsReduceSpec *spec = &plan->spec;

  if (n == 0) {
    ms_set_error(error, MS_ERROR_USAGE, "The array is empty; a reduction needs at least one element.");
    return FALSE;
  }
  if (spec->type == MS_ELEMENT_DOUBLE && !plan->limits.fp64)
    return REFUSE("The device has no double precision (cl_khr_fp64). Choose another type, or another device.");
  if (!(plan->op->types & 1u << spec->type))
    return REFUSE("The operator %s does not take elements of type %s.", plan->op->name,
                  ms_element_type_name(spec->type));
  return TRUE;
}

static gboolean
check_group(const MsReducePlan *plan, GError **error)
{
  const MsReduceOptions *o = &plan->options;
  guint64 bytes = plan->scratch_bytes + sizeof(guint32);

  if (o->work_group <= 0 || (o->work_group & (o->work_group - 1)) != 0 || o->work_group > 1024)
    return REFUSE("The trees fold halves, so group-size must be a power of two up to 1024, not %d.", o->work_group);
  if ((guint64)o->work_group > plan->limits.max_work_group || (guint64)o->work_group > plan->limits.max_work_item[0])
    return REFUSE("The device takes at most %zu work-items a group; group-size is %d.",
                  MIN(plan->limits.max_work_group, plan->limits.max_work_item[0]), o->work_group);
  if (bytes > plan->limits.local_memory)
    return REFUSE("A work-group of %d needs %" PRIu64 " bytes of local memory; the device has %" PRIu64 ".",
                  o->work_group, bytes, plan->limits.local_memory);
  return TRUE;
}

static gboolean
check_tree(const MsReducePlan *plan, GError **error)
{
  const MsReduceOptions *o = &plan->options;

  if (o->bank_conflict_saving && o->tree == MS_REDUCE_TREE_NAIVE)
    return REFUSE("Bank-conflict saving needs levels of neighbouring work-items: tree=divergence-free or "
                  "completely-unroll.");
  if (o->swap == MS_SWAP_OFF)
    return TRUE;
  if (o->tree != MS_REDUCE_TREE_NAIVE)
    return REFUSE("Thread swapping removes the divergence of tree=naive; the other trees have none.");
  if (o->swap_range > o->work_group)
    return REFUSE("swap-range %d exceeds the work-group of %d; work-items change places within their group only.",
                  o->swap_range, o->work_group);
  return TRUE;
}

static gboolean
check_storage(const MsReducePlan *plan, GError **error)
{
  if (plan->options.storage != MS_REDUCE_STORAGE_IMAGE)
    return TRUE;
  if (!plan->limits.images)
    return REFUSE("The device has no images. Use storage=buffer.");
  if (plan->spec.type == MS_ELEMENT_DOUBLE)
    return REFUSE("No image format holds doubles. Use storage=buffer.");
  if (plan->options.vector != 4)
    return REFUSE("A texel has four elements, so storage=image needs vector=4, not %d.", plan->options.vector);
  return TRUE;
}

static gboolean
check_atomic(const MsReducePlan *plan, GError **error)
{
  const MsReduceOperator *op = plan->op;
  gboolean needs_64 = plan->selects ? plan->spec.type == MS_ELEMENT_DOUBLE : plan->real;

  if (plan->options.between != MS_REDUCE_BETWEEN_ATOMIC)
    return TRUE;
  if (op->positions)
    return REFUSE("No atomic changes a value and its position together. Use between=last-group, host or recursive.");
  if (plan->compensated)
    return REFUSE("No atomic folds a compensated sum and its error together. Use between=last-group, host or "
                  "recursive.");
  if (needs_64 && !plan->limits.int64_atomics)
    return REFUSE("The device has no 64-bit atomics, which an atomic %s of %s needs. Use between=last-group, host or "
                  "recursive.",
                  op->name, ms_element_type_name(plan->spec.type));
  return TRUE;
}

static gboolean
check_grid(const MsReducePlan *plan, GError **error)
{
  guint64 groups;

  if (plan->options.groups == MS_REDUCE_GROUPS_SIZE)
    return TRUE;
  groups = fixed_groups(plan);
  if (groups <= MAX_GROUPS && groups * (guint64)plan->options.work_group <= MAX_GRID)
    return TRUE;
  return REFUSE("%" PRIu64 " work-groups of %d are more than a launch can number; they may be %" PRIu64
                " here. Choose a smaller groups-count.",
                groups, plan->options.work_group, MIN(MAX_GROUPS, MAX_GRID / (guint64)plan->options.work_group));
}

/* Whether the resolved options can run on the plan's device. */
static gboolean
check_plan(const MsReducePlan *plan, GError **error)
{
  if (plan->selects && !plan->options.builtin && plan->spec.type == MS_ELEMENT_CHAR &&
      ms_device_limits_lack_vectors(&plan->limits))
    return REFUSE("To compile comparisons of char ends the process on Mesa's llvmpipe. Use builtin=on.");
  return check_storage(plan, error) && check_tree(plan, error) && check_atomic(plan, error) &&
         check_group(plan, error) && check_grid(plan, error);
}

static void
size_image(MsReducePlan *plan, guint64 *chunk)
{
  gsize width = 1, most = MIN(plan->limits.image_max_width, MAX_IMAGE_SIDE);

  while (width * 2 <= most)
    width *= 2;
  plan->image_width = width;
  *chunk = MIN(*chunk, (guint64)width * plan->limits.image_max_height * 4);
  *chunk = MIN(*chunk, plan->limits.max_allocation / (4 * plan->element_bytes) / width * width * 4);
}

static guint64
size_chunk(MsReducePlan *plan)
{
  const MsReduceOptions *o = &plan->options;
  guint64 loads =
    o->groups == MS_REDUCE_GROUPS_SIZE ? MAX_GROUPS * (guint64)o->times : fixed_groups(plan) * NARROW_LOADS;
  guint64 chunk = MIN(MAX_CHUNK, loads * (guint64)o->work_group * (guint64)o->vector);

  if (o->storage == MS_REDUCE_STORAGE_IMAGE)
    size_image(plan, &chunk);
  return MAX(chunk / 16, 1) * 16;
}

/**
 * ms_reduce_plan_new:
 * @n: elements of the array; decides what `auto` chooses and the loads of a work-item
 *
 * Returns: (transfer full): the plan, or %NULL with a sentence: #MS_ERROR_USAGE for an empty array,
 *   #MS_ERROR_UNSUPPORTED for options that the device or the kernels do not support
 */
MsReducePlan *
ms_reduce_plan_new(const MsReduceSpec *spec, const MsReduceOptions *options, const MsDeviceLimits *limits, guint64 n,
                   GError **error)
{
  g_autoptr(MsReducePlan) self = g_new0(MsReducePlan, 1);

  self->spec = *spec;
  self->op = ms_reduce_operator(spec->op);
  self->options = *options;
  self->limits = *limits;
  self->selects = ms_reduce_operator_is_extreme(self->op);
  self->real = ms_reduce_operator_total_is_real(self->op, spec->type);
  self->wide_squares = spec->type == MS_ELEMENT_INT || spec->type == MS_ELEMENT_UINT;
  if (!check_request(self, n, error))
    return NULL;
  resolve_options(self, n);
  lay_out(self);
  if (!check_plan(self, error))
    return NULL;
  self->chunk = size_chunk(self);
  ms_reduce_plan_compose(self);
  return g_steal_pointer(&self);
}

void
ms_reduce_plan_free(MsReducePlan *self)
{
  g_clear_pointer(&self->program, ms_program_spec_unref);
  g_free(self);
}

/** ms_reduce_plan_copy: (transfer full): the same plan. */
MsReducePlan *
ms_reduce_plan_copy(const MsReducePlan *self)
{
  MsReducePlan *copy = g_memdup2(self, sizeof *self);

  ms_program_spec_ref(copy->program);
  return copy;
}

/** ms_reduce_plan_refusal: (transfer full) (nullable): why these options cannot run, or %NULL when they can. */
char *
ms_reduce_plan_refusal(const MsReduceSpec *spec, const MsReduceOptions *options, const MsDeviceLimits *limits,
                       guint64 n)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(MsReducePlan) plan = ms_reduce_plan_new(spec, options, limits, n, &error);

  return plan ? NULL : g_strdup(error->message);
}

/** ms_reduce_plan_launch: the grid for @n elements of one chunk. */
MsReduceLaunch
ms_reduce_plan_launch(const MsReducePlan *self, guint64 n)
{
  guint64 loads = MAX(ceil_div(n, (guint64)self->options.vector), 1), groups, times;

  if (self->options.groups == MS_REDUCE_GROUPS_SIZE) {
    times = (guint64)self->options.times;
    groups = ceil_div(loads, times * self->group);
  } else {
    groups = fixed_groups(self);
    times = ceil_div(loads, groups * self->group);
  }
  return (MsReduceLaunch){(guint)groups, (guint)times};
}

/**
 * ms_reduce_plan_fill_map:
 * @map: (out): twice the work-items of a group: whose work each one does, then which one does the work of each
 */
void
ms_reduce_plan_fill_map(const MsReducePlan *self, guint16 *map)
{
  for (guint i = 0; i < self->group; i++)
    map[i] = (guint16)i;
  if (self->options.swap != MS_SWAP_OFF)
    ms_swap_table_tree(map, (guint)self->options.swap_range, self->group);
  ms_swap_table_invert(map, map + self->group, self->group);
}
