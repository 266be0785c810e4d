/* SPDX-License-Identifier: MIT */
#include <glib/gi18n-lib.h>
#include <string.h>

#include "core/option/option.h"

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
  const char *text = _(option->tip ? option->tip : option->help), *place = strstr(text, "%s");
  g_autoptr(GString) whole = g_string_new(text);

  if (!place)
    return text;
  g_string_truncate(whole, (gsize)(place - text));
  for (guint i = 0; option->values[i]; i++)
    g_string_append_printf(whole, "%s%s", i == 0 ? "" : option->values[i + 1] ? _(", ") : _(" or "), option->values[i]);
  g_string_append(whole, place + 2);
  return g_intern_string(whole->str);
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

/* A suggestion may differ from the argument in a third of its letters; beyond that, any short name would match. */
#define MOST_TYPOS 3
#define LETTERS_PER_TYPO 3

typedef struct {
  const MsOptionReader *reader;
  int argc;
  char **argv;
  int next;
} Reading;

/* The Levenshtein distance, computed row by row. */
static guint
typos_between(const char *a, const char *b)
{
  gsize n = strlen(b);
  g_autofree guint *row = g_new(guint, n + 1);

  for (gsize j = 0; j <= n; j++)
    row[j] = (guint)j;
  for (gsize i = 0; a[i]; i++) {
    guint corner = row[0];
    row[0] = (guint)i + 1;
    for (gsize j = 0; j < n; j++) {
      guint replaced = corner + (a[i] != b[j]);
      corner = row[j + 1];
      row[j + 1] = MIN(replaced, MIN(row[j], row[j + 1]) + 1);
    }
  }
  return row[n];
}

/* (nullable): the name of an option that is nearest to @typed. */
static const char *
nearest(const MsOptionReader *self, const char *typed)
{
  guint fewest = CLAMP((guint)strlen(typed) / LETTERS_PER_TYPO, 1, MOST_TYPOS) + 1;
  const char *best = NULL;

  for (guint k = 0; k < self->n_targets && *typed; k++)
    for (guint i = 0; i < self->targets[k].table->n_rows; i++) {
      const char *name = self->targets[k].table->rows[i].name;
      guint typos = g_str_has_prefix(name, typed) ? 1 : typos_between(typed, name);
      if (typos >= fewest)
        continue;
      fewest = typos;
      best = name;
    }
  return best;
}

static gboolean
refuse_unknown(const MsOptionReader *reader, const char *name, GError **error)
{
  const char *near = nearest(reader, name);
  g_autofree char *hint = near ? g_strdup_printf(_(" did you mean --%s?"), near) : g_strdup("");

  ms_set_error(error, MS_ERROR_USAGE, "There is no option --%s;%s --help-all lists all.", name, hint);
  return FALSE;
}

static const MsOptionInfo *
find(const MsOptionReader *reader, const char *name, char letter, gpointer *record)
{
  for (guint k = 0; k < reader->n_targets; k++) {
    const MsOptionTable *table = reader->targets[k].table;
    const MsOptionInfo *row = name ? ms_option_table_find(table, name) : ms_option_table_find_letter(table, letter);
    *record = reader->targets[k].record;
    if (row)
      return row;
  }
  return NULL;
}

/* A single dash and a negative number count as values, not as options. */
static gboolean
looks_like_option(const MsOptionReader *reader, const char *text)
{
  gpointer record;

  return g_str_has_prefix(text, "--") || (text[0] == '-' && find(reader, NULL, text[1], &record));
}

/*
 * An option in the place of the value means that the value is missing; --name=value passes a value that begins with a
 * dash.
 */
static const char *
take_value(Reading *r, const MsOptionInfo *row, GError **error)
{
  const char *value = r->next < r->argc ? r->argv[r->next] : NULL;
  g_autofree char *argument = ms_option_argument(row);

  if (value && !looks_like_option(r->reader, value)) {
    r->next++;
    return value;
  }
  ms_set_error(error, MS_ERROR_USAGE, "--%s needs a value: --%s %s.", row->name, row->name, argument);
  return NULL;
}

static gboolean
apply(Reading *r, const MsOptionInfo *row, gpointer record, const char *value, GError **error)
{
  g_ptr_array_add(r->reader->given, g_strdup(row->name));
  if (row->kind == MS_OPTION_FLAG && value) {
    ms_set_error(error, MS_ERROR_USAGE, "--%s takes no value; leave out '=%s'.", row->name, value);
    return FALSE;
  }
  if (row->value_is_optional && !value)
    value = row->values[0];
  if (row->kind != MS_OPTION_FLAG && !value)
    value = take_value(r, row, error);
  return (row->kind == MS_OPTION_FLAG || value) && ms_option_set_text(row, record, value, error);
}

static gboolean
read_long(Reading *r, const char *text, GError **error)
{
  const char *equals = strchr(text, '=');
  g_autofree char *name = equals ? g_strndup(text, (gsize)(equals - text)) : g_strdup(text);
  gpointer record;
  const MsOptionInfo *row = find(r->reader, name, 0, &record);

  return row ? apply(r, row, record, equals ? equals + 1 : NULL, error) : refuse_unknown(r->reader, name, error);
}

/* The value of a one-letter option follows it directly or in the next argument. */
static gboolean
read_letter(Reading *r, const char *text, GError **error)
{
  gpointer record;
  const MsOptionInfo *row = find(r->reader, NULL, text[0], &record);

  if (row && (row->kind != MS_OPTION_FLAG || !text[1]))
    return apply(r, row, record, text[1] ? text + 1 : NULL, error);
  ms_set_error(error, MS_ERROR_USAGE,
               "There is no option -%s; --help-all lists all, and a file of that name is written ./-%s.", text, text);
  return FALSE;
}

static gboolean
read_argument(Reading *r, gboolean *only_inputs, GError **error)
{
  char *text = r->argv[r->next++];

  if (*only_inputs || text[0] != '-' || text[1] == '\0')
    g_ptr_array_add(r->reader->inputs, g_strdup(text));
  else if (strcmp(text, "--") == 0)
    *only_inputs = TRUE;
  else
    return text[1] == '-' ? read_long(r, text + 2, error) : read_letter(r, text + 1, error);
  return TRUE;
}

/**
 * ms_option_reader_read:
 * @argv: (array length=argc): the program's arguments; the first is its name
 *
 * Reads --name VALUE, --name=VALUE, -l VALUE and -lVALUE; after -- everything is an input. The caller checks whether
 * the options can be combined.
 *
 * Returns: %FALSE with #MS_ERROR_USAGE for an unknown option, a missing value or a value that the option does not take
 */
gboolean
ms_option_reader_read(const MsOptionReader *self, int argc, char **argv, GError **error)
{
  Reading reading = {self, argc, argv, 1};
  gboolean only_inputs = FALSE, good = TRUE;

  while (good && reading.next < argc)
    good = read_argument(&reading, &only_inputs, error);
  return good;
}
