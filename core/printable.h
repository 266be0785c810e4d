/* SPDX-License-Identifier: MIT */
/* Text from outside, such as a file name, without the characters that a terminal or its reader would be misled by. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

char *ms_printable(const char *text, const char *keep);

G_END_DECLS
