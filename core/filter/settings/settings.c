/* SPDX-License-Identifier: MIT */
#include "core/filter/settings/settings.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

static gboolean
check_range(const char *name, double value, double low, double high, GError **error)
{
  char text[3][G_ASCII_DTOSTR_BUF_SIZE];

  if (value >= low && value <= high)
    return TRUE;
  ms_set_error(error, MS_ERROR_USAGE, "%s is %s; it must be from %s to %s.", name,
               g_ascii_formatd(text[0], sizeof text[0], "%g", value),
               g_ascii_formatd(text[1], sizeof text[1], "%.10g", low),
               g_ascii_formatd(text[2], sizeof text[2], "%.10g", high));
  return FALSE;
}

static gboolean
check_whole(const char *name, double value, GError **error)
{
  if (value == floor(value))
    return TRUE;
  ms_set_error(error, MS_ERROR_USAGE,
               "%s has a fraction; the rules truncate and replicate take whole numbers only. "
               "Use --rule opencv for fractions.",
               name);
  return FALSE;
}

/**
 * ms_params_validate:
 *
 * Returns: whether every number is in its range and the rule takes it; NaN is not
 */
gboolean
ms_params_validate(const MsParams *self, GError **error)
{
  if (!check_range("sp", self->sp, MS_SP_MIN, MS_SP_MAX, error) ||
      !check_range("sr", self->sr, MS_SR_MIN, MS_SR_MAX, error) ||
      !check_range("max-iterations", self->max_iterations, MS_MAX_ITERATIONS_MIN, MS_MAX_ITERATIONS_MAX, error) ||
      !check_range("epsilon", self->epsilon, MS_EPSILON_MIN, MS_EPSILON_MAX, error) ||
      !check_range("levels", self->levels, MS_LEVELS_MIN, MS_LEVELS_MAX, error))
    return FALSE;
  if (self->rule == MS_RULE_OPENCV)
    return TRUE;
  if (self->levels > 0) {
    ms_set_error(error, MS_ERROR_USAGE,
                 "The functions that the rules truncate and replicate match have no pyramid levels. Use --rule "
                 "opencv or --levels 0.");
    return FALSE;
  }
  return check_whole("sp", self->sp, error) && check_whole("sr", self->sr, error);
}

/**
 * ms_params_numbers:
 *
 * OpenCV keeps sp in single precision and squares sr in double precision; both are reproduced, because they decide how
 * fractions near one half round.
 */
MsFilterNumbers
ms_params_numbers(const MsParams *self)
{
  double sr = MIN(self->sr, MS_SR_USEFUL_MAX);

  return (MsFilterNumbers){
    .sp = (float)self->sp,
    .isr2 = (int)rint(sr * sr),
    .max_iterations = self->max_iterations,
    .epsilon = (int)floor(self->epsilon),
  };
}

/**
 * ms_params_whole_radius:
 * @extent: the larger of width and height
 * @radius: (out): the whole radius
 *
 * Whether the window of every coordinate below @extent reaches equally far on both sides, so that a whole radius
 * describes it. False only for fractions at or next to one half, which round by the parity of the coordinate.
 */
gboolean
ms_params_whole_radius(const MsParams *self, int extent, int *radius)
{
  float sp = (float)self->sp;

  *radius = (int)rintf(sp);
  if (sp == (float)*radius)
    return TRUE;
  for (int x = 0; x < extent; x++)
    if ((int)rintf((float)x - sp) != x - *radius || (int)rintf((float)x + sp) != x + *radius)
      return FALSE;
  return TRUE;
}

/**
 * ms_params_coarser: the parameters of the next level of the pyramid: half the window radius, in single precision, but
 * at least 1; one level less; no conversion of colours, since the picture has been converted.
 */
MsParams
ms_params_coarser(const MsParams *self)
{
  MsParams params = *self;

  params.sp = MAX((float)(self->sp / 2), 1.0f);
  params.levels--;
  params.space = MS_SPACE_RGB;
  return params;
}

/**
 * ms_params_halo:
 * @height: rows of the image
 *
 * The window moves by at most its radius in each iteration, and reads as many rows again around its last place. Levels
 * of a pyramid are not considered.
 *
 * Returns: the rows above and below a row that can influence it, @height at most
 */
int
ms_params_halo(const MsParams *self, int height)
{
  return (int)MIN(ceil(self->sp) * (self->max_iterations + 1.0), height);
}

/* Rows that halving a picture, and doubling the result of the level above, read beyond those that they make. */
#define LEVEL_HALO 10

/** ms_params_reach: the rows above and below a row that can influence it through all levels, whatever the height. */
int
ms_params_reach(const MsParams *self)
{
  const int halo = ms_params_halo(self, G_MAXINT);
  const MsParams coarser = ms_params_coarser(self);

  return self->levels > 0 ? halo + LEVEL_HALO + 2 * ms_params_reach(&coarser) : halo;
}

gboolean
ms_params_equal(const MsParams *a, const MsParams *b)
{
  return a->sp == b->sp && a->sr == b->sr && a->max_iterations == b->max_iterations && a->epsilon == b->epsilon &&
         a->rule == b->rule && a->levels == b->levels && a->space == b->space;
}

const char *const ms_filter_kernel_names[] = {
  [MS_KERNEL_AUTO] = "auto",
  [MS_KERNEL_DIRECT] = "direct",
  [MS_KERNEL_ROWS] = "rows",
  [MS_KERNEL_ROWS_WIDE] = "rows-wide",
  [MS_KERNEL_MATRIX] = "matrix",
  [MS_KERNEL_PACKED] = "packed",
  NULL,
};

const char *
ms_filter_kernel_name(MsKernel kernel)
{
  return ms_filter_kernel_names[kernel];
}

static const char *const rule_values[] = {"opencv", "truncate", "replicate", NULL};
static const char *const space_values[] = {"rgb", "luv", "lab", NULL};
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
#define RANGE(low, high) .minimum = (low), .maximum = (high), .step = 1

static const MsOptionInfo rows[] = {
  ROW(FILTER, REAL, params.sp, "sp", "sp", N_("_Spatial radius"), "10",
      N_("Window radius in pixels; the window's side is 2R+1"), .argument = "R", RANGE(MS_SP_MIN, MS_SP_MAX),
      .is_common = TRUE),
  ROW(FILTER, REAL, params.sr, "sr", "sr", N_("_Colour radius"), "20",
      N_("Colours up to this distance take part in the mean"), .argument = "R", RANGE(MS_SR_MIN, MS_SR_USEFUL_MAX),
      .largest = MS_SR_MAX, .is_common = TRUE),
  ROW(FILTER, INT, params.max_iterations, "max-iterations", "max_iterations", N_("Max _iterations"), "5",
      N_("Most mean-shift iterations of a pixel"), .argument = "N", RANGE(MS_MAX_ITERATIONS_MIN, MS_MAX_ITERATIONS_MAX),
      .is_common = TRUE),
  ROW(FILTER, REAL, params.epsilon, "epsilon", "epsilon", N_("_Epsilon"), "1",
      N_("A pixel stops when shift plus squared colour change is at most E"), .argument = "E",
      RANGE(MS_EPSILON_MIN, MS_EPSILON_MAX)),
  ROW(FILTER, CHOICE, params.rule, "rule", "rule", N_("_Rule"), "opencv",
      N_("Border and rounding of OpenCV on the CPU, of its old OpenCL filter, or of its CUDA filter"),
      .values = rule_values),
  ROW(FILTER, INT, params.levels, "levels", "levels", N_("P_yramid levels"), "0",
      N_("Filter N halved copies of the picture first, and then only near their edges: maxLevel of OpenCV"),
      .argument = "N", RANGE(MS_LEVELS_MIN, MS_LEVELS_MAX)),
  ROW(FILTER, CHOICE, params.space, "space", "space", N_("Colour s_pace"), "rgb",
      N_("Colours in which the picture is filtered, converted in 8 bits as OpenCV does"), .values = space_values),
  ROW(TOGGLE, CHOICE, options.memory, "memory", "memory", N_("_Memory object"), "buffer",
      N_("Memory object from which the kernel reads the pixels"), .values = memory_values,
      .tip = N_("Chooses the memory object from which the kernel reads the pixels. An image object is read "
                "through the texture cache of a graphics processor, which helps where neighbouring work-items "
                "read neighbouring pixels; processors read a buffer faster.")),
  ROW(TOGGLE, CHOICE, options.local_memory, "local-memory", "local_memory", N_("_Local memory"), "off",
      N_("Each work-group stages its pixels in local memory"), .values = switch_values,
      .tip = N_("Each work-group first copies the pixels that it computes to local memory. Pixels of a window that lie "
                "among them are read from there, all others from the picture, so that every read is preceded by a "
                "test of its position. The test often costs more than the faster memory saves; on processors local "
                "memory is ordinary memory.")),
  ROW(TOGGLE, CHOICE, options.unroll, "unroll", "unroll", N_("_Unroll"), "1",
      N_("Pixels in one step of the innermost loop"), .values = unroll_values, .numeric_values = TRUE,
      .tip = N_("The innermost loop takes %s pixels in one step. More pixels mean fewer branches and more "
                "independent operations, but more registers for each work-item.")),
  ROW(TOGGLE, CHOICE, options.access, "access", "access", N_("_Access"), "pointer",
      N_("Loads of one uchar4, or vload4, vload8 or vload16 according to --unroll"), .values = access_values,
      .tip = N_("The kernel loads pixels one by one through a pointer, or several at once with vload. Wide loads "
                "help on devices with vector registers when the loop is unrolled.")),
  ROW(TOGGLE, SHAPE, options.work_group_width, "work-group", "work_group", N_("_Work-group"), "auto",
      N_("Work-items of a work-group, columns by rows"), .argument = "WxH|auto", RANGE(1, 65536),
      .tip = N_("Sets how many work-items run as one work-group, in columns and rows. Work-groups as wide as the "
                "device's warp or wavefront read memory in whole lines; auto leaves the choice to the plan.")),
  ROW(TOGGLE, CHOICE, options.kernel, "kernel", "kernel", N_("_Kernel"), "auto",
      N_("auto takes the fastest kernel that the device and the other toggles allow"), .values = ms_filter_kernel_names,
      .tip = N_("Chooses the algorithm. direct visits every pixel of the window for every pixel; the others share "
                "work between neighbouring pixels and need fewer operations. auto takes the fastest that the "
                "device and the other toggles allow.")),
  ROW(TOGGLE, CHOICE, options.schedule, "schedule", "schedule", N_("Sche_dule"), "fixed",
      N_("One pixel for each work-item, or further pixels for work-items that have finished"),
      .values = schedule_values,
      .tip = N_("With fixed, each work-item computes one pixel. With refill, a work-item that has finished takes "
                "a further pixel, which helps on graphics processors where the pixels need different numbers of "
                "steps.")),
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

/** ms_settings_to_variant: (transfer floating): the values as exact texts ("as"), in the order of ms_options. */
GVariant *
ms_settings_to_variant(const MsSettings *self)
{
  GVariantBuilder builder;

  g_variant_builder_init(&builder, G_VARIANT_TYPE_STRING_ARRAY);
  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *text = ms_option_get_text(&rows[i], self);
    g_variant_builder_add(&builder, "s", text);
  }
  return g_variant_builder_end(&builder);
}

/** ms_settings_from_variant: reads ms_settings_to_variant(); %FALSE if the table of options refuses a value. */
gboolean
ms_settings_from_variant(GVariant *values, MsSettings *self)
{
  gboolean good = g_variant_n_children(values) == G_N_ELEMENTS(rows);

  *self = ms_settings_default();
  for (guint i = 0; good && i < G_N_ELEMENTS(rows); i++) {
    const char *text;
    g_variant_get_child(values, i, "&s", &text);
    good = ms_option_set_text(&rows[i], self, text, NULL);
  }
  return good;
}

/**
 * ms_settings_from_factors:
 * @factors: options by name, of an experiment or a tuned winner
 * @settings: (out): the defaults, changed by every option in @factors; other keys are ignored
 *
 * Returns: %FALSE with #MS_ERROR_USAGE when an option does not accept its value
 */
gboolean
ms_settings_from_factors(const MsFactors *factors, MsSettings *settings, GError **error)
{
  *settings = ms_settings_default();
  for (guint i = 0; i < ms_factors_size(factors); i++) {
    const MsOptionInfo *option = ms_option_find(ms_factors_key(factors, i));
    if (option && !ms_option_set_text(option, settings, ms_factors_value(factors, i), error))
      return FALSE;
  }
  return ms_params_validate(&settings->params, error);
}
