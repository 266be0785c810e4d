/* SPDX-License-Identifier: MIT */
/* Looks names up in a list: the one place that says which names a choice takes. */
#pragma once

#include "core/error.h"

G_BEGIN_DECLS

int ms_choice_find(const char *const *names, const char *text);
int ms_choice_parse(const char *const *names, const char *option, const char *text, GError **error);

G_END_DECLS
