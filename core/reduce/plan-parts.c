/* SPDX-License-Identifier: MIT */
#include "core/reduce/plan-parts.h"

#include "core/reduce/swap/swap.h"

#define REDUCE "reduce/"

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

static guint
count_terms(const MsReducePlan *plan)
{
  const MsReduceOperator *op = operator_of(plan);
  guint squares = ms_reduce_squares_are_wide(plan) ? 2 : 1;

  return (op->sum ? 1 : 0) + (op->squares ? squares : 0);
}

static guint
count_slots(const MsReducePlan *plan)
{
  return plan->compensated ? 2 : 1;
}

static guint
count_words(const MsReducePlan *plan)
{
  const MsReduceOperator *op = operator_of(plan);

  if (ms_reduce_operator_is_extreme(op))
    return ((op->low ? 1u : 0u) + (op->high ? 1u : 0u)) * (op->positions ? 2 : 1);
  return count_terms(plan) * count_slots(plan);
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
    return count_words(plan) * size;
  return count_words(plan) * (plan->compensated ? 4 : 8);
}

/* Partials that are in local memory at a time: all, or without those that stay in registers (level-registers.cl). */
static gsize
scratch_slots(const MsReducePlan *plan)
{
  gsize kept = plan->options.tree == MS_REDUCE_TREE_FOUR_WAY && plan->group > 2 ? 4 : 2;

  if (!plan->options.bank_conflict_saving || plan->group == 1)
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

/*
 * The type of a work-item's lanes: 32 bits where the plan's limit on loads keeps them from overflowing, otherwise 64,
 * which no chunk can overflow. Vectors in local memory add up a whole group.
 */
static const char *
lane_type(const MsReducePlan *plan)
{
  gsize size = ms_element_type_size(plan->spec.type);
  gboolean is_signed = ms_element_type_is_signed(plan->spec.type);

  if (operator_of(plan)->whole)
    return plan->options.vector_partials ? "long" : "int";
  if (ms_reduce_total_is_real(plan))
    return plan->compensated ? "float" : "double";
  if (plan->options.vector_partials)
    return is_signed ? "long" : "ulong";
  if (size == 1 || (size == 2 && !operator_of(plan)->squares))
    return is_signed ? "int" : "uint";
  return is_signed ? "long" : "ulong";
}

static const char *
total_type(const MsReducePlan *plan)
{
  if (ms_reduce_total_is_real(plan))
    return plan->compensated ? "float" : "double";
  return ms_element_type_is_signed(plan->spec.type) && !operator_of(plan)->whole ? "long" : "ulong";
}

static void
add_part(MsReducePlan *plan, const char *part)
{
  g_autofree char *path = g_strconcat(REDUCE, part, ".cl", NULL);

  ms_program_spec_add_part(plan->program, path);
}

static void
define(MsReducePlan *plan, const char *name, const char *text)
{
  ms_program_spec_define_text(plan->program, name, text);
}

static void
add_lanes(MsReducePlan *plan)
{
  ms_program_spec_define_int(plan->program, "WIDTH", plan->options.vector);
  if (plan->spec.type == MS_ELEMENT_DOUBLE || (ms_reduce_total_is_real(plan) && !plan->compensated))
    add_part(plan, "fp64");
  add_part(plan, "load/lanes");
}

static void
add_terms(MsReducePlan *plan)
{
  const MsReduceOperator *op = operator_of(plan);
  gboolean real = ms_reduce_total_is_real(plan);

  ms_program_spec_define_int(plan->program, "TERMS", count_terms(plan));
  define(plan, "FOLD_TERMS", real ? op->fold_real : ms_reduce_squares_are_wide(plan) ? op->fold_wide : op->fold);
  if (op->term)
    define(plan, "TERM", real ? op->term_real : op->term);
  add_part(plan, op->terms);
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
compose_sum(MsReducePlan *plan)
{
  const MsReduceOperator *op = operator_of(plan);
  gboolean packed = plan->options.packed == MS_PACKED_ON;

  define(plan, "LANE", lane_type(plan));
  define(plan, "TOTAL", total_type(plan));
  define(plan, "VALUE", !ms_reduce_total_is_real(plan) ? "whole" : plan->compensated ? "float" : "double");
  ms_program_spec_define_int(plan->program, "SLOT", count_slots(plan));
  if (packed && op->squares)
    define(plan, "SQUARE", square_type(plan->spec.type));
  add_part(plan, "term/words");
  add_part(plan, "term/adders");
  add_terms(plan);
  add_part(plan, "fold/sums");
  add_part(plan, packed ? op->packed : "fold/add");
}

/** ms_reduce_has_pair_extremes: whether two numbers of 16 bits are compared in one instruction. */
gboolean
ms_reduce_has_pair_extremes(const MsDeviceLimits *limits)
{
  return limits->nvidia_capability >= 90;
}

static void
add_pairs(MsReducePlan *plan)
{
  gboolean is_signed = ms_element_type_is_signed(plan->spec.type);

  if (ms_reduce_has_pair_extremes(&plan->limits)) {
    define(plan, "PAIR", is_signed ? "s16x2" : "u16x2");
    add_part(plan, "fold/pairs-nvidia");
  } else {
    define(plan, "AS_PAIR", is_signed ? "as_short2" : "as_ushort2");
    add_part(plan, "fold/pairs-portable");
  }
}

static void
add_selection(MsReducePlan *plan)
{
  const MsReduceOperator *op = operator_of(plan);
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

static const char *
value_kind(MsElementType type)
{
  return ms_element_type_is_real(type) ? ms_element_type_name(type) : "whole";
}

static void
compose_extreme(MsReducePlan *plan)
{
  const MsReduceOperator *op = operator_of(plan);
  gboolean packed = plan->options.packed == MS_PACKED_ON;

  define(plan, "LOWEST", ms_element_type_lowest(plan->spec.type));
  define(plan, "HIGHEST", ms_element_type_highest(plan->spec.type));
  define(plan, "VALUE", value_kind(plan->spec.type));
  add_selection(plan);
  add_part(plan, "term/words");
  if (op->low && op->high && !op->positions)
    add_part(plan, "fold/extremes");
  if (packed)
    add_pairs(plan);
  add_part(plan, packed ? op->packed : op->selects);
}

static const char *
image_read(MsElementType type)
{
  if (type == MS_ELEMENT_FLOAT)
    return "read_imagef";
  return ms_element_type_is_signed(type) ? "read_imagei" : "read_imageui";
}

static void
compose_source(MsReducePlan *plan)
{
  if (plan->options.storage == MS_REDUCE_STORAGE_IMAGE) {
    ms_program_spec_define_int(plan->program, "IMAGE_SHIFT", g_bit_nth_msf(plan->image_width, -1));
    define(plan, "READ", image_read(plan->spec.type));
    add_part(plan, "load/image");
    return;
  }
  if (plan->spec.channel >= 0) {
    int byte = plan->limits.little_endian ? plan->spec.channel : 3 - plan->spec.channel;
    ms_program_spec_define_int(plan->program, "SHIFT", 8 * byte);
  }
  add_part(plan, plan->spec.channel >= 0 ? "load/channel" : "load/buffer");
}

/** ms_reduce_has_warp_barrier: whether a warp's barrier replaces the work-group's: its width must be known. */
gboolean
ms_reduce_has_warp_barrier(const MsReducePlan *plan)
{
  return plan->limits.nvidia_capability >= 70 && plan->limits.preferred_multiple == 32 && plan->group % 32 == 0;
}

/** ms_reduce_has_built_in_fold: whether sub-groups have a built-in reduction for each word of the partial. */
gboolean
ms_reduce_has_built_in_fold(const MsReducePlan *plan)
{
  return !operator_of(plan)->positions && !plan->compensated && !plan->options.vector_partials;
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
  add_part(plan, "sub-groups");
}

static void
add_fence(MsReducePlan *plan)
{
  if (plan->options.sub_groups == MS_SUB_GROUPS_OFF) {
    add_part(plan, "tree/fence-barrier");
  } else if (ms_reduce_has_warp_barrier(plan)) {
    add_part(plan, "tree/fence-warp-nvidia");
  } else {
    add_sub_groups(plan);
    add_part(plan, "tree/fence-sub-group");
  }
}

static void
add_built_in_fold(MsReducePlan *plan)
{
  MsElementType type = ms_reduce_value_type(plan);
  gboolean narrow = ms_element_type_size(type) < 4;

  if (!ms_reduce_operator_is_extreme(operator_of(plan))) {
    add_part(plan, "tree/reduce-sums");
  } else {
    define(plan, "WIDE", !narrow ? ms_element_type_name(type) : ms_element_type_is_signed(type) ? "int" : "uint");
    add_part(plan, "tree/reduce-extremes");
  }
  add_part(plan, "tree/reduce-level");
}

static void
add_unrolled_tree(MsReducePlan *plan)
{
  if (plan->options.sub_groups == MS_SUB_GROUPS_REDUCE) {
    define(plan, "SUB_GROUP_LEVEL", "reduce_level");
    add_built_in_fold(plan);
  } else if (plan->options.sub_groups == MS_SUB_GROUPS_SHUFFLE) {
    define(plan, "SUB_GROUP_LEVEL", "shuffle_level");
    add_part(plan, "tree/shuffle");
  } else {
    define(plan, "SUB_GROUP_LEVEL", "SHARED_LEVEL");
  }
  add_part(plan, "tree/completely-unroll");
}

static void
compose_tree(MsReducePlan *plan)
{
  static const char *const strides[] = {"global_stride", "local_stride", "block_stride"};
  const MsReduceOptions *o = &plan->options;

  define(plan, "ITEM_RANGE", strides[o->stride]);
  define(plan, "WORK_OF_ITEM", o->swap == MS_SWAP_OFF ? "OWN_WORK" : "SWAPPED_WORK");
  add_part(plan, "load/stride");
  add_part(plan, "load/item");
  add_part(plan, "tree/swap");
  add_fence(plan);
  if (o->tree == MS_REDUCE_TREE_NAIVE) {
    add_part(plan, o->swap == MS_SWAP_REFINED ? "tree/naive-refined" : "tree/naive");
    return;
  }
  add_part(plan, o->bank_conflict_saving ? "tree/level-registers" : "tree/level-shared");
  if (o->tree == MS_REDUCE_TREE_COMPLETELY_UNROLL)
    add_unrolled_tree(plan);
  else
    add_part(plan, o->tree == MS_REDUCE_TREE_FOUR_WAY ? "tree/four-way" : "tree/divergence-free");
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
    add_part(plan, ms_reduce_total_is_real(plan) ? "finish/atomic-add-double"
                   : plan->limits.int64_atomics  ? "finish/atomic-add64"
                                                 : "finish/atomic-add32");
  } else if (plan->spec.type == MS_ELEMENT_DOUBLE) {
    add_part(plan, "finish/atomic-extreme-double");
  } else {
    plan->atomic_keys = TRUE;
    define(plan, "KEY", key_macro(plan->spec.type));
    add_part(plan, "finish/atomic-extreme32");
  }
}

static void
compose_finish(MsReducePlan *plan)
{
  static const char *const finishes[] = {[MS_REDUCE_BETWEEN_RECURSIVE] = "finish/partials",
                                         [MS_REDUCE_BETWEEN_HOST] = "finish/partials",
                                         [MS_REDUCE_BETWEEN_ATOMIC] = "finish/atomic",
                                         [MS_REDUCE_BETWEEN_LAST_GROUP] = "finish/last-group"};

  if (plan->options.between == MS_REDUCE_BETWEEN_ATOMIC)
    add_atomic_merge(plan);
  add_part(plan, finishes[plan->options.between]);
  add_part(plan, "reduce");
  if (plan->options.between == MS_REDUCE_BETWEEN_RECURSIVE)
    add_part(plan, "finish/recursive");
}

/** ms_reduce_plan_compose: fills in the program of a plan whose options are resolved and checked. */
void
ms_reduce_plan_compose(MsReducePlan *plan)
{
  plan->words = count_words(plan);
  plan->program = ms_program_spec_new();
  define(plan, "ELEM", ms_element_type_name(ms_reduce_value_type(plan)));
  ms_program_spec_define_int(plan->program, "GROUP", (gint64)plan->group);
  add_lanes(plan);
  if (ms_reduce_operator_is_extreme(operator_of(plan)))
    compose_extreme(plan);
  else
    compose_sum(plan);
  if (!plan->options.vector_partials)
    add_part(plan, "fold/partial-acc");
  add_part(plan, plan->options.vector_partials ? "fold/partial-vector" : "fold/partial-scalar");
  compose_source(plan);
  compose_tree(plan);
  compose_finish(plan);
}
