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

/**
 * ms_settings_text: (transfer full): labels and values of options, in the order of their table
 * @names: (nullable) (array zero-terminated=1): the options; all where %NULL
 * @usual_toggles: whether toggles with their default values are named too
 */
char *
ms_settings_text(const MsSettings *settings, const char *const *names, gboolean usual_toggles)
{
  g_autoptr(GString) text = g_string_new(NULL);
  guint n;
  const MsOptionInfo *table = ms_options_table(&n);

  for (guint i = 0; i < n; i++) {
    g_autofree char *part = is_named(&table[i], names) ? part_text(&table[i], settings, usual_toggles) : NULL;
    if (part)
      g_string_append_printf(text, "%s%s", text->len > 0 ? " · " : "", part);
  }
  return g_string_free(g_steal_pointer(&text), FALSE);
}
