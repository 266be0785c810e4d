/* SPDX-License-Identifier: MIT */
#include "core/error.h"

#include <errno.h>
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

/**
 * ms_error_take:
 * @translated: (transfer full): the sentence in the user's language
 * @english: (transfer full): the same in English
 *
 * Sets an error whose sentence the caller has put together in both languages.
 */
void
ms_error_take(GError **error, MsError code, char *translated, char *english)
{
  GError *made = g_error_new_literal(MS_ERROR, (int)code, translated);
  MsErrorPrivate *priv = ms_error_get_private(made);

  *priv = (MsErrorPrivate){english, translated};
  g_propagate_error(error, made);
}

/** ms_set_error_va: ms_set_error() with the arguments of @format in @args. */
void
ms_set_error_va(GError **error, MsError code, const char *format, va_list args)
{
  va_list again;

  va_copy(again, args);
  ms_error_take(error, code, g_strdup_vprintf(_(format), args), g_strdup_vprintf(format, again));
  va_end(again);
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
  va_list args;

  va_start(args, format);
  ms_set_error_va(error, code, format, args);
  va_end(args);
}

/** ms_set_error_literal: the same with a sentence that takes no arguments. */
void
ms_set_error_literal(GError **error, MsError code, const char *sentence)
{
  ms_error_take(error, code, g_strdup(_(sentence)), g_strdup(sentence));
}

static char *
join(const char *first, char *second)
{
  char *joined = g_strconcat(first, second, NULL);

  g_free(second);
  return joined;
}

/**
 * ms_prefix_error:
 * @format: the beginning of a sentence in English, which is looked up among the translations
 *
 * Prefixes the message of an error that is set, in both languages.
 */
void
ms_prefix_error(GError **error, const char *format, ...)
{
  va_list args, again;

  if (!error || !*error)
    return;
  va_start(args, format);
  va_copy(again, args);
  g_autofree char *translated = g_strdup_vprintf(_(format), args);
  g_autofree char *english = g_strdup_vprintf(format, again);
  va_end(again);
  va_end(args);
  if ((*error)->domain == MS_ERROR) {
    MsErrorPrivate *priv = ms_error_get_private(*error);
    char *before = ms_error_dup_english(*error);
    g_free(priv->english);
    g_free(priv->translated);
    priv->english = join(english, before);
    priv->translated = g_strconcat(translated, (*error)->message, NULL);
  }
  (*error)->message = join(translated, (*error)->message);
}

/** ms_error_dup_english: (transfer full): the message in English, for files that programs read. */
char *
ms_error_dup_english(const GError *error)
{
  const MsErrorPrivate *priv = error->domain == MS_ERROR ? ms_error_get_private(error) : NULL;
  const char *translated = priv ? priv->translated : NULL;

  if (!translated || !g_str_has_suffix(error->message, translated))
    return g_strdup(error->message);
  /* Callers may have prefixed the sentence. */
  return g_strdup_printf("%.*s%s", (int)(strlen(error->message) - strlen(translated)), error->message, priv->english);
}

/** ms_errno_text: what the errno value says in the user's language, and what to do where that is not plain from it. */
const char *
ms_errno_text(int code)
{
  switch (code) {
  case EMFILE:
    return _("the program may open no more files; allow more with 'ulimit -n' and try again");
  case ENFILE:
    return _("the system may open no more files; end other programs and try again");
  case EAGAIN:
    return _("this user or system may start no more programs; end others, or allow more with 'ulimit -u'");
  case ENOMEM:
    return _("the memory is full; end other programs and try again");
  default:
    return g_strerror(code);
  }
}
