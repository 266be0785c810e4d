/* SPDX-License-Identifier: MIT */
#include "tests/reduce/reduce-cases.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/reduce/reduce-options.h"

/* The largest relative difference of a float sum from the serial one. */
#define TOLERANCE 1e-6

const char *
ms_pattern_name(MsPattern pattern)
{
  static const char *const names[] = {"random", "zeros",   "equal", "extremes", "greatest",
                                      "sparse", "special", "nan",   "late"};

  return names[pattern];
}

static double
lowest(MsElementType type)
{
  static const double values[] = {0, G_MININT8, 0, G_MINSHORT, G_MININT, 0, -FLT_MAX, -DBL_MAX};

  return values[type];
}

static double
highest(MsElementType type)
{
  static const double values[] = {G_MAXUINT8, G_MAXINT8, G_MAXUSHORT, G_MAXSHORT,
                                  G_MAXINT,   G_MAXUINT, FLT_MAX,     DBL_MAX};

  return values[type];
}

static guint32
next_random(guint32 *state)
{
  *state ^= *state << 13;
  *state ^= *state >> 17;
  return *state ^= *state << 5;
}

static double
random_value(MsElementType type, guint32 *state)
{
  double unit = next_random(state) / 4294967296.0;

  if (ms_element_type_is_real(type))
    return 1000.0 * unit - 400.0;
  return floor(lowest(type) + unit * (highest(type) - lowest(type) + 1));
}

static double
special_value(MsElementType type, guint32 *state)
{
  guint32 kind = next_random(state) % 16;

  if (!ms_element_type_is_real(type) || kind > 3)
    return random_value(type, state);
  return kind < 2 ? NAN : kind == 2 ? INFINITY : -INFINITY;
}

static double
late_value(MsElementType type, guint64 i, guint64 n)
{
  double size = i < n / 2 ? 0 : (double)((i - n / 2) % 100 + i * 27 / n);

  return ms_element_type_is_signed(type) && i % 2 ? -size : size;
}

static double
value_of(MsPattern pattern, MsElementType type, guint64 i, guint64 n, guint32 *state)
{
  switch (pattern) {
  case MS_PATTERN_ZEROS:
    return ms_element_type_is_real(type) && i % 2 ? -0.0 : 0;
  case MS_PATTERN_EQUAL:
    return 7;
  case MS_PATTERN_EXTREMES:
    return i % 3 == 0 ? lowest(type) : highest(type);
  case MS_PATTERN_GREATEST:
    return highest(type);
  case MS_PATTERN_SPARSE:
    return i % 101 == 57 ? 1 : 0;
  case MS_PATTERN_SPECIAL:
    return special_value(type, state);
  case MS_PATTERN_LATE:
    return late_value(type, i, n);
  case MS_PATTERN_NAN:
    return ms_element_type_is_real(type) ? NAN : highest(type);
  case MS_PATTERN_RANDOM:
    return random_value(type, state);
  case MS_N_PATTERNS:
    break;
  }
  g_assert_not_reached();
}

static void
store(MsElementType type, void *data, guint64 i, double value)
{
  switch (type) {
  case MS_ELEMENT_UCHAR:
    ((guint8 *)data)[i] = (guint8)value;
    break;
  case MS_ELEMENT_CHAR:
    ((gint8 *)data)[i] = (gint8)value;
    break;
  case MS_ELEMENT_USHORT:
    ((guint16 *)data)[i] = (guint16)value;
    break;
  case MS_ELEMENT_SHORT:
    ((gint16 *)data)[i] = (gint16)value;
    break;
  case MS_ELEMENT_INT:
    ((gint32 *)data)[i] = (gint32)value;
    break;
  case MS_ELEMENT_UINT:
    ((guint32 *)data)[i] = (guint32)value;
    break;
  case MS_ELEMENT_FLOAT:
    ((float *)data)[i] = (float)value;
    break;
  case MS_ELEMENT_DOUBLE:
    ((double *)data)[i] = value;
    break;
  case MS_ELEMENT_N_TYPES:
    g_assert_not_reached();
  }
}

/** ms_pattern_new: (transfer full): @n elements, the same ones every time. */
void *
ms_pattern_new(MsPattern pattern, MsElementType type, guint64 n)
{
  void *data = g_malloc(n * ms_element_type_size(type));
  guint32 state = 0x9e3779b9u ^ (guint32)(n * 2654435761u);

  for (guint64 i = 0; i < n; i++)
    store(type, data, i, value_of(pattern, type, i, n, &state));
  return data;
}

/**
 * ms_pattern_suits:
 *
 * Sums of the largest floating-point numbers leave the accumulator's range at a place that depends on the order, so
 * those are left to the other operations; floats added in double stay far inside it.
 */
gboolean
ms_pattern_suits(MsPattern pattern, const MsReduceSpec *spec, const MsReducePlan *plan)
{
  gboolean sums = ms_reduce_operator_total_is_real(ms_reduce_operator(spec->op), spec->type);
  gboolean large = pattern == MS_PATTERN_EXTREMES || pattern == MS_PATTERN_GREATEST;

  return !(sums && large && (spec->type == MS_ELEMENT_DOUBLE || plan->compensated));
}

void
ms_reduce_assert_agrees(const MsReduceResult *result, const MsReduceResult *expected, const char *what)
{
  g_autofree char *found = ms_reduce_result_to_string(result);
  g_autofree char *wanted = ms_reduce_result_to_string(expected);

  g_assert_cmpuint(result->n, ==, expected->n);
  if (!ms_reduce_result_agrees(result, expected, TOLERANCE))
    g_error("%s: %s on the device, %s in serial", what, found, wanted);
}

/** ms_reduce_cases_variant: the options that @text names up to a blank; it must be valid. */
MsReduceOptions
ms_reduce_cases_variant(const char *text)
{
  g_autofree char *variant = g_strndup(text, strcspn(text, " "));
  g_autoptr(GError) error = NULL;
  MsReduceOptions options = ms_reduce_options_auto();

  ms_reduce_variant_parse(variant, &options, &error);
  g_assert_no_error(error);
  return options;
}

/**
 * ms_reduce_cases_plan: (transfer full) (nullable): the plan of a variant that the device takes; none of char where it
 * may refuse that. Words behind a blank say what the device is to lack, -fp64, -subgroups or -shuffles, and whether
 * elements are packed that the plan would leave, or not.
 */
MsReducePlan *
ms_reduce_cases_plan(const char *text, const MsReduceSpec *spec, const MsDeviceLimits *limits, guint64 n)
{
  const MsReduceOptions options = ms_reduce_cases_variant(text);
  MsDeviceLimits less = *limits;
  g_autoptr(GError) error = NULL;

  less.fp64 = less.fp64 && !strstr(text, " -fp64");
  less.subgroups = less.subgroups && !strstr(text, " -subgroups");
  less.subgroup_shuffle = less.subgroup_shuffle && !strstr(text, " -shuffles");
  MsReducePlan *plan = ms_reduce_plan_new(spec, &options, &less, n, &error);
  if (!plan && spec->type == MS_ELEMENT_CHAR && ms_device_limits_lack_vectors(limits))
    return NULL;
  g_assert_no_error(error);
  if (strstr(text, " +packed") || strstr(text, " -packed")) {
    plan->packed = strstr(text, " +packed") != NULL;
    ms_program_spec_unref(plan->program);
    ms_reduce_plan_compose(plan);
  }
  return plan;
}

/** ms_reduce_cases_device: an invented graphics processor, for plans that are not run. */
MsDeviceLimits
ms_reduce_cases_device(void)
{
  return (MsDeviceLimits){.type = MS_DEVICE_TYPE_GPU,
                          .compute_units = 18,
                          .max_work_group = 256,
                          .max_work_item = {256, 256, 256},
                          .local_memory = 32768,
                          .global_memory = 1u << 30,
                          .max_allocation = 1u << 28,
                          .images = TRUE,
                          .image_max_width = 8192,
                          .image_max_height = 8192,
                          .fp64 = TRUE,
                          .int64_atomics = TRUE,
                          .preferred_multiple = 64,
                          .opencl_version = 120};
}

/** ms_reduce_cases_divergent_warps: warps of a group whose items take more than one branch. */
guint
ms_reduce_cases_divergent_warps(const guint16 *map, guint work_group, guint warp, MsSwapOutcome outcome)
{
  guint divergent = 0;

  for (guint first = 0; first < work_group; first += warp) {
    gboolean differs = FALSE;
    for (guint i = first; i < MIN(first + warp, work_group); i++)
      differs |= outcome(map[i]) != outcome(map[first]);
    divergent += differs;
  }
  return divergent;
}
