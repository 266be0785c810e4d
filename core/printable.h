/* SPDX-License-Identifier: MIT */
/* Untrusted text, such as a file name, without characters that could mislead a terminal or its reader. */
#pragma once

#include <glib.h>

char *ms_printable(const char *text, const char *keep);
