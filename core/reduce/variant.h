/* SPDX-License-Identifier: MIT */
/* The text of --variant: a preset's name and the options that differ from it, as in "minmax-36,vector=4". */
#pragma once

#include "core/reduce/reduce-plan.h"

gboolean ms_reduce_variant_parse(const char *text, MsReduceOptions *options, GError **error);
gboolean ms_reduce_variant_check_used(const char *text, const MsReduceSpec *spec, GError **error);
char *ms_reduce_variant_to_string(const MsReduceOptions *options, const MsReduceSpec *spec);
