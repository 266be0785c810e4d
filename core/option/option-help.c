/* SPDX-License-Identifier: MIT */
#include "core/option/option-help.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#define HELP_COLUMN 34
#define HELP_WIDTH 100

/* Columns that text takes on a terminal; Chinese characters take two. */
static gsize
count_columns(const char *text, gsize bytes)
{
  gsize columns = 0;

  for (const char *p = text; p < text + bytes; p = g_utf8_next_char(p))
    columns += g_unichar_iswide(g_utf8_get_char(p)) ? 2 : 1;
  return columns;
}

/* Whether a line may end before @p: at a space, and around Chinese characters unless punctuation follows. */
static gboolean
may_break(const char *p)
{
  gunichar c = g_utf8_get_char(p), before = g_utf8_get_char(g_utf8_prev_char(p));

  return c == ' ' || (before != ' ' && !g_unichar_ispunct(c) && !g_unichar_ispunct(before) &&
                      (g_unichar_iswide(c) || g_unichar_iswide(before)));
}

/* The bytes of @text that stay on one line, with the space before them. */
static gsize
piece_size(const char *text)
{
  const char *p = g_utf8_next_char(text);

  while (*p && !may_break(p))
    p = g_utf8_next_char(p);
  return (gsize)(p - text);
}

/* Appends @help from HELP_COLUMN on, broken at HELP_WIDTH. */
static void
append_words(GString *text, gsize column, const char *help)
{
  if (column + 2 > HELP_COLUMN) {
    g_string_append_c(text, '\n');
    column = 0;
  }
  g_string_append_printf(text, "%*s", (int)(HELP_COLUMN - column), "");
  column = HELP_COLUMN;
  while (*help) {
    gsize size = piece_size(help);
    if (column > HELP_COLUMN && column + count_columns(help, size) > HELP_WIDTH) {
      g_string_append_printf(text, "\n%*s", HELP_COLUMN, "");
      column = HELP_COLUMN;
      help += *help == ' ';
      size = piece_size(help);
    }
    g_string_append_len(text, help, (gssize)size);
    column += count_columns(help, size);
    help += size;
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

/** ms_option_tooltip: (transfer none): the tooltip of the option's control, in the user's language. */
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
