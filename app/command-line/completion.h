/* SPDX-License-Identifier: MIT */
/* Completions for shells, made from the option tables when the program is built. */
#pragma once

#include <glib.h>

char *ms_completion_for_bash(void);
char *ms_completion_for_zsh(void);
char *ms_completion_for_fish(void);
