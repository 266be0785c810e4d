/* SPDX-License-Identifier: MIT */
#include "core/filter/settings/options.h"

#include <stddef.h>
#include <string.h>

static const char *const rule_values[] = {"opencv", "truncate", "replicate", NULL};
static const char *const memory_values[] = {"buffer", "image", NULL};
static const char *const switch_values[] = {"off", "on", NULL};
static const char *const unroll_values[] = {"1", "2", "4", NULL};
static const char *const access_values[] = {"pointer", "vload", NULL};
static const char *const schedule_values[] = {"fixed", "refill", NULL};

/* A row: field, name, member in reports, label, default, help, and what else belongs to its kind. */
#define ROW(group_, kind_, field, name_, json_, label_, standard_, help_, ...)                                         \
  {                                                                                                                    \
    .name = name_, .json = json_, .label = label_, .help = help_, .group = MS_OPTION_GROUP_##group_,                   \
    .kind = MS_OPTION_##kind_, .standard = standard_, .offset = offsetof(MsSettings, field), __VA_ARGS__               \
  }
#define RANGE(low, high) .minimum = low, .maximum = high, .step = 1

static const MsOptionInfo rows[] = {
  ROW(FILTER, REAL, params.sp, "sp", "sp", "_Spatial radius", "10",
      "Window radius in pixels; the window's side is 2R+1", .argument = "R", RANGE(MS_SP_MIN, MS_SP_MAX),
      .is_common = TRUE),
  ROW(FILTER, REAL, params.sr, "sr", "sr", "_Colour radius", "20", "Colours up to this distance take part in the mean",
      .argument = "R", RANGE(MS_SR_MIN, MS_SR_USEFUL_MAX), .largest = MS_SR_MAX, .is_common = TRUE),
  ROW(FILTER, INT, params.max_iterations, "max-iterations", "max_iterations", "Max _iterations", "5",
      "Most mean-shift iterations of a pixel", .argument = "N", RANGE(MS_MAX_ITERATIONS_MIN, MS_MAX_ITERATIONS_MAX),
      .is_common = TRUE),
  ROW(FILTER, REAL, params.epsilon, "epsilon", "epsilon", "_Epsilon", "1",
      "A pixel stops when shift plus squared colour change is at most E", .argument = "E",
      RANGE(MS_EPSILON_MIN, MS_EPSILON_MAX)),
  ROW(FILTER, CHOICE, params.rule, "rule", "rule", "_Rule", "opencv",
      "Border and rounding of OpenCV on the CPU, of its old OpenCL filter, or of its CUDA filter",
      .values = rule_values),
  ROW(FILTER, INT, params.levels, "levels", "levels", "P_yramid levels", "0",
      "Filter N halved copies of the picture first, and then only near their edges: maxLevel of OpenCV",
      .argument = "N", RANGE(MS_LEVELS_MIN, MS_LEVELS_MAX)),
  ROW(TOGGLE, CHOICE, options.memory, "memory", "memory", "_Memory object", "buffer",
      "Memory object from which the kernel reads the pixels", .values = memory_values),
  ROW(TOGGLE, CHOICE, options.local_memory, "local-memory", "local_memory", "_Local memory", "off",
      "Each work-group stages its pixels in local memory", .values = switch_values),
  ROW(TOGGLE, CHOICE, options.unroll, "unroll", "unroll", "_Unroll", "1", "Pixels in one step of the innermost loop",
      .values = unroll_values, .numeric_values = TRUE),
  ROW(TOGGLE, CHOICE, options.access, "access", "access", "_Access", "pointer",
      "Loads of one uchar4, or vload4, vload8 or vload16 according to --unroll", .values = access_values),
  ROW(TOGGLE, SHAPE, options.work_group_width, "work-group", "work_group", "_Work-group", "auto",
      "Work-items of a work-group, columns by rows", .argument = "WxH|auto", RANGE(1, 65536)),
  ROW(TOGGLE, CHOICE, options.kernel, "kernel", "kernel", "_Kernel", "auto",
      "auto takes the fastest kernel that the device and the other toggles allow", .values = ms_filter_kernel_names),
  ROW(TOGGLE, CHOICE, options.schedule, "schedule", "schedule", "Sche_dule", "fixed",
      "One pixel for each work-item, or further pixels for work-items that have finished", .values = schedule_values),
};

const MsOptionTable ms_options = {rows, G_N_ELEMENTS(rows)};

/** ms_settings_default: the defaults of the table, with which every kernel can be chosen. */
MsSettings
ms_settings_default(void)
{
  MsSettings settings = {0};

  ms_option_table_reset(&ms_options, &settings);
  return settings;
}

/** ms_options_table: (transfer none): the rows, in the order in which they are shown. */
const MsOptionInfo *
ms_options_table(guint *n_rows)
{
  *n_rows = ms_options.n_rows;
  return ms_options.rows;
}

/** ms_option_find: (transfer none) (nullable): the row of that command-line name. */
const MsOptionInfo *
ms_option_find(const char *name)
{
  return ms_option_table_find(&ms_options, name);
}

/** ms_settings_equal: whether all options of both settings are equal. */
gboolean
ms_settings_equal(const MsSettings *a, const MsSettings *b)
{
  return ms_params_equal(&a->params, &b->params) && memcmp(&a->options, &b->options, sizeof a->options) == 0;
}

/**
 * ms_settings_to_arguments:
 *
 * Returns: (transfer full): the command-line options that repeat these settings: every parameter, and the toggles that
 *   differ from their defaults
 */
char *
ms_settings_to_arguments(const MsSettings *self)
{
  GString *line = g_string_new(NULL);

  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    if (rows[i].group == MS_OPTION_GROUP_TOGGLE && ms_option_is_default(&rows[i], self))
      continue;
    g_autofree char *argument = ms_option_to_argument(&rows[i], self);
    g_string_append_printf(line, "%s%s", line->len > 0 ? " " : "", argument);
  }
  return g_string_free(line, FALSE);
}
