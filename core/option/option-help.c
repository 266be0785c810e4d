/* SPDX-License-Identifier: MIT */
#include "core/option/option-help.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#define HELP_COLUMN 34
#define HELP_WIDTH 100

/* Appends the words of @help from HELP_COLUMN on, broken at HELP_WIDTH. */
static void
append_words(GString *text, gsize column, const char *help)
{
  g_auto(GStrv) words = g_strsplit(help, " ", -1);

  if (column + 2 > HELP_COLUMN) {
    g_string_append_c(text, '\n');
    column = 0;
  }
  g_string_append_printf(text, "%*s", (int)(HELP_COLUMN - column), "");
  column = HELP_COLUMN;
  for (gsize i = 0; words[i]; i++) {
    gsize length = (gsize)g_utf8_strlen(words[i], -1);
    if (i > 0 && column + 1 + length > HELP_WIDTH) {
      g_string_append_printf(text, "\n%*s", HELP_COLUMN, "");
      column = HELP_COLUMN;
    } else if (i > 0) {
      g_string_append_c(text, ' ');
      column++;
    }
    g_string_append(text, words[i]);
    column += length;
  }
  g_string_append_c(text, '\n');
}

/** ms_option_help_append_row: appends one row of the list, with @right wrapped. */
void
ms_option_help_append_row(GString *text, const char *left, const char *right)
{
  g_string_append_printf(text, "  %s", left);
  append_words(text, strlen(left) + 2, right);
}

/** ms_option_tooltip: (transfer none): what the window says of the option, in the user's language. */
const char *
ms_option_tooltip(const MsOptionInfo *option)
{
  return _(option->tip ? option->tip : option->help);
}

/** ms_option_help_text: (transfer full): the help text with the row's range and default. */
char *
ms_option_help_text(const MsOptionInfo *option)
{
  gboolean is_number = option->kind == MS_OPTION_INT || option->kind == MS_OPTION_REAL;
  g_autofree char *range =
    is_number ? g_strdup_printf(_("%.10g to %.10g"), option->minimum, MAX(option->maximum, option->largest)) : NULL;
  g_autofree char *standard = option->standard ? g_strdup_printf(_("default %s"), option->standard) : NULL;

  if (!range && !standard)
    return g_strdup(_(option->help));
  return g_strdup_printf("%s (%s%s%s)", _(option->help), range ? range : "", range && standard ? ", " : "",
                         standard ? standard : "");
}

/** ms_option_help_append_group: appends the rows of @group, or only those that are marked as common. */
void
ms_option_help_append_group(GString *text, const MsOptionTable *table, MsOptionGroup group, gboolean only_common)
{
  for (guint i = 0; i < table->n_rows; i++) {
    if (table->rows[i].group != group || (only_common && !table->rows[i].is_common))
      continue;
    g_autofree char *left = ms_option_usage(&table->rows[i]);
    g_autofree char *right = ms_option_help_text(&table->rows[i]);
    ms_option_help_append_row(text, left, right);
  }
}
