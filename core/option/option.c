/* SPDX-License-Identifier: MIT */
#include "core/option/option.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "core/option/option-text.h"

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
 * Returns: %FALSE with #MS_ERROR_USAGE when none of the options that this one needs was given
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
  return met;
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
