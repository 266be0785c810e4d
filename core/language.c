/* SPDX-License-Identifier: MIT */
#include "core/language.h"

#include <glib/gi18n-lib.h>

/** ms_text: @english as it is, or its translation; xgettext finds the texts by this function's name. */
const char *
ms_text(MsLanguage language, const char *english)
{
  return language == MS_LANGUAGE_USER ? _(english) : english;
}
