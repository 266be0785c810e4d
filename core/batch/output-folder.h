/* SPDX-License-Identifier: MIT */
/* The folder of a batch's outputs: which paths name one, whether files can be made there, removing it when empty. */
#pragma once

#include "core/batch/item.h"
#include "core/error.h"

gboolean ms_output_folder_has_many(const char *const *inputs, gboolean recursive);
gboolean ms_output_folder_is_meant(const char *output, const char *const *inputs, gboolean recursive);
gboolean ms_output_folder_check(const char *path, GError **error);
int ms_output_folder_hold(GPtrArray *items);
void ms_output_folder_remove_empty(const char *path, GPtrArray *items, const char *made);
