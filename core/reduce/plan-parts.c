/* SPDX-License-Identifier: MIT */
#include "core/reduce/plan-parts.h"

#include "core/reduce/plan-layout.h"

static const MsReduceOperator *
operator_of(const MsReducePlan *plan)
{
  return ms_reduce_operator(plan->spec.op);
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
add_lanes(MsReducePlan *plan)
{
  ms_program_spec_define_int(plan->program, "WIDTH", plan->options.vector);
  if (plan->spec.type == MS_ELEMENT_DOUBLE || (ms_reduce_total_is_real(plan) && !plan->compensated))
    ms_reduce_add_part(plan, "fp64");
  ms_reduce_add_part(plan, "load/lanes");
}

static void
add_terms(MsReducePlan *plan)
{
  const MsReduceOperator *op = operator_of(plan);
  gboolean real = ms_reduce_total_is_real(plan);

  ms_program_spec_define_int(plan->program, "TERMS", ms_reduce_count_terms(plan));
  ms_reduce_define(plan, "FOLD_TERMS",
                   real                               ? op->fold_real
                   : ms_reduce_squares_are_wide(plan) ? op->fold_wide
                                                      : op->fold);
  if (op->term)
    ms_reduce_define(plan, "TERM", real ? op->term_real : op->term);
  ms_reduce_add_part(plan, op->terms);
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

  ms_reduce_define(plan, "LANE", lane_type(plan));
  ms_reduce_define(plan, "TOTAL", total_type(plan));
  ms_reduce_define(plan, "VALUE", !ms_reduce_total_is_real(plan) ? "whole" : plan->compensated ? "float" : "double");
  ms_program_spec_define_int(plan->program, "SLOT", ms_reduce_count_slots(plan));
  if (packed && op->squares)
    ms_reduce_define(plan, "SQUARE", square_type(plan->spec.type));
  ms_reduce_add_part(plan, "term/words");
  ms_reduce_add_part(plan, "term/adders");
  add_terms(plan);
  ms_reduce_add_part(plan, "fold/sums");
  ms_reduce_add_part(plan, packed ? op->packed : "fold/add");
}

static void
add_pairs(MsReducePlan *plan)
{
  gboolean is_signed = ms_element_type_is_signed(plan->spec.type);

  if (ms_reduce_has_pair_extremes(&plan->limits)) {
    ms_reduce_define(plan, "PAIR", is_signed ? "s16x2" : "u16x2");
    ms_reduce_add_part(plan, "fold/pairs-nvidia");
  } else {
    ms_reduce_define(plan, "AS_PAIR", is_signed ? "as_short2" : "as_ushort2");
    ms_reduce_add_part(plan, "fold/pairs-portable");
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
    ms_reduce_define(plan, "LESSER", lesser);
    ms_reduce_define(plan, "GREATER", greater);
    return;
  }
  ms_reduce_define(plan, "PICK", op->low ? lesser : greater);
  ms_reduce_define(plan, "END", op->low ? "HIGHEST" : "LOWEST");
  ms_reduce_define(plan, "EACH_EXTREME", op->low ? "EACH_LOW" : "EACH_HIGH");
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

  ms_reduce_define(plan, "LOWEST", ms_element_type_lowest(plan->spec.type));
  ms_reduce_define(plan, "HIGHEST", ms_element_type_highest(plan->spec.type));
  ms_reduce_define(plan, "VALUE", value_kind(plan->spec.type));
  add_selection(plan);
  ms_reduce_add_part(plan, "term/words");
  if (op->low && op->high && !op->positions)
    ms_reduce_add_part(plan, "fold/extremes");
  if (packed)
    add_pairs(plan);
  ms_reduce_add_part(plan, packed ? op->packed : op->selects);
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
    ms_reduce_define(plan, "READ", image_read(plan->spec.type));
    ms_reduce_add_part(plan, "load/image");
    return;
  }
  if (plan->spec.channel >= 0) {
    int byte = plan->limits.little_endian ? plan->spec.channel : 3 - plan->spec.channel;
    ms_program_spec_define_int(plan->program, "SHIFT", 8 * byte);
  }
  ms_reduce_add_part(plan, plan->spec.channel >= 0 ? "load/channel" : "load/buffer");
}

/** ms_reduce_plan_compose: fills in the program of a plan whose options are resolved and checked. */
void
ms_reduce_plan_compose(MsReducePlan *plan)
{
  plan->words = ms_reduce_count_words(plan);
  plan->program = ms_program_spec_new();
  ms_reduce_define(plan, "ELEM", ms_element_type_name(ms_reduce_value_type(plan)));
  ms_program_spec_define_int(plan->program, "GROUP", (gint64)plan->group);
  add_lanes(plan);
  if (ms_reduce_operator_is_extreme(operator_of(plan)))
    compose_extreme(plan);
  else
    compose_sum(plan);
  if (!plan->options.vector_partials)
    ms_reduce_add_part(plan, "fold/partial-acc");
  ms_reduce_add_part(plan, plan->options.vector_partials ? "fold/partial-vector" : "fold/partial-scalar");
  compose_source(plan);
  ms_reduce_add_tree(plan);
  ms_reduce_add_finish(plan);
}
