/* SPDX-License-Identifier: MIT */
/*
 * Every setting of reductions for every operator and type: it changes the program, its constants, its launch or how
 * the host waits, or it is refused as one without effect. No device is needed.
 */
#include <string.h>

#include "core/reduce/reduce-plan.h"
#include "core/reduce/reduce-options.h"
#include "tests/reduce/reduce-cases.h"
#include "tests/support/cases.h"

#define ELEMENTS 1000003

static const char *const bases[] = {"naive",        "pcl",        "pcl-host",   "minmax-36",
                                    "minmax-image", "swap-plain", "last-group", "minmax-four-way"};

/* A number for a row without named values that differs from the defaults and the presets. */
#define OTHER_TIMES 24
#define OTHER_COUNT 5
#define OTHER_GROUP 128

static MsDeviceLimits
capable_device(void)
{
  MsDeviceLimits limits = ms_reduce_cases_device();

  limits.local_memory = 1 << 20;
  limits.max_work_group = limits.max_work_item[0] = 1024;
  limits.subgroups = limits.subgroup_shuffle = limits.fp64 = limits.int64_atomics = TRUE;
  limits.opencl_version = 300;
  return limits;
}

/* (transfer full) (nullable): all that the device is given for these options, or %NULL where the plan refuses them. */
static char *
describe(const MsReduceSpec *spec, const MsReduceOptions *options, const MsDeviceLimits *limits)
{
  g_autoptr(MsReducePlan) plan = ms_reduce_plan_new(spec, options, limits, ELEMENTS, NULL);

  if (!plan)
    return NULL;
  MsReduceLaunch launch = ms_reduce_plan_launch(plan, ELEMENTS);
  g_autofree guint16 *map = g_new(guint16, 2 * plan->group);
  ms_reduce_plan_fill_map(plan, map);
  g_autofree char *swaps = g_compute_checksum_for_data(G_CHECKSUM_MD5, (guchar *)map, 2 * plan->group * sizeof *map);
  GString *text = g_string_new(ms_program_spec_get_options(plan->program));
  for (guint i = 0; i < ms_program_spec_get_n_parts(plan->program); i++)
    g_string_append_printf(text, " %s", ms_program_spec_get_part(plan->program, i));
  g_string_append_printf(text, " %s %u x %u x %u %d", swaps, launch.groups, plan->group, launch.times,
                         plan->options.wait);
  return g_string_free(text, FALSE);
}

/* Gives @options the value of number @index of the row; %FALSE where it has no more. */
static gboolean
set_value(const MsOptionInfo *row, guint index, MsReduceOptions *options)
{
  int *field = (int *)((char *)options + row->offset);

  if (row->values)
    return row->values[index] && ms_option_set_text(row, options, row->values[index], NULL);
  *field = strcmp(row->name, "times") == 0          ? OTHER_TIMES
           : strcmp(row->name, "groups-count") == 0 ? OTHER_COUNT
                                                    : OTHER_GROUP;
  return index == 0;
}

/* Whether any value of the row that the plan accepts changes what the device is given. */
static gboolean
has_effect(const MsOptionInfo *row, const MsReduceSpec *spec, const MsReduceOptions *base, const MsDeviceLimits *limits)
{
  g_autofree char *before = describe(spec, base, limits);
  MsReduceOptions changed = *base;

  for (guint i = 0; set_value(row, i, &changed); i++) {
    g_autofree char *after = describe(spec, &changed, limits);
    if (after && strcmp(before, after) != 0)
      return TRUE;
    changed = *base;
  }
  return FALSE;
}

/* The stride of a single load: another constant, by which no work-item loads another element. */
static gboolean
is_loop_of_one_load(const MsOptionInfo *row, const MsReduceOptions *options)
{
  return strcmp(row->name, "stride") == 0 && options->groups == MS_REDUCE_GROUPS_SIZE && options->times == 1;
}

static guint
check_setting(const MsOptionInfo *row, const MsReduceSpec *spec, const MsReduceOptions *base,
              const MsDeviceLimits *limits)
{
  gboolean effect = has_effect(row, spec, base, limits);
  MsReduceOptions changed = *base;
  guint refused = 0;

  for (guint i = 0; set_value(row, i, &changed); i++, changed = *base) {
    g_autofree char *accepted = describe(spec, &changed, limits);
    g_autoptr(GError) error = NULL;
    if (ms_option_equal(row, &changed, base))
      continue;
    gboolean used = ms_option_check_used(row, &changed, spec, &error);
    refused += !used;
    if (accepted && used != effect && !is_loop_of_one_load(row, &changed)) {
      g_autofree char *text = ms_reduce_variant_to_string(&changed, NULL);
      g_error("%s of %s: %s in %s %s", ms_reduce_operator(spec->op)->name, ms_element_type_name(spec->type), row->name,
              text, used ? "changes nothing and is accepted" : "has an effect and is refused");
    }
  }
  return refused;
}

static void
test_every_setting(gconstpointer data)
{
  const MsReduceOp op = (MsReduceOp)GPOINTER_TO_INT(data);
  const MsDeviceLimits limits = capable_device();
  guint refused = 0;

  for (guint type = 0; type < MS_ELEMENT_N_TYPES; type++)
    for (guint b = 0; b < G_N_ELEMENTS(bases); b++) {
      MsReduceSpec spec = MS_REDUCE_SPEC(op, (MsElementType)type);
      MsReduceOptions base = ms_reduce_cases_variant(bases[b]);
      g_autofree char *possible = describe(&spec, &base, &limits);
      for (guint i = 0; possible && i < ms_reduce_options.n_rows; i++)
        refused += check_setting(&ms_reduce_options.rows[i], &spec, &base, &limits);
    }
  g_assert_cmpuint(refused, >, 0);
}

void
ms_test_reduce_settings(void)
{
  for (int op = 0; op < MS_REDUCE_N_OPS; op++) {
    g_autofree char *path = g_strconcat("/reduce-settings/", ms_reduce_operator((MsReduceOp)op)->name, NULL);
    g_test_add_data_func(path, GINT_TO_POINTER(op), test_every_setting);
  }
}
