/* SPDX-License-Identifier: MIT */
#include "ui/common/settings-text.h"

#include <glib/gi18n-lib.h>

#include "ui/common/format.h"

static gboolean
is_named(const MsOptionInfo *option, const char *const *names)
{
  return !names || g_strv_contains(names, option->name);
}

static char *
part_text(const MsOptionInfo *option, const MsSettings *settings, gboolean usual_toggles)
{
  const MsSettings usual = ms_settings_default();
  g_autofree char *label = ms_format_plain(_(option->label));
  g_autofree char *value = ms_option_get_text(option, settings), *before = ms_option_get_text(option, &usual);

  if (option->group == MS_OPTION_GROUP_TOGGLE && !usual_toggles && g_str_equal(value, before))
    return NULL;
  return g_strdup_printf("%s %s", label, value);
}

/* Adds the options of one group. */
static void
append_group(GString *text, MsOptionGroup group, const MsSettings *settings, const char *const *names,
             gboolean usual_toggles)
{
  const MsOptionInfo *table = ms_options.rows;

  for (guint i = 0; i < ms_options.n_rows; i++) {
    const gboolean wanted = table[i].group == group && is_named(&table[i], names);
    g_autofree char *part = wanted ? part_text(&table[i], settings, usual_toggles) : NULL;
    if (part)
      g_string_append_printf(text, "%s%s", text->len > 0 ? " · " : "", part);
  }
}

/**
 * ms_settings_text: (transfer full): labels and values of options
 * @names: (nullable) (array zero-terminated=1): the options; all where %NULL
 * @toggles_first: whether all toggles come first; otherwise toggles that differ from the default come last
 */
char *
ms_settings_text(const MsSettings *settings, const char *const *names, gboolean toggles_first)
{
  g_autoptr(GString) text = g_string_new(NULL);

  append_group(text, toggles_first ? MS_OPTION_GROUP_TOGGLE : MS_OPTION_GROUP_FILTER, settings, names, toggles_first);
  append_group(text, toggles_first ? MS_OPTION_GROUP_FILTER : MS_OPTION_GROUP_TOGGLE, settings, names, toggles_first);
  return g_string_free(g_steal_pointer(&text), FALSE);
}
