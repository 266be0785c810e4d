/* SPDX-License-Identifier: MIT */
/* Reads the arguments of a program by several option tables, each with the struct that it fills. */
#pragma once

#include "core/option/option.h"

/** MsOptionTarget: a table, and the struct into which its options are read. */
typedef struct {
  const MsOptionTable *table;
  gpointer record;
} MsOptionTarget;

/**
 * MsOptionReader:
 * @targets: the tables; their names must differ
 * @given: (element-type utf8): receives the names of the options that were given, in order
 * @inputs: (element-type utf8): receives the other arguments
 */
typedef struct {
  const MsOptionTarget *targets;
  guint n_targets;
  GPtrArray *given;
  GPtrArray *inputs;
} MsOptionReader;

gboolean ms_option_reader_read(const MsOptionReader *self, int argc, char **argv, GError **error);
