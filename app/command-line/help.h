/* SPDX-License-Identifier: MIT */
/* The texts of --help and --help-all, made from the option tables. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

char *ms_help_short(void);
char *ms_help_all(void);
char *ms_help_preset(guint index);

G_END_DECLS
