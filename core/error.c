/* SPDX-License-Identifier: MIT */
#include "core/error.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* MsErrorPrivate: the sentence as it is written in the source, and in the user's language. */
typedef struct {
  char *english;
  char *translated;
} MsErrorPrivate;

static void
ms_error_private_init(MsErrorPrivate *self)
{
}

static void
ms_error_private_copy(const MsErrorPrivate *self, MsErrorPrivate *copy)
{
  copy->english = g_strdup(self->english);
  copy->translated = g_strdup(self->translated);
}

static void
ms_error_private_clear(MsErrorPrivate *self)
{
  g_free(self->english);
  g_free(self->translated);
}

G_DEFINE_EXTENDED_ERROR(MsError, ms_error)

static void
set(GError **error, MsError code, char *translated, char *english)
{
  GError *made = g_error_new_literal(MS_ERROR, (int)code, translated);
  MsErrorPrivate *private = ms_error_get_private(made);

  *private = (MsErrorPrivate){english, translated};
  g_propagate_error(error, made);
}

/**
 * ms_set_error:
 * @format: a sentence in English, which is looked up among the translations
 *
 * Sets an error of the domain #MS_ERROR whose message is in the user's language.
 */
void
ms_set_error(GError **error, MsError code, const char *format, ...)
{
  va_list args, again;

  va_start(args, format);
  va_copy(again, args);
  set(error, code, g_strdup_vprintf(_(format), args), g_strdup_vprintf(format, again));
  va_end(again);
  va_end(args);
}

/** ms_set_error_literal: the same with a sentence that takes no arguments. */
void
ms_set_error_literal(GError **error, MsError code, const char *sentence)
{
  set(error, code, g_strdup(_(sentence)), g_strdup(sentence));
}

/** ms_error_dup_english: (transfer full): the message in English, for files that programs read. */
char *
ms_error_dup_english(const GError *error)
{
  const MsErrorPrivate *private = error->domain == MS_ERROR ? ms_error_get_private(error) : NULL;
  const char *translated = private ? private->translated : NULL;

  if (!translated || !g_str_has_suffix(error->message, translated))
    return g_strdup(error->message);
  /* Callers may have put words before the sentence. */
  return g_strdup_printf("%.*s%s", (int)(strlen(error->message) - strlen(translated)), error->message,
                         private->english);
}
