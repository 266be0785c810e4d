/* SPDX-License-Identifier: MIT */
/* Looks up the value of a choice in its list of names, and lists the names when there is no match. */
#pragma once

#include "core/error.h"

int ms_choice_find(const char *const *names, const char *text);
int ms_choice_parse(const char *const *names, const char *option, const char *text, GError **error);
