/* SPDX-License-Identifier: MIT */
#include "app/reduce-help.h"

#include "core/reduce/reduce-types.h"

/** ms_reduce_help_operands: the names that --reduce and --type take. */
void
ms_reduce_help_operands(MsReduceHelpRow row, gpointer data)
{
  g_autofree char *ops = g_strjoinv(", ", (char **)ms_reduce_request_names());
  g_autofree char *types = g_strjoinv(", ", (char **)ms_element_type_names());

  row("OP", ops, data);
  row("T", types, data);
}

/* As they would be typed behind the base's name. */
static char *
settings_of(const MsReducePreset *preset, const MsReducePreset *base)
{
  guint n = 0;
  const MsReduceOptionInfo *infos = ms_reduce_options_table(&n);
  GString *text = g_string_new(NULL);

  for (guint i = 0; i < n; i++) {
    if (ms_reduce_option_get(&infos[i], &preset->options) == ms_reduce_option_get(&infos[i], &base->options))
      continue;
    g_autofree char *value = ms_reduce_option_get_text(&infos[i], &preset->options);
    g_string_append_printf(text, "%s%s=%s", text->len > 0 ? ", " : "", infos[i].name, value);
  }
  return g_string_free(text, FALSE);
}

/** ms_reduce_help_presets: the names that --variant begins with, and how each differs from the plainest. */
void
ms_reduce_help_presets(MsReduceHelpRow row, gpointer data)
{
  guint n = 0;
  const MsReducePreset *presets = ms_reduce_presets(&n), *base = ms_reduce_preset_find(MS_REDUCE_HELP_BASE);

  for (guint i = 0; i < n; i++) {
    g_autofree char *settings = presets[i].options.automatic ? g_strdup("") : settings_of(&presets[i], base);
    g_autofree char *help = g_strdup_printf(*settings ? "%s (%s)" : "%s", presets[i].help, settings);
    row(presets[i].name, help, data);
  }
}

static char *
key_help(const MsReduceOptionInfo *info, const char *standard)
{
  if (info->values)
    return g_strdup_printf("%s (%s: %s)", info->help, MS_REDUCE_HELP_BASE, standard);
  return g_strdup_printf("%s, %d to %d (%s: %s)", info->help, info->minimum, info->maximum, MS_REDUCE_HELP_BASE,
                         standard);
}

/** ms_reduce_help_keys: what may follow a preset's name, the values it takes and the plainest preset's. */
void
ms_reduce_help_keys(MsReduceHelpRow row, gpointer data)
{
  guint n = 0;
  const MsReduceOptionInfo *infos = ms_reduce_options_table(&n);
  const MsReducePreset *base = ms_reduce_preset_find(MS_REDUCE_HELP_BASE);

  for (guint i = 0; i < n; i++) {
    g_autofree char *choices =
      infos[i].values ? g_strjoinv("|", (char **)infos[i].values) : g_strdup(infos[i].argument);
    g_autofree char *left = g_strdup_printf("%s=%s", infos[i].name, choices);
    g_autofree char *standard = ms_reduce_option_get_text(&infos[i], &base->options);
    g_autofree char *help = key_help(&infos[i], standard);
    row(left, help, data);
  }
}
