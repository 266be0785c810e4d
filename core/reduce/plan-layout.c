/* SPDX-License-Identifier: MIT */
#include "core/reduce/plan-layout.h"

#include "core/reduce/swap/swap.h"

static const MsReduceOperator *
operator_of(const MsReducePlan *plan)
{
  return ms_reduce_operator(plan->spec.op);
}

/** ms_reduce_total_is_real: whether totals are floating-point numbers. */
gboolean
ms_reduce_total_is_real(const MsReducePlan *plan)
{
  return ms_reduce_operator_total_is_real(operator_of(plan), plan->spec.type);
}

/** ms_reduce_squares_are_wide: whether squares are summed in two halves of 32 bits. */
gboolean
ms_reduce_squares_are_wide(const MsReducePlan *plan)
{
  return plan->spec.type == MS_ELEMENT_INT || plan->spec.type == MS_ELEMENT_UINT;
}

/** ms_reduce_count_terms: numbers that an element adds to the partial: itself, its square in one word or in two. */
guint
ms_reduce_count_terms(const MsReducePlan *plan)
{
  const MsReduceOperator *op = operator_of(plan);
  guint squares = ms_reduce_squares_are_wide(plan) ? 2 : 1;

  return (op->sum ? 1 : 0) + (op->squares ? squares : 0);
}

/** ms_reduce_count_slots: words of each term: two where a compensated sum keeps its error. */
guint
ms_reduce_count_slots(const MsReducePlan *plan)
{
  return plan->compensated ? 2 : 1;
}

/** ms_reduce_count_words: 64-bit words of the partial of a group. */
guint
ms_reduce_count_words(const MsReducePlan *plan)
{
  const MsReduceOperator *op = operator_of(plan);

  if (ms_reduce_operator_is_extreme(op))
    return ((op->low ? 1u : 0u) + (op->high ? 1u : 0u)) * (op->positions ? 2 : 1);
  return ms_reduce_count_terms(plan) * ms_reduce_count_slots(plan);
}

/** ms_reduce_value_type: the type that kernels compute with: the element's, which images widen to 32 bits. */
MsElementType
ms_reduce_value_type(const MsReducePlan *plan)
{
  MsElementType type = plan->spec.type;

  if (plan->options.storage != MS_REDUCE_STORAGE_IMAGE || ms_element_type_is_real(type))
    return type;
  return ms_element_type_is_signed(type) ? MS_ELEMENT_INT : MS_ELEMENT_UINT;
}

/* Bytes of a work-item's partial that holds one value of each word, not a vector. */
static gsize
value_bytes(const MsReducePlan *plan)
{
  const MsReduceOperator *op = operator_of(plan);
  gsize size = ms_element_type_size(ms_reduce_value_type(plan));

  if (op->positions)
    return size == 8 ? 24 : 2 * MAX(size, 4) + 8;
  if (ms_reduce_operator_is_extreme(op))
    return ms_reduce_count_words(plan) * size;
  return ms_reduce_count_words(plan) * (plan->compensated ? 4 : 8);
}

/* Partials in local memory at the same time: all, or without those kept in registers (level-registers.cl). */
static gsize
scratch_slots(const MsReducePlan *plan)
{
  gsize kept = plan->options.tree == MS_REDUCE_TREE_FOUR_WAY && plan->group > 2 ? 4 : 2;

  if (!plan->options.bank_conflict_saving || plan->group == 1 || ms_reduce_folds_sub_groups_first(plan))
    return plan->group;
  return plan->group - plan->group / kept;
}

/** ms_reduce_partial_bytes: local memory of the partial of one work-item. */
gsize
ms_reduce_partial_bytes(const MsReducePlan *plan)
{
  return value_bytes(plan) * (plan->options.vector_partials ? (gsize)plan->options.vector : 1);
}

/** ms_reduce_scratch_bytes: local memory of the partials of a group. */
gsize
ms_reduce_scratch_bytes(const MsReducePlan *plan)
{
  return scratch_slots(plan) * ms_reduce_partial_bytes(plan);
}

/**
 * ms_reduce_plan_fill_map:
 * @map: (out): twice the work-items of a group: whose work each one does, then which one does the work of each
 */
void
ms_reduce_plan_fill_map(const MsReducePlan *plan, guint16 *map)
{
  for (guint i = 0; i < plan->group; i++)
    map[i] = (guint16)i;
  if (plan->options.swap != MS_SWAP_OFF)
    ms_swap_table_tree(map, (guint)plan->options.swap_range, plan->group);
  ms_swap_table_invert(map, map + plan->group, plan->group);
}

/** ms_reduce_has_warp_barrier: whether a warp's barrier replaces the work-group's: its width must be known. */
gboolean
ms_reduce_has_warp_barrier(const MsReducePlan *plan)
{
  return plan->limits.nvidia_capability >= 70 && plan->limits.preferred_multiple == 32 && plan->group % 32 == 0;
}

/** ms_reduce_folds_sub_groups_first: whether sub-groups fold before anything reaches local memory: on processors. */
gboolean
ms_reduce_folds_sub_groups_first(const MsReducePlan *plan)
{
  MsSubGroups sub_groups = plan->options.sub_groups;

  return plan->limits.type == MS_DEVICE_TYPE_CPU &&
         (sub_groups == MS_SUB_GROUPS_SHUFFLE || sub_groups == MS_SUB_GROUPS_REDUCE);
}

/** ms_reduce_has_built_in_fold: whether sub-groups have a built-in reduction for each word of the partial. */
gboolean
ms_reduce_has_built_in_fold(const MsReducePlan *plan)
{
  return !operator_of(plan)->positions && !plan->compensated && !plan->options.vector_partials;
}

/** ms_reduce_has_pair_extremes: whether two numbers of 16 bits are compared in one instruction. */
gboolean
ms_reduce_has_pair_extremes(const MsDeviceLimits *limits)
{
  return limits->nvidia_capability >= 90;
}

/** ms_reduce_fixed_groups: work-groups where their number does not follow from the length of the array. */
guint64
ms_reduce_fixed_groups(const MsReducePlan *plan)
{
  const MsReduceOptions *o = &plan->options;

  if (o->groups == MS_REDUCE_GROUPS_UNITS)
    return (guint64)MAX(plan->limits.compute_units, 1) * (guint64)o->groups_count;
  return (guint64)o->groups_count;
}
