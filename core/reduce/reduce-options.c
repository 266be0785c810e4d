/* SPDX-License-Identifier: MIT */
#include "core/reduce/reduce-options.h"

#include <glib/gi18n-lib.h>
#include <stddef.h>
#include <string.h>

#include "core/reduce/plan-checks.h"

static const char *const storage_values[] = {"buffer", "image", NULL};
static const char *const vector_values[] = {"1", "4", "8", "16", NULL};
static const char *const stride_values[] = {"global", "local", "block", NULL};
static const char *const tree_values[] = {"naive", "divergence-free", "completely-unroll", "four-way", NULL};
static const char *const switch_values[] = {"off", "on", NULL};
static const char *const sub_groups_values[] = {"auto", "off", "barrier", "shuffle", "reduce", NULL};
static const char *const groups_values[] = {"size", "units", "fixed", NULL};
static const char *const between_values[] = {"recursive", "host", "atomic", "last-group", NULL};
static const char *const swap_values[] = {"off", "plain", "refined", NULL};
static const char *const swap_range_values[] = {"64", "128", "256", "512", NULL};
static const char *const float_sum_values[] = {"auto", "double", "compensated", NULL};
static const char *const packed_values[] = {"auto", "off", "on", NULL};

static const char *
stride_unused(gconstpointer record, gconstpointer spec)
{
  const MsReduceOptions *options = record;
  gboolean single = options->groups == MS_REDUCE_GROUPS_SIZE && options->times == 1;

  return single ? "each work-item makes a single load (times=1)" : NULL;
}

static const char *
times_unused(gconstpointer record, gconstpointer spec)
{
  gboolean follows = ((const MsReduceOptions *)record)->groups != MS_REDUCE_GROUPS_SIZE;

  return follows ? "groups=units and groups=fixed set the number of groups, from which the loads of a work-item follow"
                 : NULL;
}

static const char *
groups_count_unused(gconstpointer record, gconstpointer spec)
{
  gboolean follows = ((const MsReduceOptions *)record)->groups == MS_REDUCE_GROUPS_SIZE;

  return follows ? "with groups=size the number of groups follows from the length of the array" : NULL;
}

static const char *
vector_partials_unused(gconstpointer record, gconstpointer spec)
{
  if (ms_reduce_operator(((const MsReduceSpec *)spec)->op)->positions)
    return "positions are found lane by lane, before the tree";
  return ((const MsReduceOptions *)record)->vector == 1 ? "a load of one element is no vector (vector=1)" : NULL;
}

static const char *
sub_groups_unused(gconstpointer record, gconstpointer spec)
{
  gboolean unrolled = ((const MsReduceOptions *)record)->tree == MS_REDUCE_TREE_COMPLETELY_UNROLL;

  return unrolled ? NULL : "only tree=completely-unroll has levels for sub-groups";
}

static const char *
builtin_unused(gconstpointer record, gconstpointer spec)
{
  const MsReduceOperator *op = ms_reduce_operator(((const MsReduceSpec *)spec)->op);

  return ms_reduce_operator_is_extreme(op) ? NULL : "the operation compares no elements";
}

static const char *
swap_range_unused(gconstpointer record, gconstpointer spec)
{
  return ((const MsReduceOptions *)record)->swap == MS_SWAP_OFF ? "swap=off swaps no work-items" : NULL;
}

static const char *
float_sum_unused(gconstpointer record, gconstpointer data)
{
  const MsReduceSpec *spec = data;
  gboolean sums =
    spec->type == MS_ELEMENT_FLOAT && ms_reduce_operator_total_is_real(ms_reduce_operator(spec->op), spec->type);

  if (!sums)
    return "it chooses how elements of type float are added up";
  return ((const MsReduceOptions *)record)->between == MS_REDUCE_BETWEEN_ATOMIC
           ? "no atomic folds a compensated sum and its error together, so floats are added up in double"
           : NULL;
}

static const char *
packed_unused(gconstpointer record, gconstpointer spec)
{
  return ms_reduce_packing_problem(spec, record);
}

/* A row: field, name, member in reports, label, default, help, and what else belongs to its kind. */
#define ROW(kind_, field, name_, json_, label_, standard_, help_, ...)                                                 \
  {                                                                                                                    \
    .name = name_, .is_key = TRUE, .json = json_, .label = label_, .help = help_, .group = MS_OPTION_GROUP_VARIANT,    \
    .kind = MS_OPTION_##kind_, .standard = standard_, .offset = offsetof(MsReduceOptions, field), __VA_ARGS__          \
  }
#define RANGE(low, high) .argument = "N", .minimum = (low), .maximum = (high)

/* The plan chooses `times` up to 8192, so the range must include that for the options of any plan to be valid input. */
static const MsOptionInfo rows[] = {
  ROW(CHOICE, storage, "storage", "storage", N_("_Storage"), "buffer",
      N_("Memory object that holds the array; a texel of an image holds four elements"), .values = storage_values),
  ROW(CHOICE, vector, "vector", "vector", N_("_Vector width"), "1", N_("Elements of one load"), .values = vector_values,
      .numeric_values = TRUE),
  ROW(CHOICE, stride, "stride", "stride", N_("In-item s_tride"), "global",
      N_("The loads of a work-item lie a grid apart, a work-group apart, or side by side"), .values = stride_values,
      .unused = stride_unused),
  ROW(INT, times, "times", "times", N_("T_imes"), "0",
      N_("Loads that a work-item folds before the tree; 0 leaves the number to the plan"), RANGE(0, 8192),
      .unused = times_unused),
  ROW(CHOICE, tree, "tree", "tree", N_("In-group t_ree"), "naive",
      N_("How the work-items of a group fold their partials"), .values = tree_values),
  ROW(CHOICE, bank_conflict_saving, "bank-conflict-saving", "bank_conflict_saving", N_("_Bank-conflict saving"), "off",
      N_("Only the upper half of each level writes to local memory"), .values = switch_values),
  ROW(CHOICE, vector_partials, "vector-partials", "vector_partials", N_("_Vectors in local memory"), "off",
      N_("Partials reach local memory as vectors of a load's width, or as one value each"), .values = switch_values,
      .unused = vector_partials_unused),
  ROW(CHOICE, sub_groups, "sub-groups", "sub_groups", N_("S_ub-groups"), "auto",
      N_("The last levels of tree=completely-unroll by the sub-group's barrier, shuffles or reductions; off: by the "
         "work-group's barrier"),
      .values = sub_groups_values, .unused = sub_groups_unused),
  ROW(CHOICE, builtin, "builtin", "builtin", N_("Built-in _min and max"), "off",
      N_("The built-in functions min and max instead of comparisons"), .values = switch_values,
      .unused = builtin_unused),
  ROW(CHOICE, groups, "groups", "groups", N_("_Groups"), "size",
      N_("As many groups as the length needs, compute units x groups-count, or groups-count"), .values = groups_values),
  ROW(INT, groups_count, "groups-count", "groups_count", N_("Group _count"), "1",
      N_("Groups for each compute unit, or groups in all"), RANGE(1, 65536), .unused = groups_count_unused),
  ROW(CHOICE, between, "between", "between", N_("Between gr_oups"), "recursive",
      N_("How the partials of the groups become one result"), .values = between_values),
  ROW(INT, work_group, "group-size", "group_size", N_("_Work-group"), "256",
      N_("Work-items of a group, a power of two"), RANGE(1, 1024)),
  ROW(CHOICE, swap, "swap", "swap", N_("Thread s_wapping"), "off",
      N_("Work-items of the naive tree are swapped, so that the lanes of a warp take the same branch"),
      .values = swap_values),
  ROW(CHOICE, swap_range, "swap-range", "swap_range", N_("Swap ran_ge"), "64",
      N_("Work-items among which swaps are made"), .values = swap_range_values, .numeric_values = TRUE,
      .unused = swap_range_unused),
  ROW(CHOICE, float_sum, "float-sum", "float_sum", N_("_Float sums"), "auto",
      N_("Floats are added up in double, or in pairs of floats that keep the rounding error"),
      .values = float_sum_values, .unused = float_sum_unused),
  ROW(CHOICE, packed, "packed", "packed", N_("_Packed elements"), "auto",
      N_("Bytes are counted or compared four at a time in one word; squares of 8 and 16 bits are summed load by load"),
      .values = packed_values, .unused = packed_unused),
};

const MsOptionTable ms_reduce_options = {rows, G_N_ELEMENTS(rows)};

/** ms_reduce_option_find: (transfer none) (nullable): the row of that name. */
const MsOptionInfo *
ms_reduce_option_find(const char *name)
{
  return ms_option_table_find(&ms_reduce_options, name);
}

/** ms_reduce_options_auto: the table's defaults, with every choice left to the plan. */
MsReduceOptions
ms_reduce_options_auto(void)
{
  MsReduceOptions options = {.automatic = 1};

  ms_option_table_reset(&ms_reduce_options, &options);
  return options;
}

/** ms_reduce_options_equal: whether two structs hold the same options. */
gboolean
ms_reduce_options_equal(const MsReduceOptions *a, const MsReduceOptions *b)
{
  return memcmp(a, b, sizeof *a) == 0;
}
