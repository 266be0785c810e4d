/* SPDX-License-Identifier: MIT */
#include "ui/common/words.h"

#include <glib/gi18n-lib.h>

#include "core/filter/settings/options.h"
#include "ui/common/format.h"

static gboolean
replace_option(const GMatchInfo *match, GString *result, gpointer data)
{
  g_autofree char *name = g_match_info_fetch(match, 1);
  const MsOptionInfo *option = ms_option_find(name);
  g_autofree char *label = option ? ms_format_plain(_(option->label)) : g_strdelimit(g_strdup(name), "-", ' ');

  g_string_append_printf(result, "“%s”", label);
  return FALSE;
}

/**
 * ms_words_of_window: (transfer full): replaces names of options in @sentence by the labels of the window; an option
 * that only the command line has loses its hyphens.
 */
char *
ms_words_of_window(const char *sentence)
{
  g_autoptr(GRegex) options = g_regex_new("(?<![\\w-])--([a-z][a-z-]*[a-z])", 0, 0, NULL);

  return g_regex_replace_eval(options, sentence, -1, 0, 0, replace_option, NULL, NULL);
}
