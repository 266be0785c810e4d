/* SPDX-License-Identifier: MIT */
/* The texts of --help and --help-all, made from the option tables. */
#pragma once

#include <glib.h>

char *ms_help_short(void);
char *ms_help_all(void);
char *ms_help_preset(guint index);
