/* SPDX-License-Identifier: MIT */
#include "core/reduce/reduce-plan.h"

static void
add_part(MsReducePlan *plan, const char *part)
{
  g_autofree char *path = g_strconcat("reduce/", part, ".cl", NULL);

  ms_program_spec_add_part(plan->program, path);
}

static void
define(MsReducePlan *plan, const char *name, const char *text)
{
  ms_program_spec_define_text(plan->program, name, text);
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

static void
add_lanes(MsReducePlan *plan)
{
  ms_program_spec_define_int(plan->program, "WIDTH", plan->options.vector);
  if (plan->spec.type == MS_ELEMENT_DOUBLE || (plan->real && !plan->compensated))
    add_part(plan, "fp64");
  ms_program_spec_add_part(plan->program, "prelude/names.cl");
  add_part(plan, "load/lanes");
}

static void
add_terms(MsReducePlan *plan)
{
  const MsReduceOperator *op = plan->op;
  gboolean real = plan->real;

  ms_program_spec_define_int(plan->program, "TERMS", plan->terms);
  define(plan, "FOLD_TERMS", real ? op->fold_real : plan->wide_squares ? op->fold_wide : op->fold);
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
  const MsReduceOperator *op = plan->op;
  gboolean packed = plan->options.packed == MS_PACKED_ON;

  define(plan, "LANE", lane_type(plan));
  define(plan, "TOTAL", total_type(plan));
  define(plan, "VALUE", !plan->real ? "whole" : plan->compensated ? "float" : "double");
  ms_program_spec_define_int(plan->program, "SLOT", plan->slots);
  if (packed && op->squares)
    define(plan, "SQUARE", square_type(plan->spec.type));
  add_part(plan, "term/words");
  add_part(plan, "term/adders");
  add_terms(plan);
  add_part(plan, "fold/sums");
  add_part(plan, packed ? op->packed : "fold/add");
}

static void
add_pairs(MsReducePlan *plan)
{
  gboolean is_signed = ms_element_type_is_signed(plan->spec.type);

  if (plan->pair_extremes) {
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
compose_extreme(MsReducePlan *plan)
{
  const MsReduceOperator *op = plan->op;
  gboolean packed = plan->options.packed == MS_PACKED_ON;

  define(plan, "LOWEST", ms_element_type_lowest(plan->spec.type));
  define(plan, "HIGHEST", ms_element_type_highest(plan->spec.type));
  define(plan, "VALUE", ms_element_type_is_real(plan->spec.type) ? ms_element_type_name(plan->spec.type) : "whole");
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
    ms_program_spec_require_images(plan->program, plan->limits.opencl_version);
    add_part(plan, "load/image");
    return;
  }
  if (plan->spec.channel >= 0) {
    int byte = plan->limits.little_endian ? plan->spec.channel : 3 - plan->spec.channel;
    ms_program_spec_define_int(plan->program, "SHIFT", 8 * byte);
  }
  add_part(plan, plan->spec.channel >= 0 ? "load/channel" : "load/buffer");
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
  } else if (plan->warp_barrier) {
    add_part(plan, "tree/fence-warp-nvidia");
  } else {
    add_sub_groups(plan);
    add_part(plan, plan->sub_groups_first ? "tree/fence-barrier" : "tree/fence-sub-group");
  }
}

/* The functions that fold a sub-group: sub_group_fold(). */
static void
add_built_in_fold(MsReducePlan *plan)
{
  MsElementType type = plan->value_type;
  gboolean narrow = ms_element_type_size(type) < 4;

  if (!plan->selects) {
    add_part(plan, "tree/reduce-sums");
  } else {
    define(plan, "WIDE", !narrow ? ms_element_type_name(type) : ms_element_type_is_signed(type) ? "int" : "uint");
    add_part(plan, "tree/reduce-extremes");
  }
}

static void
add_sub_groups_first(MsReducePlan *plan)
{
  if (plan->options.sub_groups == MS_SUB_GROUPS_REDUCE)
    add_built_in_fold(plan);
  else
    add_part(plan, "tree/shuffle-all");
  add_part(plan, "tree/sub-groups-first");
}

static void
add_unrolled_tree(MsReducePlan *plan)
{
  if (plan->options.sub_groups == MS_SUB_GROUPS_REDUCE) {
    define(plan, "SUB_GROUP_LEVEL", "reduce_level");
    add_built_in_fold(plan);
    add_part(plan, "tree/reduce-level");
  } else if (plan->options.sub_groups == MS_SUB_GROUPS_SHUFFLE) {
    define(plan, "SUB_GROUP_LEVEL", "shuffle_level");
    add_part(plan, "tree/shuffle");
  } else {
    define(plan, "SUB_GROUP_LEVEL", "SHARED_LEVEL");
  }
  add_part(plan, "tree/completely-unroll");
}

/* The parts by which a work-item reads its elements and a group folds its partials. */
static void
add_tree(MsReducePlan *plan)
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
  if (plan->sub_groups_first) {
    add_sub_groups_first(plan);
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
  if (!plan->selects) {
    add_part(plan, plan->real                   ? "finish/atomic-add-double"
                   : plan->wraps                ? "finish/atomic-add-wrapping"
                   : plan->limits.int64_atomics ? "finish/atomic-add64"
                                                : "finish/atomic-add32");
  } else if (plan->spec.type == MS_ELEMENT_DOUBLE) {
    add_part(plan, "finish/atomic-extreme-double");
  } else {
    plan->atomic_keys = TRUE;
    define(plan, "KEY", key_macro(plan->spec.type));
    add_part(plan, "finish/atomic-extreme32");
  }
}

/* The parts by which the groups' partials become one. */
static void
add_finish(MsReducePlan *plan)
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
  plan->program = ms_program_spec_new();
  define(plan, "ELEM", ms_element_type_name(plan->value_type));
  ms_program_spec_define_int(plan->program, "GROUP", (gint64)plan->group);
  add_lanes(plan);
  if (plan->selects)
    compose_extreme(plan);
  else
    compose_sum(plan);
  if (!plan->options.vector_partials)
    add_part(plan, "fold/partial-acc");
  add_part(plan, plan->options.vector_partials ? "fold/partial-vector" : "fold/partial-scalar");
  compose_source(plan);
  add_tree(plan);
  add_finish(plan);
}
