/* SPDX-License-Identifier: MIT */
#include "core/option/option.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

/**
 * ms_choice_find:
 * @names: (array zero-terminated=1): the names
 *
 * Returns: the index of @text among them, or -1
 */
int
ms_choice_find(const char *const *names, const char *text)
{
  for (int i = 0; names[i]; i++)
    if (strcmp(names[i], text) == 0)
      return i;
  return -1;
}

/**
 * ms_choice_parse:
 * @option: the option in messages, such as "--split"
 *
 * Returns: the index of @text among @names, or -1 with #MS_ERROR_USAGE, which lists the names
 */
int
ms_choice_parse(const char *const *names, const char *option, const char *text, GError **error)
{
  int index = ms_choice_find(names, text);
  g_autofree char *list = index < 0 ? g_strjoinv(", ", (char **)names) : NULL;

  if (list)
    ms_set_error(error, MS_ERROR_USAGE, "%s cannot be '%s'; it takes one of: %s.", option, text, list);
  return index;
}

/** ms_option_table_find: (transfer none) (nullable): the row of that name. */
const MsOptionInfo *
ms_option_table_find(const MsOptionTable *self, const char *name)
{
  for (guint i = 0; i < self->n_rows; i++)
    if (strcmp(self->rows[i].name, name) == 0)
      return &self->rows[i];
  return NULL;
}

/** ms_option_table_find_letter: (transfer none) (nullable): the row with that one-letter form. */
const MsOptionInfo *
ms_option_table_find_letter(const MsOptionTable *self, char letter)
{
  for (guint i = 0; i < self->n_rows; i++)
    if (letter && self->rows[i].letter == letter)
      return &self->rows[i];
  return NULL;
}

/**
 * ms_option_table_reset: stores the default of every row that states one; the other fields of @record are unchanged.
 */
void
ms_option_table_reset(const MsOptionTable *self, gpointer record)
{
  for (guint i = 0; i < self->n_rows; i++) {
    const MsOptionInfo *row = &self->rows[i];
    gboolean set = !row->standard || ms_option_set_text(row, record, row->standard, NULL);
    g_assert(set);
  }
}

/** ms_option_table_clear: frees the texts that @record holds. */
void
ms_option_table_clear(const MsOptionTable *self, gpointer record)
{
  for (guint i = 0; i < self->n_rows; i++)
    if (self->rows[i].kind == MS_OPTION_TEXT)
      g_clear_pointer((char **)((char *)record + self->rows[i].offset), g_free);
}

/** ms_option_group_title: (transfer none): the heading of a group in --help. */
const char *
ms_option_group_title(MsOptionGroup group)
{
  static const char *const titles[] = {N_("Program"), N_("Filter"),  N_("Toggles"), N_("Device"), N_("Output"),
                                       N_("Batch"),   N_("Reports"), N_("Lab"),     N_("Variant")};

  return _(titles[group]);
}

/** ms_option_n_values: how many names a choice has; 0 for other kinds. */
guint
ms_option_n_values(const MsOptionInfo *self)
{
  return self->values ? g_strv_length((char **)self->values) : 0;
}

/** ms_option_argument: (transfer full) (nullable): the form of the value, as in "N" or "off|on"; %NULL for a flag. */
char *
ms_option_argument(const MsOptionInfo *self)
{
  return self->values ? g_strjoinv("|", (char **)self->values) : g_strdup(self->argument);
}

/** ms_option_usage: (transfer full): the synopsis of the option: "-o, --output FILE|DIR|-" or "times=N". */
char *
ms_option_usage(const MsOptionInfo *self)
{
  g_autofree char *argument = ms_option_argument(self);
  g_autofree char *letter = self->letter ? g_strdup_printf("-%c, ", self->letter) : g_strdup("");

  if (self->is_key)
    return g_strdup_printf("%s=%s", self->name, argument);
  if (self->value_is_optional)
    return g_strdup_printf("%s--%s[=%s]", letter, self->name, argument);
  return g_strdup_printf("%s--%s%s%s", letter, self->name, argument ? " " : "", argument ? argument : "");
}

/**
 * ms_option_check_needs:
 * @given: (element-type utf8): the names of the options that were given
 *
 * Returns: %FALSE with #MS_ERROR_USAGE when none of the options that this one needs was given, or the one beside which
 *   it has no effect was
 */
gboolean
ms_option_check_needs(const MsOptionInfo *self, GPtrArray *given, GError **error)
{
  g_auto(GStrv) needs = g_strsplit(self->needs ? self->needs : "", "|", -1);
  g_autofree char *names = g_strjoinv(" or --", needs);
  gboolean met = !needs[0];

  for (gsize i = 0; needs[i] && !met; i++)
    met = g_ptr_array_find_with_equal_func(given, needs[i], g_str_equal, NULL);
  if (!met)
    ms_set_error(error, MS_ERROR_USAGE, "--%s needs --%s; give that too, or leave out --%s.", self->name, names,
                 self->name);
  else if (self->without && g_ptr_array_find_with_equal_func(given, self->without, g_str_equal, NULL))
    ms_set_error(error, MS_ERROR_USAGE, "--%s has no effect with --%s; leave out one of the two.", self->name,
                 self->without);
  else
    return TRUE;
  return FALSE;
}

/**
 * ms_option_check_used:
 * @context: (nullable): the second argument of the row's @unused
 *
 * Returns: %FALSE with #MS_ERROR_USAGE and the reason when the value in @record has no effect
 */
gboolean
ms_option_check_used(const MsOptionInfo *self, gconstpointer record, gconstpointer context, GError **error)
{
  const char *reason = self->unused ? self->unused(record, context) : NULL;

  if (!reason)
    return TRUE;
  ms_set_error(error, MS_ERROR_USAGE, "%s%s has no effect here: %s. Leave it out.", self->is_key ? "" : "--",
               self->name, reason);
  return FALSE;
}

#define FIELD(self, record, Type) ((Type *)((char *)(record) + (self)->offset))

static double
largest(const MsOptionInfo *self)
{
  return MAX(self->largest, self->maximum);
}

/* Describes the values that the option accepts, for error messages. */
static char *
describe_values(const MsOptionInfo *self)
{
  g_autofree char *names = self->values ? g_strjoinv(", ", (char **)self->values) : NULL;
  const char *number = self->kind == MS_OPTION_INT ? _("whole number") : _("number");

  switch (self->kind) {
  case MS_OPTION_CHOICE:
    return g_strdup_printf(_("one of: %s"), names);
  case MS_OPTION_INT:
  case MS_OPTION_REAL:
    return g_strdup_printf(_("a %s from %.10g to %.10g"), number, self->minimum, largest(self));
  case MS_OPTION_AMOUNT:
    return g_strdup(
      _("a whole number from 1 to 18446744073709551615, optionally followed by K, M, G or T, or a power as in 2^20"));
  case MS_OPTION_SECONDS:
    return g_strdup(_("a time above 0, as in 90s, 5m or 1h"));
  case MS_OPTION_SHAPE:
    return g_strdup(_("columns x rows, as in 32x4, or auto"));
  case MS_OPTION_FLAG:
  case MS_OPTION_TEXT:
  case MS_OPTION_PARSED:
    return g_strdup(self->argument ? self->argument : _("no value"));
  }
  g_return_val_if_reached(NULL);
}

static gboolean
refuse(const MsOptionInfo *self, const char *text, GError **error)
{
  g_autofree char *accepted = describe_values(self);
  const char *dashes = self->is_key ? "" : "--";

  ms_set_error(error, MS_ERROR_USAGE, "%s%s cannot be '%s'; it takes %s.", dashes, self->name, text, accepted);
  return FALSE;
}

static gboolean
parse_int(const MsOptionInfo *self, const char *text, int *field)
{
  gint64 value = 0;

  if (!g_ascii_string_to_signed(text, 10, (gint64)self->minimum, (gint64)largest(self), &value, NULL))
    return FALSE;
  *field = (int)value;
  return TRUE;
}

static gboolean
parse_real(const MsOptionInfo *self, const char *text, double *field)
{
  char *end = NULL;
  double value = g_ascii_strtod(text, &end);

  if (end == text || *end != '\0' || !(value >= self->minimum && value <= largest(self)))
    return FALSE;
  *field = value;
  return TRUE;
}

/* The factor of a unit: K, M, G or T, which may be followed by iB or B for bytes; 0 for any other text. */
static guint64
unit_factor(const char *unit, guint thousand)
{
  static const char letters[] = "KMGT";
  const char *letter = *unit ? strchr(letters, g_ascii_toupper(*unit)) : NULL;
  guint64 factor = 1;

  if (*unit == '\0')
    return 1;
  if (!letter)
    return 0;
  for (const char *p = letters; p <= letter; p++)
    factor *= thousand;
  unit++;
  if (thousand == 1024 && (strcmp(unit, "iB") == 0 || strcmp(unit, "B") == 0))
    return factor;
  return *unit == '\0' ? factor : 0;
}

static gboolean
parse_amount(const MsOptionInfo *self, const char *text, guint64 *field)
{
  gsize digits = strspn(text, "0123456789");
  guint64 power;
  g_autofree char *number = g_strndup(text, digits);
  guint64 factor = unit_factor(text + digits, self->thousand), value = 0;

  if (g_str_has_prefix(text, "2^") && g_ascii_string_to_unsigned(text + 2, 10, 0, 63, &power, NULL)) {
    *field = G_GUINT64_CONSTANT(1) << power;
    return TRUE;
  }
  if (factor == 0 || !g_ascii_string_to_unsigned(number, 10, 1, G_MAXUINT64 / factor, &value, NULL))
    return FALSE;
  *field = value * factor;
  return TRUE;
}

static gboolean
parse_seconds(const char *text, double *field)
{
  static const char *const units[] = {"", "s", "ms", "m", "min", "h", NULL};
  static const double seconds[] = {1, 1, 0.001, 60, 60, 3600};
  char *end = NULL;
  double value = g_ascii_strtod(text, &end);
  int unit = ms_choice_find(units, end);

  if (end == text || unit < 0 || !(value > 0) || isinf(value))
    return FALSE;
  *field = value * seconds[unit];
  return TRUE;
}

static int
choice_number(const MsOptionInfo *self, int index)
{
  return self->numeric_values ? (int)g_ascii_strtoll(self->values[index], NULL, 10) : self->first + index;
}

static gboolean
parse_side(const MsOptionInfo *self, const char **text, int *side)
{
  char *end = NULL;
  guint64 value = g_ascii_isdigit(**text) ? g_ascii_strtoull(*text, &end, 10) : 0;

  if (!end || value < self->minimum || value > self->maximum)
    return FALSE;
  *side = (int)value;
  *text = end;
  return TRUE;
}

static gboolean
parse_shape(const MsOptionInfo *self, const char *text, int *field)
{
  const char *rest = text;
  int width = 0, height = 0;

  if (strcmp(text, "auto") != 0 &&
      !(parse_side(self, &rest, &width) && *rest++ == 'x' && parse_side(self, &rest, &height) && *rest == '\0'))
    return FALSE;
  field[0] = width;
  field[1] = height;
  return TRUE;
}

static gboolean
parse_value(const MsOptionInfo *self, gpointer record, const char *text)
{
  int index;

  switch (self->kind) {
  case MS_OPTION_FLAG:
    *FIELD(self, record, gboolean) = TRUE;
    return TRUE;
  case MS_OPTION_TEXT:
    if (*text == '\0')
      return FALSE;
    g_free(*FIELD(self, record, char *));
    *FIELD(self, record, char *) = g_strdup(text);
    return TRUE;
  case MS_OPTION_INT:
    return parse_int(self, text, FIELD(self, record, int));
  case MS_OPTION_REAL:
    return parse_real(self, text, FIELD(self, record, double));
  case MS_OPTION_AMOUNT:
    return parse_amount(self, text, FIELD(self, record, guint64));
  case MS_OPTION_SECONDS:
    return parse_seconds(text, FIELD(self, record, double));
  case MS_OPTION_CHOICE:
    index = ms_choice_find(self->values, text);
    if (index >= 0)
      *FIELD(self, record, int) = choice_number(self, index);
    return index >= 0;
  case MS_OPTION_SHAPE:
    return parse_shape(self, text, FIELD(self, record, int));
  case MS_OPTION_PARSED:
    break;
  }
  g_return_val_if_reached(FALSE);
}

/**
 * ms_option_set_text:
 * @record: the struct that the row's table describes
 * @text: a value as on the command line; ignored for a flag, which is set
 *
 * Returns: %FALSE with #MS_ERROR_USAGE, which names the option and its values; @record is then unchanged
 */
gboolean
ms_option_set_text(const MsOptionInfo *self, gpointer record, const char *text, GError **error)
{
  if (self->kind == MS_OPTION_PARSED)
    return self->parse(text, FIELD(self, record, char), error);
  return parse_value(self, record, text) || refuse(self, text, error);
}

/* (transfer full): the number in ten digits; where these are read as another number, in as many as it takes. */
static char *
real_text(double value)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];

  g_ascii_formatd(digits, sizeof digits, "%.10g", value);
  if (g_ascii_strtod(digits, NULL) != value)
    g_ascii_dtostr(digits, sizeof digits, value);
  return g_strdup(digits);
}

/**
 * ms_option_get_text:
 *
 * Returns: (transfer full) (nullable): the value as ms_option_set_text() takes it; "on" or "off" for a flag; %NULL for
 *   a text that is not set, for a number that no name of the choice stands for, and for %MS_OPTION_PARSED
 */
char *
ms_option_get_text(const MsOptionInfo *self, gconstpointer record)
{
  const int *sides = FIELD(self, record, const int);

  switch (self->kind) {
  case MS_OPTION_FLAG:
    return g_strdup(*FIELD(self, record, const gboolean) ? "on" : "off");
  case MS_OPTION_TEXT:
    return g_strdup(*FIELD(self, record, char *const));
  case MS_OPTION_INT:
    return g_strdup_printf("%d", *FIELD(self, record, const int));
  case MS_OPTION_REAL:
  case MS_OPTION_SECONDS:
    return real_text(*FIELD(self, record, const double));
  case MS_OPTION_AMOUNT:
    return g_strdup_printf("%" G_GUINT64_FORMAT, *FIELD(self, record, const guint64));
  case MS_OPTION_CHOICE:
    for (int i = 0; self->values[i]; i++)
      if (choice_number(self, i) == *FIELD(self, record, const int))
        return g_strdup(self->values[i]);
    return NULL;
  case MS_OPTION_SHAPE:
    return sides[0] ? g_strdup_printf("%dx%d", sides[0], sides[1]) : g_strdup("auto");
  case MS_OPTION_PARSED:
    return NULL;
  }
  g_return_val_if_reached(NULL);
}

/**
 * ms_option_to_argument: (transfer full): the option with its value in the form that is parsed: "--sp 10" or
 * "times=32".
 */
char *
ms_option_to_argument(const MsOptionInfo *self, gconstpointer record)
{
  g_autofree char *value = ms_option_get_text(self, record);

  return g_strdup_printf(self->is_key ? "%s=%s" : "--%s %s", self->name, value);
}

/** ms_option_get_number: the value of an INT or REAL option, or the stored number of a choice. */
double
ms_option_get_number(const MsOptionInfo *self, gconstpointer record)
{
  return self->kind == MS_OPTION_REAL ? *FIELD(self, record, const double) : *FIELD(self, record, const int);
}

/** ms_option_set_number: stores the value of an INT or REAL option, or the number of a choice, unchecked. */
void
ms_option_set_number(const MsOptionInfo *self, gpointer record, double value)
{
  if (self->kind == MS_OPTION_REAL)
    *FIELD(self, record, double) = value;
  else
    *FIELD(self, record, int) = (int)value;
}

/** ms_option_equal: whether two structs have the same value of this option. */
gboolean
ms_option_equal(const MsOptionInfo *self, gconstpointer a, gconstpointer b)
{
  g_autofree char *one = ms_option_get_text(self, a);
  g_autofree char *other = ms_option_get_text(self, b);

  return g_strcmp0(one, other) == 0;
}

/** ms_option_is_default: whether the value is the default that the row states. */
gboolean
ms_option_is_default(const MsOptionInfo *self, gconstpointer record)
{
  g_autofree char *value = ms_option_get_text(self, record);

  return g_strcmp0(value, self->standard) == 0;
}

static gboolean
refuse_word(const MsOptionTable *table, const char *option, const char *word, GError **error)
{
  g_autoptr(GString) names = g_string_new(NULL);

  for (guint i = 0; i < table->n_rows; i++)
    g_string_append_printf(names, "%s%s", i > 0 ? ", " : "", table->rows[i].name);
  ms_set_error(error, MS_ERROR_USAGE, "%s cannot contain '%s'; it takes name=value with one of these names: %s.",
               option, word, names->str);
  return FALSE;
}

/**
 * ms_option_table_set_keys:
 * @option: the option in messages, such as "--variant"
 * @text: comma-separated name=value, or ""
 *
 * Returns: %FALSE with #MS_ERROR_USAGE; the values before the invalid one are stored
 */
gboolean
ms_option_table_set_keys(const MsOptionTable *self, gpointer record, const char *option, const char *text,
                         GError **error)
{
  g_auto(GStrv) words = g_strsplit(text, ",", -1);

  for (gsize i = 0; words[i]; i++) {
    g_auto(GStrv) pair = g_strsplit(words[i], "=", 2);
    const MsOptionInfo *row = pair[0] && pair[1] ? ms_option_table_find(self, pair[0]) : NULL;
    if (!row)
      return refuse_word(self, option, words[i], error);
    if (!ms_option_set_text(row, record, pair[1], error))
      return FALSE;
  }
  return TRUE;
}
