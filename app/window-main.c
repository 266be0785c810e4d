/* SPDX-License-Identifier: MIT */
/* The window's program, which app/main.c starts. */
#include <fontconfig/fontconfig.h>
#include <glib/gi18n.h>
#include <locale.h>

#include "app/language.h"
#include "core/service/service.h"
#include "ui/window/application.h"

/* Whether one font has all letters of @text. */
static gboolean
has_font(const char *text)
{
  FcCharSet *letters = FcCharSetCreate();
  FcPattern *pattern = FcPatternCreate();
  FcObjectSet *objects = FcObjectSetBuild(FC_FAMILY, NULL);

  for (const char *letter = text; *letter; letter = g_utf8_next_char(letter))
    FcCharSetAddChar(letters, g_utf8_get_char(letter));
  FcPatternAddCharSet(pattern, FC_CHARSET, letters);
  FcFontSet *fonts = FcFontList(NULL, pattern, objects);
  const gboolean found = fonts && fonts->nfont > 0;
  if (fonts)
    FcFontSetDestroy(fonts);
  FcObjectSetDestroy(objects);
  FcPatternDestroy(pattern);
  FcCharSetDestroy(letters);
  return found;
}

/* Speaks English where no font has the letters of the translation, since all words would be boxes. */
static void
choose_language(void)
{
  const char *word = _("Filtered");

  if (has_font(word))
    return;
  g_setenv("LANGUAGE", "en", TRUE);
  setlocale(LC_MESSAGES, ""); /* makes gettext forget the translations that it has found */
}

int
main(int argc, char **argv)
{
  ms_language_init();
  /* Where no other program is named, the window starts itself for its device. */
  if (ms_service_is_meant())
    return ms_service_run();
  choose_language();
  ms_language_choose_fonts();
  return ms_application_run(argc, argv);
}
