/* SPDX-License-Identifier: MIT */
/* Lays out the rows of option tables as --help prints them: the option at the left, its help text at the right. */
#pragma once

#include "core/option/option.h"

const char *ms_option_tooltip(const MsOptionInfo *option);
char *ms_option_help_text(const MsOptionInfo *option);
void ms_option_help_append_row(GString *text, const char *left, const char *right);
void ms_option_help_append_group(GString *text, const MsOptionTable *table, MsOptionGroup group, gboolean only_common);
