/* SPDX-License-Identifier: MIT */
/* Reads and prints the values of options: text to field and field to text, in the C locale. */
#pragma once

#include "core/option/option.h"

gboolean ms_option_set_text(const MsOptionInfo *self, gpointer record, const char *text, GError **error);
char *ms_option_get_text(const MsOptionInfo *self, gconstpointer record);
char *ms_option_to_argument(const MsOptionInfo *self, gconstpointer record);
double ms_option_get_number(const MsOptionInfo *self, gconstpointer record);
void ms_option_set_number(const MsOptionInfo *self, gpointer record, double value);
gboolean ms_option_equal(const MsOptionInfo *self, gconstpointer a, gconstpointer b);
gboolean ms_option_is_default(const MsOptionInfo *self, gconstpointer record);
gboolean ms_option_table_set_keys(const MsOptionTable *self, gpointer record, const char *option, const char *text,
                                  GError **error);
