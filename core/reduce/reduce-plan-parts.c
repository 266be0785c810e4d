/* SPDX-License-Identifier: MIT */
#include "core/reduce/reduce-plan.h"

static void
define(MsReducePlan *plan, const char *name, const char *text)
{
  ms_program_spec_define_text(plan->program, name, text);
}

/* Whether the program uses sub-groups, unless by instructions of NVIDIA devices. */
static gboolean
needs_sub_groups(const MsReducePlan *plan)
{
  return plan->sub_groups != MS_SUB_GROUPS_OFF && !plan->warp_barrier;
}

static gboolean
has_sub_group_fence(const MsReducePlan *plan)
{
  return needs_sub_groups(plan) && !plan->sub_groups_first;
}

static const char *
level_fence(const MsReducePlan *plan)
{
  if (plan->sub_groups != MS_SUB_GROUPS_OFF && plan->warp_barrier)
    return "WARP_FENCE";
  return has_sub_group_fence(plan) ? "SUB_GROUP_FENCE" : "GROUP_FENCE";
}

/*
 * The type of a work-item's lanes: 32 bits where the plan's limit on loads keeps them from overflowing, otherwise 64,
 * which no chunk can overflow. Vectors in local memory add up a whole group. Accumulators that wrap are
 * unsigned, whose overflow is defined, and have 32 bits throughout.
 */
static const char *
lane_type(const MsReducePlan *plan)
{
  gsize size = ms_element_type_size(plan->spec.type);
  gboolean is_signed = ms_element_type_is_signed(plan->spec.type);

  if (plan->wraps)
    return "uint";
  if (plan->op->whole)
    return plan->options.vector_partials ? "long" : "int";
  if (plan->real)
    return plan->compensated ? "float" : "double";
  if (plan->options.vector_partials)
    return is_signed ? "long" : "ulong";
  if (size == 1 || (size == 2 && !plan->op->squares))
    return is_signed ? "int" : "uint";
  return is_signed ? "long" : "ulong";
}

static const char *
total_type(const MsReducePlan *plan)
{
  if (plan->real)
    return plan->compensated ? "float" : "double";
  if (plan->wraps)
    return "uint";
  return ms_element_type_is_signed(plan->spec.type) && !plan->op->whole ? "long" : "ulong";
}

/* Sixteen squares of bytes fit 32 bits; those of 16 bits need 64. */
static const char *
square_type(MsElementType type)
{
  if (ms_element_type_size(type) == 1)
    return "int";
  return ms_element_type_is_signed(type) ? "long" : "ulong";
}

static void
define_sum(MsReducePlan *plan)
{
  const MsReduceOperator *op = plan->op;
  const gboolean real = plan->real;

  define(plan, "LANE", lane_type(plan));
  define(plan, "TOTAL", total_type(plan));
  define(plan, "VALUE", !real ? "whole" : plan->compensated ? "float" : "double");
  ms_program_spec_define_int(plan->program, "SLOT", plan->slots);
  ms_program_spec_define_int(plan->program, "TERMS", plan->terms);
  define(plan, "FOLD_TERMS", real ? op->fold_real : plan->wide_squares ? op->fold_wide : op->fold);
  define(plan, "NUMBERS", op->term ? "ELEMENTS" : "COUNT");
  if (op->term)
    define(plan, "TERM", real ? op->term_real : op->term);
  if (plan->packed && op->squares)
    define(plan, "SQUARE", square_type(plan->spec.type));
}

static void
define_pairs(MsReducePlan *plan)
{
  gboolean is_signed = ms_element_type_is_signed(plan->spec.type);

  define(plan, "PICK_PAIR", plan->pair_extremes ? "BY_INSTRUCTION" : "BY_VECTORS");
  if (plan->pair_extremes)
    define(plan, "PAIR", is_signed ? "s16x2" : "u16x2");
  else
    define(plan, "AS_PAIR", is_signed ? "as_short2" : "as_ushort2");
}

static void
define_selection(MsReducePlan *plan)
{
  const MsReduceOperator *op = plan->op;
  gboolean real = ms_element_type_is_real(plan->spec.type);
  const char *lesser = !plan->options.builtin ? "LESSER_BY_COMPARING" : real ? "fmin" : "min";
  const char *greater = !plan->options.builtin ? "GREATER_BY_COMPARING" : real ? "fmax" : "max";

  if (op->low && op->high) {
    define(plan, "LESSER", lesser);
    define(plan, "GREATER", greater);
    return;
  }
  define(plan, "PICK", op->low ? lesser : greater);
  define(plan, "END", op->low ? "HIGHEST" : "LOWEST");
  define(plan, "EACH_EXTREME", op->low ? "EACH_LOW" : "EACH_HIGH");
}

static void
define_extreme(MsReducePlan *plan)
{
  define(plan, "LOWEST", ms_element_type_lowest(plan->spec.type));
  define(plan, "HIGHEST", ms_element_type_highest(plan->spec.type));
  define(plan, "VALUE", ms_element_type_is_real(plan->spec.type) ? ms_element_type_name(plan->spec.type) : "whole");
  define_selection(plan);
  if (plan->packed)
    define_pairs(plan);
}

static const char *
image_read(MsElementType type)
{
  if (type == MS_ELEMENT_FLOAT)
    return "read_imagef";
  return ms_element_type_is_signed(type) ? "read_imagei" : "read_imageui";
}

static void
define_source(MsReducePlan *plan)
{
  if (plan->options.storage == MS_REDUCE_STORAGE_IMAGE) {
    ms_program_spec_define_int(plan->program, "IMAGE_SHIFT", g_bit_nth_msf(plan->image_width, -1));
    define(plan, "READ", image_read(plan->spec.type));
    ms_program_spec_require_images(plan->program, plan->limits.opencl_version);
  }
}

/* The built-in reduction of a sub-group. */
static void
define_reduction(MsReducePlan *plan)
{
  const MsElementType type = plan->value_type;
  const gboolean narrow = ms_element_type_size(type) < 4;

  define(plan, "REDUCE", plan->selects ? "REDUCE_EXTREMES" : "REDUCE_SUMS");
  if (plan->selects)
    define(plan, "WIDE", !narrow ? ms_element_type_name(type) : ms_element_type_is_signed(type) ? "int" : "uint");
}

/* How a work-item reads its elements, and how a group folds its partials. */
static void
define_tree(MsReducePlan *plan)
{
  static const char *const strides[] = {"global_stride", "local_stride", "block_stride"};
  static const char *const levels[] = {[MS_SUB_GROUPS_OFF] = "SHARED_LEVEL",
                                       [MS_SUB_GROUPS_BARRIER] = "SHARED_LEVEL",
                                       [MS_SUB_GROUPS_SHUFFLE] = "shuffle_level",
                                       [MS_SUB_GROUPS_REDUCE] = "reduce_level"};
  const MsReduceOptions *o = &plan->options;

  define(plan, "ITEM_RANGE", strides[o->stride]);
  define(plan, "WORK_OF_ITEM", o->swap == MS_SWAP_OFF ? "OWN_WORK" : "SWAPPED_WORK");
  ms_program_spec_define_int(plan->program, "REFINED", o->swap == MS_SWAP_REFINED);
  define(plan, "TREE_ITEM", has_sub_group_fence(plan) ? "SUB_GROUP_ITEM" : "LOCAL_ITEM");
  define(plan, "LEVEL_FENCE", level_fence(plan));
  ms_program_spec_define_int(plan->program, "SAVES_CONFLICTS", o->bank_conflict_saving);
  ms_program_spec_define_int(plan->program, "WAYS", o->tree == MS_REDUCE_TREE_FOUR_WAY ? 4 : 2);
  if (o->tree == MS_REDUCE_TREE_COMPLETELY_UNROLL)
    define(plan, "SUB_GROUP_LEVEL", levels[plan->sub_groups]);
  if (plan->sub_groups == MS_SUB_GROUPS_REDUCE)
    define_reduction(plan);
}

static const char *
key_macro(MsElementType type)
{
  if (type == MS_ELEMENT_FLOAT)
    return "KEY_FLOAT";
  return ms_element_type_is_signed(type) ? "KEY_SIGNED" : "KEY_UNSIGNED";
}

/* How a group's partial is merged into the result by atomics. */
static void
define_merge(MsReducePlan *plan)
{
  const gboolean doubles = plan->spec.type == MS_ELEMENT_DOUBLE;

  define(plan, "MERGE", plan->selects ? "MERGE_EXTREMES" : "MERGE_SUMS");
  if (!plan->selects) {
    define(plan, "ADD_WORD",
           plan->real                   ? "ADD_DOUBLE"
           : plan->wraps                ? "ADD_WRAPPING"
           : plan->limits.int64_atomics ? "ADD_WHOLE"
                                        : "ADD_HALVES");
    return;
  }
  define(plan, "LOWER_WORD", doubles ? "LOWER_DOUBLE" : "LOWER_KEY");
  define(plan, "RAISE_WORD", doubles ? "RAISE_DOUBLE" : "RAISE_KEY");
  if (!doubles)
    define(plan, "KEY", key_macro(plan->spec.type));
  plan->atomic_keys = !doubles;
}

/* Sub-groups are part of OpenCL C 3.0, or an extension of OpenCL C 2.0. */
static gboolean
enables_sub_groups(MsReducePlan *plan)
{
  if (!needs_sub_groups(plan))
    return FALSE;
  ms_program_spec_set_standard(plan->program, plan->limits.opencl_version >= 300 ? "CL3.0" : "CL2.0");
  return plan->limits.opencl_version < 300;
}

static const char *
finish_part(const MsReducePlan *plan)
{
  switch ((MsReduceBetween)plan->options.between) {
  case MS_REDUCE_BETWEEN_ATOMIC:
    return "reduce/finish/atomic.cl";
  case MS_REDUCE_BETWEEN_LAST_GROUP:
    return "reduce/finish/last-group.cl";
  case MS_REDUCE_BETWEEN_RECURSIVE:
  case MS_REDUCE_BETWEEN_HOST:
    return "reduce/finish/partials.cl";
  }
  g_return_val_if_reached(NULL);
}

/* The parts of the program, in their order; none uses a name of a later one. */
static void
add_parts(MsReducePlan *plan)
{
  const MsReduceOptions *o = &plan->options;
  const MsReduceOperator *op = plan->op;
  const gboolean sums = !plan->selects, packed = plan->packed, vectors = o->vector_partials;
  const gboolean doubles = plan->spec.type == MS_ELEMENT_DOUBLE || (plan->real && !plan->compensated);
  const gboolean naive = o->tree == MS_REDUCE_TREE_NAIVE, first = !naive && plan->sub_groups_first;
  const gboolean levels = !naive && !first, unrolls = levels && o->tree == MS_REDUCE_TREE_COMPLETELY_UNROLL;
  const gboolean reduces = plan->sub_groups == MS_SUB_GROUPS_REDUCE,
                 shuffles = plan->sub_groups == MS_SUB_GROUPS_SHUFFLE;
  const gboolean merges = o->between == MS_REDUCE_BETWEEN_ATOMIC;
  const gboolean wide = plan->real || (!plan->wraps && plan->limits.int64_atomics && sums);
  const char *const parts[] = {
    "prelude/names.cl",
    doubles ? "reduce/fp64.cl" : NULL,
    merges && wide ? "reduce/int64-atomics.cl" : NULL,
    enables_sub_groups(plan) ? "reduce/sub-groups.cl" : NULL,
    "reduce/load/lanes.cl",
    "reduce/term/words.cl",
    sums ? "reduce/term/terms.cl" : NULL,
    sums ? "reduce/fold/sums.cl" : NULL,
    op->low && op->high && !op->positions ? "reduce/fold/extremes.cl" : NULL,
    packed && !sums ? "reduce/fold/pairs.cl" : NULL,
    packed ? op->packed
    : sums ? "reduce/fold/add.cl"
           : op->selects,
    vectors ? NULL : "reduce/fold/partial-acc.cl",
    vectors ? "reduce/fold/partial-vector.cl" : "reduce/fold/partial-scalar.cl",
    o->storage == MS_REDUCE_STORAGE_IMAGE ? "reduce/load/image.cl" : "reduce/load/buffer.cl",
    "reduce/load/stride.cl",
    "reduce/load/item.cl",
    "reduce/tree/item.cl",
    has_sub_group_fence(plan) ? "reduce/tree/fence-sub-group.cl" : NULL,
    naive ? "reduce/tree/naive.cl" : NULL,
    levels ? "reduce/tree/level.cl" : NULL,
    (first || unrolls) && reduces ? "reduce/tree/reduce.cl" : NULL,
    first && !reduces ? "reduce/tree/shuffle-all.cl" : NULL,
    first ? "reduce/tree/sub-groups-first.cl" : NULL,
    unrolls && reduces ? "reduce/tree/reduce-level.cl" : NULL,
    unrolls && shuffles ? "reduce/tree/shuffle.cl" : NULL,
    unrolls ? "reduce/tree/completely-unroll.cl" : NULL,
    levels && !unrolls ? "reduce/tree/ways.cl" : NULL,
    finish_part(plan),
    "reduce/reduce.cl",
    o->between == MS_REDUCE_BETWEEN_RECURSIVE ? "reduce/finish/recursive.cl" : NULL,
  };

  ms_program_spec_add_parts(plan->program, parts, G_N_ELEMENTS(parts));
}

/** ms_reduce_plan_compose: fills in the program of a plan whose options are resolved and checked. */
void
ms_reduce_plan_compose(MsReducePlan *plan)
{
  plan->program = ms_program_spec_new();
  add_parts(plan);
  define(plan, "ELEM", ms_element_type_name(plan->value_type));
  ms_program_spec_define_int(plan->program, "GROUP", (gint64)plan->group);
  ms_program_spec_define_int(plan->program, "WIDTH", plan->options.vector);
  if (plan->selects)
    define_extreme(plan);
  else
    define_sum(plan);
  define_source(plan);
  define_tree(plan);
  if (plan->options.between == MS_REDUCE_BETWEEN_ATOMIC)
    define_merge(plan);
}
