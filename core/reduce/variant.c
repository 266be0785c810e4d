/* SPDX-License-Identifier: MIT */
#include "core/reduce/variant.h"

#include <string.h>

#include "core/option/choice.h"
#include "core/reduce/presets.h"

static const MsReducePreset *
parse_preset(const char *name, GError **error)
{
  guint n = 0;
  const MsReducePreset *presets = ms_reduce_presets(&n);
  g_autofree const char **names = g_new0(const char *, n + 1);
  int index;

  for (guint i = 0; i < n; i++)
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
    ms_set_error(error, MS_ERROR_USAGE, "--variant “%s” ends in a comma; name=value must follow it.", text);
    return NULL;
  }
  if (!preset || preset->settings || !**settings)
    return preset;
  ms_set_error(error, MS_ERROR_USAGE,
               "--variant auto chooses every option itself; to set “%s”, start from another preset.", *settings);
  return NULL;
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
  const char *settings;
  const MsReducePreset *preset = split(text, &settings, error);
  MsReduceOptions parsed;

  if (!preset)
    return FALSE;
  parsed = ms_reduce_preset_options(preset);
  if (!ms_option_table_set_keys(&ms_reduce_options, &parsed, "--variant", settings, error))
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
  const char *settings;
  const MsReducePreset *preset = split(text, &settings, error);
  MsReduceOptions options, standard;

  if (!preset || !ms_reduce_variant_parse(text, &options, error))
    return FALSE;
  standard = ms_reduce_preset_options(preset);
  for (guint i = 0; i < ms_reduce_options.n_rows; i++) {
    const MsOptionInfo *row = &ms_reduce_options.rows[i];
    if (!ms_option_equal(row, &options, &standard) && !ms_option_check_used(row, &options, spec, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
is_written(const MsOptionInfo *row, const MsReduceOptions *options, const MsReduceOptions *preset,
           const MsReduceSpec *spec)
{
  return !ms_option_equal(row, options, preset) && (!spec || ms_option_check_used(row, options, spec, NULL));
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
  guint n = 0, least = G_MAXUINT;
  const MsReducePreset *presets = ms_reduce_presets(&n), *nearest = presets;

  for (guint i = 0; i < n; i++) {
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
