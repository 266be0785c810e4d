/* SPDX-License-Identifier: MIT */
#include "core/reduce/plan-parts.h"

#include "core/reduce/plan-layout.h"

#define REDUCE "reduce/"

static const MsReduceOperator *
operator_of(const MsReducePlan *plan)
{
  return ms_reduce_operator(plan->spec.op);
}

/** ms_reduce_add_part: adds the part kernels/reduce/@part.cl. */
void
ms_reduce_add_part(MsReducePlan *plan, const char *part)
{
  g_autofree char *path = g_strconcat(REDUCE, part, ".cl", NULL);

  ms_program_spec_add_part(plan->program, path);
}

/** ms_reduce_define: the constant @name stands for @text in the program. */
void
ms_reduce_define(MsReducePlan *plan, const char *name, const char *text)
{
  ms_program_spec_define_text(plan->program, name, text);
}

/* Sub-groups are part of OpenCL C 3.0, or an extension of OpenCL C 2.0. */
static void
add_sub_groups(MsReducePlan *plan)
{
  if (plan->limits.opencl_version >= 300) {
    ms_program_spec_set_standard(plan->program, "CL3.0");
    return;
  }
  ms_program_spec_set_standard(plan->program, "CL2.0");
  ms_reduce_add_part(plan, "sub-groups");
}

static void
add_fence(MsReducePlan *plan)
{
  if (plan->options.sub_groups == MS_SUB_GROUPS_OFF) {
    ms_reduce_add_part(plan, "tree/fence-barrier");
  } else if (ms_reduce_has_warp_barrier(plan)) {
    ms_reduce_add_part(plan, "tree/fence-warp-nvidia");
  } else {
    add_sub_groups(plan);
    ms_reduce_add_part(plan, ms_reduce_folds_sub_groups_first(plan) ? "tree/fence-barrier" : "tree/fence-sub-group");
  }
}

/* The functions that fold a sub-group: sub_group_fold(). */
static void
add_built_in_fold(MsReducePlan *plan)
{
  MsElementType type = ms_reduce_value_type(plan);
  gboolean narrow = ms_element_type_size(type) < 4;

  if (!ms_reduce_operator_is_extreme(operator_of(plan))) {
    ms_reduce_add_part(plan, "tree/reduce-sums");
  } else {
    ms_reduce_define(plan, "WIDE",
                     !narrow                           ? ms_element_type_name(type)
                     : ms_element_type_is_signed(type) ? "int"
                                                       : "uint");
    ms_reduce_add_part(plan, "tree/reduce-extremes");
  }
}

static void
add_sub_groups_first(MsReducePlan *plan)
{
  if (plan->options.sub_groups == MS_SUB_GROUPS_REDUCE)
    add_built_in_fold(plan);
  else
    ms_reduce_add_part(plan, "tree/shuffle-all");
  ms_reduce_add_part(plan, "tree/sub-groups-first");
}

static void
add_unrolled_tree(MsReducePlan *plan)
{
  if (plan->options.sub_groups == MS_SUB_GROUPS_REDUCE) {
    ms_reduce_define(plan, "SUB_GROUP_LEVEL", "reduce_level");
    add_built_in_fold(plan);
    ms_reduce_add_part(plan, "tree/reduce-level");
  } else if (plan->options.sub_groups == MS_SUB_GROUPS_SHUFFLE) {
    ms_reduce_define(plan, "SUB_GROUP_LEVEL", "shuffle_level");
    ms_reduce_add_part(plan, "tree/shuffle");
  } else {
    ms_reduce_define(plan, "SUB_GROUP_LEVEL", "SHARED_LEVEL");
  }
  ms_reduce_add_part(plan, "tree/completely-unroll");
}

/** ms_reduce_add_tree: the parts by which a work-item reads its elements and a group folds its partials. */
void
ms_reduce_add_tree(MsReducePlan *plan)
{
  static const char *const strides[] = {"global_stride", "local_stride", "block_stride"};
  const MsReduceOptions *o = &plan->options;

  ms_reduce_define(plan, "ITEM_RANGE", strides[o->stride]);
  ms_reduce_define(plan, "WORK_OF_ITEM", o->swap == MS_SWAP_OFF ? "OWN_WORK" : "SWAPPED_WORK");
  ms_reduce_add_part(plan, "load/stride");
  ms_reduce_add_part(plan, "load/item");
  ms_reduce_add_part(plan, "tree/swap");
  add_fence(plan);
  if (o->tree == MS_REDUCE_TREE_NAIVE) {
    ms_reduce_add_part(plan, o->swap == MS_SWAP_REFINED ? "tree/naive-refined" : "tree/naive");
    return;
  }
  if (ms_reduce_folds_sub_groups_first(plan)) {
    add_sub_groups_first(plan);
    return;
  }
  ms_reduce_add_part(plan, o->bank_conflict_saving ? "tree/level-registers" : "tree/level-shared");
  if (o->tree == MS_REDUCE_TREE_COMPLETELY_UNROLL)
    add_unrolled_tree(plan);
  else
    ms_reduce_add_part(plan, o->tree == MS_REDUCE_TREE_FOUR_WAY ? "tree/four-way" : "tree/divergence-free");
}

static const char *
key_macro(MsElementType type)
{
  if (type == MS_ELEMENT_FLOAT)
    return "KEY_FLOAT";
  return ms_element_type_is_signed(type) ? "KEY_SIGNED" : "KEY_UNSIGNED";
}

static void
add_atomic_merge(MsReducePlan *plan)
{
  if (!ms_reduce_operator_is_extreme(operator_of(plan))) {
    ms_reduce_add_part(plan, ms_reduce_total_is_real(plan) ? "finish/atomic-add-double"
                             : plan->limits.int64_atomics  ? "finish/atomic-add64"
                                                           : "finish/atomic-add32");
  } else if (plan->spec.type == MS_ELEMENT_DOUBLE) {
    ms_reduce_add_part(plan, "finish/atomic-extreme-double");
  } else {
    plan->atomic_keys = TRUE;
    ms_reduce_define(plan, "KEY", key_macro(plan->spec.type));
    ms_reduce_add_part(plan, "finish/atomic-extreme32");
  }
}

/** ms_reduce_add_finish: the parts by which the groups' partials become one. */
void
ms_reduce_add_finish(MsReducePlan *plan)
{
  static const char *const finishes[] = {[MS_REDUCE_BETWEEN_RECURSIVE] = "finish/partials",
                                         [MS_REDUCE_BETWEEN_HOST] = "finish/partials",
                                         [MS_REDUCE_BETWEEN_ATOMIC] = "finish/atomic",
                                         [MS_REDUCE_BETWEEN_LAST_GROUP] = "finish/last-group"};

  if (plan->options.between == MS_REDUCE_BETWEEN_ATOMIC)
    add_atomic_merge(plan);
  ms_reduce_add_part(plan, finishes[plan->options.between]);
  ms_reduce_add_part(plan, "reduce");
  if (plan->options.between == MS_REDUCE_BETWEEN_RECURSIVE)
    ms_reduce_add_part(plan, "finish/recursive");
}
