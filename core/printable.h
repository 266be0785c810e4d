/* SPDX-License-Identifier: MIT */
/* Untrusted text, such as a file name, without characters that could mislead a terminal or its reader. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

char *ms_printable(const char *text, const char *keep);

G_END_DECLS
