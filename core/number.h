/* SPDX-License-Identifier: MIT */
/* Formats numbers for people, the same in every locale. */
#pragma once

#include <glib.h>

char *ms_number_text(double value);
char *ms_number_format(double value, const char *format);
