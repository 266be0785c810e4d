/* SPDX-License-Identifier: MIT */
#include "core/reduce/plan-checks.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>

#include "core/reduce/plan-layout.h"

#define REFUSE(...) (ms_set_error(error, MS_ERROR_UNSUPPORTED, __VA_ARGS__), FALSE)

static gboolean
is_power_of_two(int n)
{
  return n > 0 && (n & (n - 1)) == 0;
}

/**
 * ms_reduce_check_request: whether the operation exists for these elements on a device with @limits.
 * @n: elements of the array
 */
gboolean
ms_reduce_check_request(const MsReduceSpec *spec, const MsDeviceLimits *limits, guint64 n, GError **error)
{
  if (n == 0) {
    ms_set_error(error, MS_ERROR_USAGE, "The array is empty; a reduction needs at least one element.");
    return FALSE;
  }
  if (spec->type == MS_ELEMENT_DOUBLE && !limits->fp64)
    return REFUSE("The device has no double precision (cl_khr_fp64). Choose another type, or another device.");
  if (!(ms_reduce_operator(spec->op)->types & 1u << spec->type))
    return REFUSE("The operator %s does not take elements of type %s.", ms_reduce_operator(spec->op)->name,
                  ms_element_type_name(spec->type));
  if (spec->channel > 3 || (spec->channel >= 0 && spec->type != MS_ELEMENT_UCHAR))
    return REFUSE("A channel is one of the four bytes of an 8UC4 pixel; its number is 0 to 3 and its type uchar.");
  return TRUE;
}

static gboolean
check_group(const MsReducePlan *plan, GError **error)
{
  const MsReduceOptions *o = &plan->options;
  guint64 bytes = ms_reduce_scratch_bytes(plan) + sizeof(guint32);

  if (!is_power_of_two(o->work_group) || o->work_group > 1024)
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
check_sub_groups(const MsReducePlan *plan, GError **error)
{
  const MsReduceOptions *o = &plan->options;

  if (o->sub_groups == MS_SUB_GROUPS_OFF)
    return TRUE;
  if (o->tree != MS_REDUCE_TREE_COMPLETELY_UNROLL)
    return REFUSE("Only tree=completely-unroll has levels for sub-groups.");
  if (o->sub_groups == MS_SUB_GROUPS_BARRIER && ms_reduce_has_warp_barrier(plan))
    return TRUE;
  if (!plan->limits.subgroups)
    return REFUSE("The device has no sub-groups. Use sub-groups=off.");
  if (o->sub_groups == MS_SUB_GROUPS_SHUFFLE && !plan->limits.subgroup_shuffle)
    return REFUSE("The device has no shuffles (cl_khr_subgroup_shuffle). Use sub-groups=barrier.");
  if (o->sub_groups == MS_SUB_GROUPS_SHUFFLE && o->vector_partials)
    return REFUSE("Shuffles exchange words, not vectors. Use vector-partials=off or sub-groups=barrier.");
  if (o->sub_groups == MS_SUB_GROUPS_REDUCE && !ms_reduce_has_built_in_fold(plan))
    return REFUSE("Sub-groups reduce single numbers: no positions, compensated sums or vectors. Use "
                  "sub-groups=barrier or shuffle.");
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
  if (plan->spec.channel >= 0)
    return REFUSE("A channel is read in place from the pixels' buffer. Use storage=buffer.");
  if (plan->options.vector != 4)
    return REFUSE("A texel has four elements, so storage=image needs vector=4, not %d.", plan->options.vector);
  return TRUE;
}

static gboolean
check_atomic(const MsReducePlan *plan, GError **error)
{
  const MsReduceOperator *op = ms_reduce_operator(plan->spec.op);
  gboolean needs_64 =
    ms_reduce_operator_is_extreme(op) ? plan->spec.type == MS_ELEMENT_DOUBLE : ms_reduce_total_is_real(plan);

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

/** ms_reduce_packing_problem: (transfer none) (nullable): why these elements are not packed; %NULL if they can be. */
const char *
ms_reduce_packing_problem(const MsReduceSpec *spec, const MsReduceOptions *options)
{
  const MsReduceOperator *op = ms_reduce_operator(spec->op);

  if (op->packed && ms_element_type_size(spec->type) <= op->packed_bytes && !ms_element_type_is_real(spec->type) &&
      spec->channel < 0 && options->vector >= 4 && !options->vector_partials &&
      options->storage == MS_REDUCE_STORAGE_BUFFER)
    return NULL;
  return N_("elements are packed for count-nonzero and minMax of 8 bits, and for sum-squares, norm2 and stddev of 8 "
            "and 16 bits, in a buffer, with vector=4, 8 or 16 and vector-partials=off");
}

static gboolean
check_grid(const MsReducePlan *plan, GError **error)
{
  guint64 groups;

  if (plan->options.groups == MS_REDUCE_GROUPS_SIZE)
    return TRUE;
  groups = ms_reduce_fixed_groups(plan);
  if (groups <= MS_REDUCE_MAX_GROUPS && groups * (guint64)plan->options.work_group <= MS_REDUCE_MAX_GRID)
    return TRUE;
  return REFUSE("%" PRIu64 " work-groups of %d are more than a launch can number; they may be %" PRIu64
                " here. Choose a smaller groups-count.",
                groups, plan->options.work_group,
                MIN(MS_REDUCE_MAX_GROUPS, MS_REDUCE_MAX_GRID / (guint64)plan->options.work_group));
}

static gboolean
check_packed(const MsReducePlan *plan, GError **error)
{
  const char *problem = ms_reduce_packing_problem(&plan->spec, &plan->options);

  if (plan->options.packed != MS_PACKED_ON || !problem)
    return TRUE;
  ms_error_take(error, MS_ERROR_UNSUPPORTED, g_strdup_printf(_("packed=on is not possible: %s."), _(problem)),
                g_strdup_printf("packed=on is not possible: %s.", problem));
  return FALSE;
}

static gboolean
check_float_sum(const MsReducePlan *plan, GError **error)
{
  if (plan->options.float_sum == MS_FLOAT_SUM_DOUBLE && plan->spec.type == MS_ELEMENT_FLOAT && !plan->limits.fp64)
    return REFUSE("The device has no double precision (cl_khr_fp64). Use float-sum=compensated.");
  return TRUE;
}

/** ms_reduce_check_plan: whether the resolved options can run on the plan's device. */
gboolean
ms_reduce_check_plan(const MsReducePlan *plan, GError **error)
{
  return check_float_sum(plan, error) && check_storage(plan, error) && check_tree(plan, error) &&
         check_packed(plan, error) && check_sub_groups(plan, error) && check_atomic(plan, error) &&
         check_group(plan, error) && check_grid(plan, error);
}
