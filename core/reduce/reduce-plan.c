/* SPDX-License-Identifier: MIT */
#include "core/reduce/reduce-plan.h"

#include "core/reduce/plan-checks.h"
#include "core/reduce/plan-layout.h"
#include "core/reduce/plan-parts.h"

/* A lane of 32 bits holds the sum of this many elements (or squares of 8-bit elements) without overflow. */
#define NARROW_LOADS (1 << 15)
/* Positions and indices are 32-bit, also four steps of the grid beyond the end. */
#define MAX_CHUNK (G_GUINT64_CONSTANT(1) << 29)
/* Groups by size: each compute unit gets several in turn ([PCL] recommends 4 to 8). */
#define GROUPS_PER_UNIT 8
#define MAX_IMAGE_SIDE 4096
/* Work-items that a compute unit of a graphics processor runs at a time. */
#define ITEMS_PER_UNIT 2048

static guint64
ceil_div(guint64 a, guint64 b)
{
  return (a + b - 1) / b;
}

static MsSubGroups
best_sub_groups(const MsReducePlan *plan)
{
  if (plan->options.tree != MS_REDUCE_TREE_COMPLETELY_UNROLL)
    return MS_SUB_GROUPS_OFF;
  if (ms_reduce_has_warp_barrier(plan))
    return MS_SUB_GROUPS_BARRIER;
  if (!plan->limits.subgroups)
    return MS_SUB_GROUPS_OFF;
  if (ms_reduce_has_built_in_fold(plan))
    return MS_SUB_GROUPS_REDUCE;
  return plan->limits.subgroup_shuffle && !plan->options.vector_partials ? MS_SUB_GROUPS_SHUFFLE
                                                                         : MS_SUB_GROUPS_BARRIER;
}

static void
resolve_sub_groups(MsReducePlan *plan)
{
  if (plan->options.sub_groups == MS_SUB_GROUPS_AUTO)
    plan->options.sub_groups = best_sub_groups(plan);
}

static void
resolve_float_sum(MsReducePlan *plan)
{
  MsReduceOptions *o = &plan->options;

  if (o->float_sum == MS_FLOAT_SUM_AUTO)
    o->float_sum = plan->limits.fp64 ? MS_FLOAT_SUM_DOUBLE : MS_FLOAT_SUM_COMPENSATED;
  plan->compensated =
    o->float_sum == MS_FLOAT_SUM_COMPENSATED && plan->spec.type == MS_ELEMENT_FLOAT && ms_reduce_total_is_real(plan);
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
  if (plan->spec.channel >= 0)
    o->vector = 4;
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
  if (ms_reduce_operator_is_extreme(ms_reduce_operator(plan->spec.op)))
    return ms_reduce_has_pair_extremes(&plan->limits);
  return plan->limits.type != MS_DEVICE_TYPE_CPU;
}

static void
resolve_packed(MsReducePlan *plan)
{
  MsReduceOptions *o = &plan->options;
  gboolean possible = !ms_reduce_packing_problem(&plan->spec, o);

  if (o->packed == MS_PACKED_AUTO)
    o->packed = possible && gains_by_packing(plan) ? MS_PACKED_ON : MS_PACKED_OFF;
}

static void
resolve_options(MsReducePlan *plan, guint64 n)
{
  MsReduceOptions *o = &plan->options;

  if (o->automatic && plan->limits.type == MS_DEVICE_TYPE_CPU)
    choose_for_cpu(plan, n);
  else if (o->automatic)
    choose_for_gpu(plan, n);
  if (o->groups == MS_REDUCE_GROUPS_SIZE)
    o->times = resolve_times(plan, n);
  if (o->vector == 1 || ms_reduce_operator(plan->spec.op)->positions)
    o->vector_partials = 0;
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
  guint64 chunk = MAX_CHUNK;

  guint64 loads = o->groups == MS_REDUCE_GROUPS_SIZE ? MS_REDUCE_MAX_GROUPS * (guint64)o->times
                                                     : ms_reduce_fixed_groups(plan) * NARROW_LOADS;

  chunk = MIN(chunk, loads * (guint64)o->work_group * (guint64)o->vector);
  if (o->storage == MS_REDUCE_STORAGE_IMAGE)
    size_image(plan, &chunk);
  return MAX(chunk / 16, 1) * 16;
}

/**
 * ms_reduce_plan_new:
 * @n: elements of the array (pixels for a channel); decides what `auto` chooses and the loads of a work-item
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
  self->options = *options;
  self->limits = *limits;
  if (!ms_reduce_check_request(spec, limits, n, error))
    return NULL;
  resolve_options(self, n);
  self->element_bytes = spec->channel >= 0 ? 4 : ms_element_type_size(spec->type);
  self->group = (guint)self->options.work_group;
  resolve_float_sum(self);
  resolve_packed(self);
  resolve_sub_groups(self);
  if (!ms_reduce_check_plan(self, error))
    return NULL;
  self->chunk = size_chunk(self);
  ms_reduce_plan_compose(self);
  return g_steal_pointer(&self);
}

void
ms_reduce_plan_free(MsReducePlan *self)
{
  g_clear_object(&self->program);
  g_free(self);
}

/** ms_reduce_plan_copy: (transfer full): the same plan. */
MsReducePlan *
ms_reduce_plan_copy(const MsReducePlan *self)
{
  MsReducePlan *copy = g_memdup2(self, sizeof *self);

  g_object_ref(copy->program);
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
    groups = ms_reduce_fixed_groups(self);
    times = ceil_div(loads, groups * self->group);
  }
  return (MsReduceLaunch){(guint)groups, (guint)times};
}
