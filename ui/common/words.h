/* SPDX-License-Identifier: MIT */
/* Sentences of the library in the words of the window. */
#pragma once

#include <glib.h>

char *ms_words_of_window(const char *sentence);
