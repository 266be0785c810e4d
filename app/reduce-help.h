/* SPDX-License-Identifier: MIT */
/*
 * What --reduce takes, in words, from the tables of operations, types, presets and keys; for --help and for the manual
 * page's check.
 */
#pragma once

#include "core/reduce/reduce-options.h"

G_BEGIN_DECLS

/** MS_REDUCE_HELP_BASE: the preset that the others are described by their differences from: the plainest. */
#define MS_REDUCE_HELP_BASE "naive"

/** MsReduceHelpRow: gets one line of the help: what is typed, and what it means. */
typedef void (*MsReduceHelpRow)(const char *left, const char *help, gpointer data);

void ms_reduce_help_operands(MsReduceHelpRow row, gpointer data);
void ms_reduce_help_presets(MsReduceHelpRow row, gpointer data);
void ms_reduce_help_keys(MsReduceHelpRow row, gpointer data);

G_END_DECLS
