/* SPDX-License-Identifier: MIT */
#include "core/language.h"

#include <glib/gi18n-lib.h>

/** ms_text: @english as it is, or its translation; xgettext finds the texts by this function's name. */
const char *
ms_text(MsLanguage language, const char *english)
{
  return language == MS_LANGUAGE_USER ? _(english) : english;
}

/**
 * ms_text_about:
 * @name: of a file
 * @clauses: (array length=n_clauses): statements on the file, in @language; %NULL for those that do not apply
 *
 * Returns: (transfer full) (nullable): the clauses as one sentence on the file, %NULL where none applies
 */
char *
ms_text_about(MsLanguage language, const char *name, const char *const *clauses, gsize n_clauses)
{
  g_autoptr(GString) text = g_string_new(NULL);

  for (gsize i = 0; i < n_clauses; i++) {
    if (!clauses[i])
      continue;
    /* Translators: between two clauses of one sentence. */
    g_string_append(text, text->len > 0 ? ms_text(language, "; ") : "");
    g_string_append(text, clauses[i]);
  }
  /* Translators: the name of a file, and clauses on what was lost when it was read or written. */
  return text->len > 0 ? g_strdup_printf(ms_text(language, "'%s': %s."), name, text->str) : NULL;
}
