/* SPDX-License-Identifier: MIT */
/* Sentences of the library in the words of the window. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

char *ms_words_of_window(const char *sentence);

G_END_DECLS
