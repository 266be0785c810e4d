/* SPDX-License-Identifier: MIT */
/* MsOwnFile: a report or manifest that a run writes; it must not replace an image of the run or another such file. */
#pragma once

#include <glib.h>

#include "core/error.h"

/** MsOwnFile: a file and the option that names it, without its dashes; @path may be %NULL or "-". */
typedef struct {
  const char *option;
  const char *path;
} MsOwnFile;

gboolean ms_own_files_check(const MsOwnFile *files, guint n, GHashTable *sources, GHashTable *outputs, GError **error);
