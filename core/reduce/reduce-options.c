/* SPDX-License-Identifier: MIT */
#include "core/reduce/reduce-options.h"

#include <stddef.h>
#include <string.h>

#define OFFSET(field) offsetof(MsReduceOptions, field)

static const char *const storage_values[] = {"buffer", "image", NULL};
static const char *const vector_values[] = {"1", "4", "8", "16", NULL};
static const char *const stride_values[] = {"global", "local", "block", NULL};
static const char *const tree_values[] = {"naive", "divergence-free", "completely-unroll", NULL};
static const char *const switch_values[] = {"off", "on", NULL};
static const char *const groups_values[] = {"size", "units", "fixed", NULL};
static const char *const between_values[] = {"recursive", "host", "atomic", "last-group", NULL};
static const char *const swap_values[] = {"off", "plain", "refined", NULL};
static const char *const swap_range_values[] = {"64", "128", "256", "512", NULL};
static const char *const float_sum_values[] = {"auto", "double", "compensated", NULL};

static const char *const packed_values[] = {"auto", "off", "on", NULL};

static const MsReduceOptionInfo table[] = {
  {.name = "storage",
   .json = "storage",
   .label = "_Storage",
   .argument = "buffer|image",
   .help = "What the array is read from; an image holds four elements a texel",
   .values = storage_values,
   .offset = OFFSET(storage)},
  {.name = "vector",
   .json = "vector",
   .label = "_Vector width",
   .argument = "1|4|8|16",
   .help = "Elements of one load",
   .values = vector_values,
   .numeric_values = TRUE,
   .offset = OFFSET(vector)},
  {.name = "stride",
   .json = "stride",
   .label = "In-item s_tride",
   .argument = "global|local|block",
   .help = "A work-item's loads lie a grid apart, a work-group apart, or side by side",
   .values = stride_values,
   .offset = OFFSET(stride)},
  {.name = "times",
   .json = "times",
   .label = "T_imes",
   .argument = "N",
   .help = "Loads a work-item folds before the group's tree; 0 lets the plan choose",
   .minimum = 0,
   .maximum = 8192, /* what auto may choose, so that any plan's options can be given back */
   .offset = OFFSET(times)},
  {.name = "tree",
   .json = "tree",
   .label = "In-group t_ree",
   .argument = "naive|divergence-free|completely-unroll",
   .help = "How the work-items of a group fold their partials",
   .values = tree_values,
   .offset = OFFSET(tree)},
  {.name = "bank-conflict-saving",
   .json = "bank_conflict_saving",
   .label = "_Bank-conflict saving",
   .argument = "on|off",
   .help = "Only the upper half of each level writes to local memory",
   .values = switch_values,
   .offset = OFFSET(bank_conflict_saving)},
  {.name = "builtin",
   .json = "builtin",
   .label = "Built-in _min and max",
   .argument = "on|off",
   .help = "The built-in functions, or comparisons",
   .values = switch_values,
   .offset = OFFSET(builtin)},
  {.name = "groups",
   .json = "groups",
   .label = "_Groups",
   .argument = "size|units|fixed",
   .help = "As many groups as the size asks for, compute units x count, or count",
   .values = groups_values,
   .offset = OFFSET(groups)},
  {.name = "groups-count",
   .json = "groups_count",
   .label = "Group _count",
   .argument = "N",
   .help = "Groups for each compute unit, or groups in all",
   .minimum = 1,
   .maximum = 65536,
   .offset = OFFSET(groups_count)},
  {.name = "between",
   .json = "between",
   .label = "Between gr_oups",
   .argument = "recursive|host|atomic|last-group",
   .help = "How the partials of the groups become one result",
   .values = between_values,
   .offset = OFFSET(between)},
  {.name = "group-size",
   .json = "group_size",
   .label = "_Work-group",
   .argument = "N",
   .help = "Work-items of a group, a power of two",
   .minimum = 1,
   .maximum = 1024,
   .offset = OFFSET(work_group)},
  {.name = "swap",
   .json = "swap",
   .label = "Thread s_wapping",
   .argument = "off|plain|refined",
   .help = "Work-items of the naive tree change places, so that warps branch alike",
   .values = swap_values,
   .offset = OFFSET(swap)},
  {.name = "swap-range",
   .json = "swap_range",
   .label = "Swap ran_ge",
   .argument = "64|128|256|512",
   .help = "Work-items within which places are changed",
   .values = swap_range_values,
   .numeric_values = TRUE,
   .offset = OFFSET(swap_range)},
  {.name = "float-sum",
   .json = "float_sum",
   .label = "_Float sums",
   .argument = "auto|double|compensated",
   .help = "Floats are added up in double, or in pairs of floats that keep the rounding error",
   .values = float_sum_values,
   .offset = OFFSET(float_sum)},
  {.name = "packed",
   .json = "packed",
   .label = "_Packed elements",
   .argument = "auto|off|on",
   .help = "Bytes are counted or compared four at a time in a word; squares of 8 and 16 bits are summed load by load",
   .values = packed_values,
   .offset = OFFSET(packed)},
};

/** ms_reduce_options_table: (transfer none): the rows, in the order in which they are shown. */
const MsReduceOptionInfo *
ms_reduce_options_table(guint *n_rows)
{
  *n_rows = G_N_ELEMENTS(table);
  return table;
}

/** ms_reduce_option_find: (transfer none) (nullable): the row of that name. */
const MsReduceOptionInfo *
ms_reduce_option_find(const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS(table); i++)
    if (strcmp(table[i].name, name) == 0)
      return &table[i];
  return NULL;
}

static gboolean
refuse(const MsReduceOptionInfo *self, const char *text, GError **error)
{
  g_autofree char *choices = self->values ? g_strjoinv(", ", (char **)self->values) : NULL;

  if (choices)
    g_set_error(error, MS_ERROR, MS_ERROR_USAGE, "%s cannot be “%s”; it takes one of: %s.", self->name, text, choices);
  else
    g_set_error(error, MS_ERROR, MS_ERROR_USAGE, "%s cannot be “%s”; it takes a whole number from %d to %d.",
                self->name, text, self->minimum, self->maximum);
  return FALSE;
}

static int
choice_number(const MsReduceOptionInfo *self, guint index)
{
  return self->numeric_values ? (int)g_ascii_strtoll(self->values[index], NULL, 10) : (int)index;
}

static gboolean
parse_value(const MsReduceOptionInfo *self, const char *text, int *value)
{
  gint64 number = 0;

  if (!self->values) {
    if (!g_ascii_string_to_signed(text, 10, self->minimum, self->maximum, &number, NULL))
      return FALSE;
    *value = (int)number;
    return TRUE;
  }
  for (guint i = 0; self->values[i]; i++) {
    if (strcmp(self->values[i], text) != 0)
      continue;
    *value = choice_number(self, i);
    return TRUE;
  }
  return FALSE;
}

/** ms_reduce_option_set_text: %FALSE with #MS_ERROR_USAGE, naming the option and what it takes. */
gboolean
ms_reduce_option_set_text(const MsReduceOptionInfo *self, MsReduceOptions *options, const char *text, GError **error)
{
  int value = 0;

  if (!parse_value(self, text, &value))
    return refuse(self, text, error);
  *(int *)((char *)options + self->offset) = value;
  return TRUE;
}

/** ms_reduce_option_get: the stored number. */
int
ms_reduce_option_get(const MsReduceOptionInfo *self, const MsReduceOptions *options)
{
  return *(const int *)((const char *)options + self->offset);
}

/** ms_reduce_option_get_text: (transfer full): the value as ms_reduce_option_set_text() takes it. */
char *
ms_reduce_option_get_text(const MsReduceOptionInfo *self, const MsReduceOptions *options)
{
  int value = ms_reduce_option_get(self, options);

  for (guint i = 0; self->values && self->values[i]; i++)
    if (choice_number(self, i) == value)
      return g_strdup(self->values[i]);
  return g_strdup_printf("%d", value);
}

/** ms_reduce_options_auto: everything chosen by the plan for the device, the type and the length. */
MsReduceOptions
ms_reduce_options_auto(void)
{
  return (MsReduceOptions){.automatic = 1, .vector = 1, .groups_count = 1, .work_group = 256, .swap_range = 64};
}

gboolean
ms_reduce_options_equal(const MsReduceOptions *a, const MsReduceOptions *b)
{
  return memcmp(a, b, sizeof *a) == 0;
}

static gboolean
apply_override(MsReduceOptions *options, const char *word, GError **error)
{
  const char *equals = strchr(word, '=');
  g_autofree char *name = equals ? g_strndup(word, (gsize)(equals - word)) : g_strdup(word);
  const MsReduceOptionInfo *info = ms_reduce_option_find(name);

  if (info && equals)
    return ms_reduce_option_set_text(info, options, equals + 1, error);
  g_autoptr(GString) names = g_string_new(NULL);
  for (guint i = 0; i < G_N_ELEMENTS(table); i++)
    g_string_append_printf(names, "%s%s", i > 0 ? ", " : "", table[i].name);
  g_set_error(error, MS_ERROR, MS_ERROR_USAGE,
              "--variant cannot contain “%s”; after the preset it takes name=value with "
              "one of these names: %s.",
              word, names->str);
  return FALSE;
}

static const MsReducePreset *
find_preset(const char *name, GError **error)
{
  const MsReducePreset *preset = ms_reduce_preset_find(name);
  g_autoptr(GString) names = g_string_new(NULL);
  guint n = 0;

  if (preset)
    return preset;
  for (guint i = 0; i < (ms_reduce_presets(&n), n); i++)
    g_string_append_printf(names, "%s%s", i > 0 ? ", " : "", ms_reduce_presets(&n)[i].name);
  g_set_error(error, MS_ERROR, MS_ERROR_USAGE, "--variant cannot be “%s”; it takes one of: %s.", name, names->str);
  return NULL;
}

/**
 * ms_reduce_options_parse:
 * @variant: a preset's name, and after it, parted by commas, name=value of rows of the table
 *
 * Returns: %FALSE with #MS_ERROR_USAGE; @options is then as before
 */
gboolean
ms_reduce_options_parse(const char *variant, MsReduceOptions *options, GError **error)
{
  g_auto(GStrv) words = g_strsplit(variant, ",", -1);
  const MsReducePreset *preset = find_preset(words[0] ? words[0] : "", error);
  MsReduceOptions parsed;

  if (!preset)
    return FALSE;
  parsed = preset->options;
  if (parsed.automatic && words[1]) {
    g_set_error(error, MS_ERROR, MS_ERROR_USAGE,
                "--variant auto chooses everything itself; to set “%s”, start from a named preset.", words[1]);
    return FALSE;
  }
  for (guint i = 1; words[i]; i++)
    if (!apply_override(&parsed, words[i], error))
      return FALSE;
  *options = parsed;
  return TRUE;
}

static guint
count_differences(const MsReduceOptions *a, const MsReduceOptions *b)
{
  guint n = a->automatic != b->automatic ? G_N_ELEMENTS(table) + 1 : 0;

  for (guint i = 0; i < G_N_ELEMENTS(table); i++)
    n += ms_reduce_option_get(&table[i], a) != ms_reduce_option_get(&table[i], b);
  return n;
}

/**
 * ms_reduce_options_to_string: (transfer full): the shortest text that ms_reduce_options_parse() reads back as this.
 */
char *
ms_reduce_options_to_string(const MsReduceOptions *self)
{
  guint n = 0, least = G_MAXUINT;
  const MsReducePreset *presets = ms_reduce_presets(&n), *nearest = presets;

  for (guint i = 0; i < n; i++) {
    guint differences = count_differences(self, &presets[i].options);
    if (differences >= least)
      continue;
    least = differences;
    nearest = &presets[i];
  }
  GString *text = g_string_new(nearest->name);
  for (guint i = 0; i < G_N_ELEMENTS(table); i++) {
    if (ms_reduce_option_get(&table[i], self) == ms_reduce_option_get(&table[i], &nearest->options))
      continue;
    g_autofree char *value = ms_reduce_option_get_text(&table[i], self);
    g_string_append_printf(text, ",%s=%s", table[i].name, value);
  }
  return g_string_free(text, FALSE);
}
