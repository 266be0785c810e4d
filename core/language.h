/* SPDX-License-Identifier: MIT */
/* MsLanguage: the language of a text that both people and programs read. */
#pragma once

#include <glib.h>

/**
 * MsLanguage:
 * @MS_LANGUAGE_ENGLISH: for files and output that programs read, which do not depend on the locale
 * @MS_LANGUAGE_USER: for the screen
 */
typedef enum {
  MS_LANGUAGE_ENGLISH,
  MS_LANGUAGE_USER,
} MsLanguage;

const char *ms_text(MsLanguage language, const char *english) G_GNUC_FORMAT(2);
