/* SPDX-License-Identifier: MIT */
/* The text of --help, made from the option tables. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

char *ms_help_text(void);
char *ms_help_preset(guint index);

G_END_DECLS
