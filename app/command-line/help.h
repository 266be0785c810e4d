/* SPDX-License-Identifier: MIT */
/* The texts about the program: its help, its completions for shells, and its version. */
#pragma once

#include <glib.h>

char *ms_help_short(void);
char *ms_help_all(void);
char *ms_help_preset(guint index);

char *ms_completion_for_bash(void);
char *ms_completion_for_zsh(void);
char *ms_completion_for_fish(void);

char *ms_version_text(void);
