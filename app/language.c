/* SPDX-License-Identifier: MIT */
#include "app/language.h"

#include <libintl.h>
#include <locale.h>
#include <string.h>

#include "core/lab/experiment/experiment.h"

/**
 * ms_language_init: sets the language of messages from the environment; numbers keep the format of the C locale.
 *
 * The translations are those of the installation, or of the folder that MS_LOCALE_FOLDER names, for a program that runs
 * from its build folder.
 */
void
ms_language_init(void)
{
  const char *folder = g_getenv("MS_LOCALE_FOLDER");

  /* A build folder holds each text domain in a separate folder. */
  g_autofree char *experiments = folder ? g_build_filename(folder, "..", "experiments", "po", NULL) : NULL;

  setlocale(LC_CTYPE, "");
  setlocale(LC_MESSAGES, "");
  bindtextdomain(GETTEXT_PACKAGE, folder ? folder : MS_LOCALE_FOLDER);
  bind_textdomain_codeset(GETTEXT_PACKAGE, "UTF-8");
  bindtextdomain(MS_EXPERIMENT_TEXT_DOMAIN, experiments ? experiments : MS_LOCALE_FOLDER);
  bind_textdomain_codeset(MS_EXPERIMENT_TEXT_DOMAIN, "UTF-8");
  textdomain(GETTEXT_PACKAGE);
}

/**
 * ms_language_choose_fonts: lets Fontconfig prefer fonts of the language that LANGUAGE names, as messages do.
 *
 * Fontconfig goes by the locale alone, and charts take one font, which may lack the letters of another language. Must
 * be called before threads start, since it sets an environment variable.
 */
void
ms_language_choose_fonts(void)
{
  const char *languages = g_getenv("LANGUAGE");
  g_autofree char *first = languages ? g_strndup(languages, strcspn(languages, ":")) : NULL;

  if (first && *first)
    g_setenv("FC_LANG", first, FALSE);
}
