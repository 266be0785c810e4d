/* SPDX-License-Identifier: MIT */
#include "core/reduce/plan-parts.h"

#define REDUCE "reduce/"

/* Lanes start from the far ends of their type; infinities for floats, so that every number replaces them. */
static const struct {
  const char *lowest;
  const char *highest;
} ends[] = {
  {"0", "UCHAR_MAX"},     {"CHAR_MIN", "CHAR_MAX"}, {"0", "USHRT_MAX"},        {"SHRT_MIN", "SHRT_MAX"},
  {"INT_MIN", "INT_MAX"}, {"0", "UINT_MAX"},        {"-INFINITY", "INFINITY"}, {"-INFINITY", "INFINITY"},
};

gboolean
ms_reduce_is_extreme(MsReduceOp op)
{
  return op == MS_REDUCE_MIN || op == MS_REDUCE_MAX || op == MS_REDUCE_MINMAX;
}

/** ms_reduce_adds_values: whether sums of elements or squares are formed; a count adds ones only. */
gboolean
ms_reduce_adds_values(MsReduceOp op)
{
  return !ms_reduce_is_extreme(op) && op != MS_REDUCE_COUNT_NONZERO;
}

gboolean
ms_reduce_total_is_real(const MsReducePlan *plan)
{
  return ms_reduce_adds_values(plan->spec.op) && ms_element_type_is_real(plan->spec.type);
}

/** ms_reduce_squares_are_wide: whether squares are summed in two halves of 32 bits. */
gboolean
ms_reduce_squares_are_wide(const MsReducePlan *plan)
{
  return plan->spec.type == MS_ELEMENT_INT || plan->spec.type == MS_ELEMENT_UINT;
}

static guint
n_terms(const MsReducePlan *plan)
{
  guint squares = ms_reduce_squares_are_wide(plan) ? 2 : 1;

  if (plan->spec.op == MS_REDUCE_STDDEV)
    return 1 + squares;
  return plan->spec.op == MS_REDUCE_SUM_SQUARES ? squares : 1;
}

static guint
count_words(const MsReducePlan *plan)
{
  if (plan->spec.positions)
    return 4;
  if (ms_reduce_is_extreme(plan->spec.op))
    return plan->spec.op == MS_REDUCE_MINMAX ? 2 : 1;
  return n_terms(plan) * (plan->compensated ? 2 : 1);
}

/** ms_reduce_partial_bytes: local memory of one work-item's partial. */
gsize
ms_reduce_partial_bytes(const MsReducePlan *plan)
{
  gsize size = ms_element_type_size(plan->spec.type);

  if (plan->spec.positions)
    return size == 8 ? 24 : 2 * MAX(size, 4) + 8;
  if (ms_reduce_is_extreme(plan->spec.op))
    return count_words(plan) * size;
  return count_words(plan) * (plan->compensated ? 4 : 8);
}

/*
 * The type of a work-item's lanes: 32 bits where the plan's limit on loads keeps them from overflowing, otherwise 64,
 * which no chunk can fill.
 */
static const char *
lane_type(const MsReducePlan *plan)
{
  gsize size = ms_element_type_size(plan->spec.type);
  gboolean is_signed = ms_element_type_is_signed(plan->spec.type);
  gboolean squares = plan->spec.op == MS_REDUCE_SUM_SQUARES || plan->spec.op == MS_REDUCE_STDDEV;

  if (plan->spec.op == MS_REDUCE_COUNT_NONZERO)
    return "int";
  if (ms_reduce_total_is_real(plan))
    return plan->compensated ? "float" : "double";
  if (size == 1 || (size == 2 && !squares))
    return is_signed ? "int" : "uint";
  return is_signed ? "long" : "ulong";
}

static const char *
total_type(const MsReducePlan *plan)
{
  if (ms_reduce_total_is_real(plan))
    return plan->compensated ? "float" : "double";
  return ms_element_type_is_signed(plan->spec.type) && plan->spec.op != MS_REDUCE_COUNT_NONZERO ? "long" : "ulong";
}

static void
add_part(MsReducePlan *plan, const char *part)
{
  g_autofree char *path = g_strconcat(REDUCE, part, ".cl", NULL);

  ms_program_spec_add_part(plan->program, path);
}

static void
add_lanes(MsReducePlan *plan)
{
  g_autofree char *lanes = g_strdup_printf("load/lanes-%d", plan->options.vector);

  add_part(plan, "prelude");
  if (plan->spec.type == MS_ELEMENT_DOUBLE || (ms_reduce_total_is_real(plan) && !plan->compensated))
    add_part(plan, "fp64");
  add_part(plan, lanes);
}

static const char *
term_part(const MsReducePlan *plan)
{
  gboolean wide = ms_reduce_squares_are_wide(plan);

  switch (plan->spec.op) {
  case MS_REDUCE_COUNT_NONZERO:
    return "term/term-count";
  case MS_REDUCE_SUM_SQUARES:
    return wide ? "term/term-squares-wide" : "term/term-squares";
  case MS_REDUCE_STDDEV:
    return wide                            ? "term/term-moments-wide"
           : ms_reduce_total_is_real(plan) ? "term/term-moments-real"
                                           : "term/term-moments";
  default:
    return "term/term-sum";
  }
}

/* Sixteen squares of bytes fit 32 bits; those of 16 bits need 64. */
static void
add_sum_folds(MsReducePlan *plan)
{
  gboolean is_signed = ms_element_type_is_signed(plan->spec.type);

  if (plan->options.packed != MS_PACKED_ON) {
    add_part(plan, "fold/fold-add");
    return;
  }
  ms_program_spec_define_text(plan->program, "SQUARE",
                              ms_element_type_size(plan->spec.type) == 1 ? "int"
                              : is_signed                                ? "long"
                                                                         : "ulong");
  add_part(plan, "fold/fold-squares-packed");
}

static void
compose_sum(MsReducePlan *plan)
{
  if (plan->options.packed == MS_PACKED_ON && plan->spec.op == MS_REDUCE_COUNT_NONZERO) {
    add_part(plan, "fold/fold-count-bytes");
    return;
  }
  ms_program_spec_define_text(plan->program, "LANE", lane_type(plan));
  ms_program_spec_define_text(plan->program, "TOTAL", total_type(plan));
  if (!ms_reduce_total_is_real(plan))
    add_part(plan, "term/words-integer");
  else
    add_part(plan, plan->compensated ? "term/words-float" : "term/words-double");
  add_part(plan, plan->compensated ? "fold/adder-compensated" : "fold/adder-plain");
  add_part(plan, term_part(plan));
  add_part(plan, "fold/acc-sums");
  add_sum_folds(plan);
}

/** ms_reduce_has_pair_extremes: whether two numbers of 16 bits are compared in one instruction. */
gboolean
ms_reduce_has_pair_extremes(const MsDeviceLimits *limits)
{
  return limits->nvidia_capability >= 90;
}

static void
add_packed_extremes(MsReducePlan *plan)
{
  gboolean is_signed = ms_element_type_is_signed(plan->spec.type);

  if (ms_reduce_has_pair_extremes(&plan->limits)) {
    ms_program_spec_define_text(plan->program, "PAIR", is_signed ? "s16x2" : "u16x2");
    add_part(plan, "fold/pairs-nvidia");
  } else {
    ms_program_spec_define_text(plan->program, "AS_PAIR", is_signed ? "as_short2" : "as_ushort2");
    add_part(plan, "fold/pairs-portable");
  }
  add_part(plan, "fold/fold-minmax-bytes");
}

static void
add_extreme_folds(MsReducePlan *plan)
{
  const MsReduceSpec *spec = &plan->spec;

  if (spec->positions) {
    add_part(plan, "fold/fold-minmax-positions");
  } else if (spec->op != MS_REDUCE_MINMAX) {
    add_part(plan, spec->op == MS_REDUCE_MIN ? "fold/extreme-least" : "fold/extreme-greatest");
    add_part(plan, "fold/fold-extreme");
  } else {
    add_part(plan, "fold/extremes-both");
    if (plan->options.packed == MS_PACKED_ON)
      add_packed_extremes(plan);
    else
      add_part(plan, "fold/fold-minmax");
  }
}

static void
compose_extreme(MsReducePlan *plan)
{
  MsElementType type = plan->spec.type;
  gboolean real = ms_element_type_is_real(type);

  ms_program_spec_define_text(plan->program, "LOWEST", ends[type].lowest);
  ms_program_spec_define_text(plan->program, "HIGHEST", ends[type].highest);
  add_part(plan, !real ? "term/words-integer" : type == MS_ELEMENT_FLOAT ? "term/words-float" : "term/words-double");
  add_part(plan, !plan->options.builtin ? "fold/pick-compare"
                 : real                 ? "fold/pick-builtin-real"
                                        : "fold/pick-builtin-integer");
  add_extreme_folds(plan);
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
    ms_program_spec_define_text(plan->program, "READ", image_read(plan->spec.type));
    add_part(plan, "load/source-image");
    return;
  }
  if (plan->spec.channel >= 0) {
    int byte = plan->limits.little_endian ? plan->spec.channel : 3 - plan->spec.channel;
    ms_program_spec_define_int(plan->program, "SHIFT", 8 * byte);
  }
  add_part(plan, plan->spec.channel >= 0 ? "load/source-channel" : "load/source-buffer");
}

/* Only a warp of known width with a barrier of its own may take the place of the work-group's barrier. */
static gboolean
has_warp_barrier(const MsReducePlan *plan)
{
  return plan->limits.nvidia_capability >= 70 && plan->limits.preferred_multiple == 32 && plan->group % 32 == 0;
}

static void
compose_tree(MsReducePlan *plan)
{
  static const char *const strides[] = {"load/stride-global", "load/stride-local", "load/stride-block"};
  const MsReduceOptions *o = &plan->options;
  gboolean unrolled = o->tree == MS_REDUCE_TREE_COMPLETELY_UNROLL;

  add_part(plan, strides[o->stride]);
  add_part(plan, "load/item");
  add_part(plan, o->swap == MS_SWAP_OFF ? "tree/swap-off" : "tree/swap-on");
  if (o->tree == MS_REDUCE_TREE_NAIVE) {
    add_part(plan, o->swap == MS_SWAP_REFINED ? "tree/tree-naive-refined" : "tree/tree-naive");
    return;
  }
  add_part(plan, unrolled && has_warp_barrier(plan) ? "tree/fence-warp-nvidia" : "tree/fence-barrier");
  add_part(plan, o->bank_conflict_saving ? "tree/level-registers" : "tree/level-shared");
  add_part(plan, unrolled ? "tree/tree-completely-unroll" : "tree/tree-divergence-free");
}

static void
compose_atomic(MsReducePlan *plan)
{
  gboolean is_signed = ms_element_type_is_signed(plan->spec.type);

  if (!ms_reduce_is_extreme(plan->spec.op)) {
    add_part(plan, ms_reduce_total_is_real(plan) ? "finish/atomic-add-double"
                   : plan->limits.int64_atomics  ? "finish/atomic-add64"
                                                 : "finish/atomic-add32");
  } else if (plan->spec.type == MS_ELEMENT_DOUBLE) {
    add_part(plan, "finish/atomic-extreme-double");
  } else {
    plan->atomic_keys = TRUE;
    add_part(plan, plan->spec.type == MS_ELEMENT_FLOAT ? "term/key-float"
                   : is_signed                         ? "term/key-signed"
                                                       : "term/key-unsigned");
    add_part(plan, "finish/atomic-extreme32");
  }
}

static void
compose_finish(MsReducePlan *plan)
{
  switch (plan->options.between) {
  case MS_REDUCE_BETWEEN_ATOMIC:
    compose_atomic(plan);
    add_part(plan, "finish/finish-atomic");
    add_part(plan, "reduce");
    return;
  case MS_REDUCE_BETWEEN_LAST_GROUP:
    add_part(plan, "finish/finish-last-group");
    add_part(plan, "reduce");
    return;
  default:
    add_part(plan, "finish/finish-partials");
    add_part(plan, "reduce");
    if (plan->options.between == MS_REDUCE_BETWEEN_RECURSIVE)
      add_part(plan, "finish/partials");
  }
}

/** ms_reduce_plan_compose: fills in the program of a plan whose options are resolved and checked. */
void
ms_reduce_plan_compose(MsReducePlan *plan)
{
  plan->words = count_words(plan);
  plan->program = ms_program_spec_new();
  ms_program_spec_define_text(plan->program, "ELEM", ms_element_type_name(plan->spec.type));
  ms_program_spec_define_int(plan->program, "GROUP", (gint64)plan->group);
  add_lanes(plan);
  if (ms_reduce_is_extreme(plan->spec.op))
    compose_extreme(plan);
  else
    compose_sum(plan);
  compose_source(plan);
  compose_tree(plan);
  compose_finish(plan);
}
