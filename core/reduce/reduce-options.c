/* SPDX-License-Identifier: MIT */
#include "core/reduce/reduce-options.h"

#include <glib/gi18n-lib.h>
#include <stddef.h>
#include <string.h>

#include "core/option/option.h"
#include "core/reduce/reduce-plan.h"

static const char *const storage_values[] = {"buffer", "image", NULL};
static const char *const vector_values[] = {"1", "4", "8", "16", NULL};
static const char *const stride_values[] = {"global", "local", "block", NULL};
static const char *const tree_values[] = {"naive", "divergence-free", "completely-unroll", "four-way", NULL};
static const char *const switch_values[] = {"off", "on", NULL};
static const char *const groups_values[] = {"size", "units", "fixed", NULL};
static const char *const between_values[] = {"recursive", "host", "atomic", "last-group", NULL};
static const char *const swap_values[] = {"off", "plain", "refined", NULL};
static const char *const swap_range_values[] = {"64", "128", "256", "512", NULL};
static const char *const accumulator_values[] = {"exact", "32-bit", NULL};
static const char *const wait_values[] = {"event", "read", "finish", NULL};

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
accumulator_unused(gconstpointer record, gconstpointer data)
{
  const MsReduceSpec *spec = data;

  return ms_reduce_can_wrap(spec) ? NULL : "it chooses how integers, their absolute values or ones are added up";
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
  ROW(CHOICE, accumulator, "accumulator", "accumulator", N_("_Accumulator"), "exact",
      N_("Sums of integers are exact, or kept in 32 bits as in the studies, that is modulo 2^32"),
      .values = accumulator_values, .unused = accumulator_unused),
  ROW(CHOICE, wait, "wait", "wait", N_("_Wait"), "read",
      N_("The host waits for the event of the result's transfer, in a blocking read, or in clFinish before that read"),
      .values = wait_values),
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

#define ATOMIC ",between=atomic"
#define HOST ",between=host"
#define UNROLLED ",tree=completely-unroll"
#define LEVELS ",tree=divergence-free"
#define PCL "times=64,stride=local" UNROLLED
#define VECTORS ",vector-partials=on"
#define SAVING ",bank-conflict-saving=on" VECTORS
#define FINAL(count) "vector=8" LEVELS SAVING ",builtin=on,groups=fixed,groups-count=" count HOST

static const MsReducePreset presets[] = {
  {"auto", N_("The plan's choice for the device, the type and the length"), "", NULL},
  {"naive", N_("One element for each work-item, interleaved tree, atomic finish"), "PCL", "times=1" ATOMIC},
  {"global-stride", N_("Each work-item folds 32 elements, a grid apart, before the interleaved tree"), "PCL",
   "times=32" ATOMIC},
  {"local-stride", N_("Each work-item folds 32 elements, a work-group apart, before the interleaved tree"), "PCL",
   "times=32,stride=local" ATOMIC},
  {"divergence-free", N_("One element for each work-item, tree of neighbouring work-items"), "PCL",
   "times=1" LEVELS ATOMIC},
  {"completely-unroll", N_("One element for each work-item, completely unrolled tree"), "PCL",
   "times=1" UNROLLED ATOMIC},
  {"pcl", N_("The study's choice: local stride over 64, completely unrolled, atomic finish"), "PCL", PCL ATOMIC},
  {"pcl-recursive", N_("As pcl, with recursive launches between the groups"), "PCL", PCL},
  {"pcl-host", N_("As pcl, finished on the host"), "PCL", PCL HOST},
  {"minmax-sequential", N_("Step 1: sequential addressing in a buffer"), "MM", "times=1" LEVELS HOST},
  {"minmax-image", N_("Step 1 with the array in an image"), "MM", "storage=image,vector=4,times=1" LEVELS VECTORS HOST},
  {"minmax-vector", N_("Step 2: vectors of 8"), "MM", "vector=8,times=1" LEVELS VECTORS HOST},
  {"minmax-bank", N_("Step 3: fewer bank conflicts"), "MM", "vector=8,times=1" LEVELS SAVING HOST},
  {"minmax-four-way", N_("Step 3 with the study's proposal, a tree of four branches, for fewer barriers"), "MM",
   "vector=8,times=1,tree=four-way" SAVING HOST},
  {"minmax-units", N_("Step 4: two groups for each compute unit of this device"), "MM",
   "vector=8" LEVELS SAVING ",groups=units,groups-count=2" HOST},
  {"minmax-18", N_("Final variant with 18 groups, one for each compute unit of the HD 5850"), "MM", FINAL("18")},
  {"minmax-36", N_("Final variant with 36 groups, the best of the HD 5850"), "MM", FINAL("36")},
  {"minmax-28", N_("Final variant with 28 groups of 512, as on the C2050"), "MM", FINAL("28") ",group-size=512"},
  {"swap-plain", N_("The interleaved tree with thread swapping over the whole group"), "BD",
   "times=1,swap=plain,swap-range=256" HOST},
  {"swap-refined", N_("The same, with every element loaded by its original work-item"), "BD",
   "times=1,swap=refined,swap-range=256" HOST},
  {"last-group", N_("Loads of 4 over a fixed grid; the group that finishes last folds the partials, in one launch"), "",
   "vector=4" UNROLLED ",bank-conflict-saving=on,builtin=on,groups=units,groups-count=4,between=last-group"},
};

/** ms_reduce_presets: (transfer none): the named variants; the first is auto. */
const MsReducePreset *
ms_reduce_presets(guint *n_rows)
{
  *n_rows = G_N_ELEMENTS(presets);
  return presets;
}

/** ms_reduce_preset_options: the options that the preset stands for. */
MsReduceOptions
ms_reduce_preset_options(const MsReducePreset *self)
{
  MsReduceOptions options = ms_reduce_options_auto();
  gboolean set;

  if (!self->settings)
    return options;
  options.automatic = 0;
  set = ms_option_table_set_keys(&ms_reduce_options, &options, self->name, self->settings, NULL);
  g_assert(set);
  return options;
}

static const MsReducePreset *
parse_preset(const char *name, GError **error)
{
  const char *names[G_N_ELEMENTS(presets) + 1] = {NULL};
  int index;

  for (guint i = 0; i < G_N_ELEMENTS(presets); i++)
    names[i] = presets[i].name;
  index = ms_choice_parse(names, "--variant", name, error);
  return index < 0 ? NULL : &presets[index];
}

/* Splits @text into the preset and the settings after it, which are empty if there are none. */
static const MsReducePreset *
split(const char *text, const char **settings, GError **error)
{
  gsize length = strcspn(text, ",");
  g_autofree char *name = g_strndup(text, length);
  const MsReducePreset *preset = parse_preset(name, error);

  *settings = text[length] ? text + length + 1 : "";
  if (preset && text[length] && !**settings) {
    ms_set_error(error, MS_ERROR_USAGE, "--variant '%s' ends in a comma; name=value must follow it.", text);
    return NULL;
  }
  if (!preset || preset->settings || !**settings)
    return preset;
  ms_set_error(error, MS_ERROR_USAGE,
               "--variant auto chooses every option itself; to set '%s', start from another preset.", *settings);
  return NULL;
}

/* Sets @preset to what the name in @text stands for, and @options to that with the settings after it. */
static gboolean
read_variant(const char *text, MsReduceOptions *preset, MsReduceOptions *options, GError **error)
{
  const char *settings;
  const MsReducePreset *row = split(text, &settings, error);

  if (!row)
    return FALSE;
  *preset = *options = ms_reduce_preset_options(row);
  return ms_option_table_set_keys(&ms_reduce_options, options, "--variant", settings, error);
}

/**
 * ms_reduce_variant_parse:
 * @text: a preset's name, which may be followed by comma-separated name=value of rows of #ms_reduce_options
 *
 * Returns: %FALSE with #MS_ERROR_USAGE; @options is then unchanged
 */
gboolean
ms_reduce_variant_parse(const char *text, MsReduceOptions *options, GError **error)
{
  MsReduceOptions preset, parsed;

  if (!read_variant(text, &preset, &parsed, error))
    return FALSE;
  *options = parsed;
  return TRUE;
}

/**
 * ms_reduce_variant_check_used:
 * @text: as for ms_reduce_variant_parse(), which accepts it
 *
 * Returns: %FALSE with #MS_ERROR_USAGE and the reason when a setting after the preset changes nothing in this reduction
 */
gboolean
ms_reduce_variant_check_used(const char *text, const MsReduceSpec *spec, GError **error)
{
  MsReduceOptions preset, options;

  if (!read_variant(text, &preset, &options, error))
    return FALSE;
  for (guint i = 0; i < ms_reduce_options.n_rows; i++) {
    const MsOptionInfo *row = &ms_reduce_options.rows[i];
    if (!ms_option_equal(row, &options, &preset) && !ms_option_check_used(row, &options, spec, error))
      return FALSE;
  }
  return TRUE;
}

/* Whether the option differs from that of the preset, and in a way that changes this reduction. */
static gboolean
is_written(const MsOptionInfo *row, const MsReduceOptions *options, const MsReduceOptions *preset,
           const MsReduceSpec *spec)
{
  return !ms_option_equal(row, options, preset) && !(spec && row->unused && row->unused(options, spec));
}

static guint
count_differences(const MsReduceOptions *options, const MsReduceOptions *preset, const MsReduceSpec *spec)
{
  guint n = options->automatic != preset->automatic ? ms_reduce_options.n_rows + 1 : 0;

  for (guint i = 0; i < ms_reduce_options.n_rows; i++)
    n += is_written(&ms_reduce_options.rows[i], options, preset, spec);
  return n;
}

static const MsReducePreset *
nearest_preset(const MsReduceOptions *options, const MsReduceSpec *spec)
{
  guint least = G_MAXUINT;
  const MsReducePreset *nearest = presets;

  for (guint i = 0; i < G_N_ELEMENTS(presets); i++) {
    MsReduceOptions preset = ms_reduce_preset_options(&presets[i]);
    guint differences = count_differences(options, &preset, spec);
    if (differences >= least)
      continue;
    least = differences;
    nearest = &presets[i];
  }
  return nearest;
}

/**
 * ms_reduce_variant_to_string:
 * @spec: (nullable): leaves out the options that change nothing in this reduction
 *
 * Returns: (transfer full): the shortest text that ms_reduce_variant_parse() reads back as @options
 */
char *
ms_reduce_variant_to_string(const MsReduceOptions *options, const MsReduceSpec *spec)
{
  const MsReducePreset *nearest = nearest_preset(options, spec);
  MsReduceOptions preset = ms_reduce_preset_options(nearest);
  GString *text = g_string_new(nearest->name);

  for (guint i = 0; i < ms_reduce_options.n_rows; i++) {
    const MsOptionInfo *row = &ms_reduce_options.rows[i];
    if (!is_written(row, options, &preset, spec))
      continue;
    g_autofree char *setting = ms_option_to_argument(row, options);
    g_string_append_printf(text, ",%s", setting);
  }
  return g_string_free(text, FALSE);
}

/* Joins the variant and single options into one text, as --variant takes it. */
static gboolean
parse_options(const MsFactors *factors, MsReduceOptions *options, GError **error)
{
  g_autoptr(GString) single = g_string_new(NULL);

  for (guint i = 0; i < ms_factors_size(factors); i++) {
    const char *key = ms_factors_key(factors, i);
    if (ms_reduce_option_find(key))
      g_string_append_printf(single, ",%s=%s", key, ms_factors_value(factors, i));
  }
  const char *usual = single->len > 0 ? "naive" : "auto";
  g_autofree char *variant = g_strconcat(ms_factors_get_or(factors, "variant", usual), single->str, NULL);
  return ms_reduce_variant_parse(variant, options, error);
}

/**
 * ms_reduce_from_factors:
 * @factors: op, type, size, variant and single options, of an experiment or a tuned winner; missing keys take their
 *   defaults, keys of other kinds are ignored
 * @spec: (out): the operation and the type of the elements
 * @n: (out): the number of elements
 *
 * Returns: %FALSE with #MS_ERROR_USAGE when a value is malformed or out of range
 */
gboolean
ms_reduce_from_factors(const MsFactors *factors, MsReduceSpec *spec, MsReduceOptions *options, guint64 *n,
                       GError **error)
{
  MsReduceOp op;
  MsElementType type;
  gint64 width, height;

  if (!ms_reduce_op_parse(ms_factors_get_or(factors, "op", "sum"), &op, error) ||
      !ms_element_type_parse(ms_factors_get_or(factors, "type", "uint"), &type, error) ||
      !ms_factors_parse_size(ms_factors_get_or(factors, "size", "2^20"), &width, &height, error) ||
      !parse_options(factors, options, error))
    return FALSE;
  *spec = MS_REDUCE_SPEC(op, type);
  *n = (guint64)width * (guint64)height;
  return TRUE;
}
