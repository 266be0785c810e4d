/* SPDX-License-Identifier: MIT */
/* MsInput: an image that a file or folder argument stands for, with its path below that folder. */
#pragma once

#include <glib.h>

#include "core/error.h"

/** MS_INPUT_STDIN: the argument that stands for standard input, and for standard output as an output. */
#define MS_INPUT_STDIN "-"

/**
 * MsInput:
 * @path: as it can be opened, or MS_INPUT_STDIN
 * @relative: path below the folder that was named; the name alone for a file that was named itself
 * @found: found in a folder rather than named
 * @problem: (nullable): why this input fails: it cannot be read, or the folder holds no image
 */
typedef struct {
  char *path;
  char *relative;
  gboolean found;
  GError *problem;
} MsInput;

GPtrArray *ms_inputs_expand(const char *const *arguments, gboolean recursive, gboolean hidden,
                            const char *output_folder);
/** MsInputTest: whether ms_inputs_remove() removes @input. */
typedef gboolean (*MsInputTest)(const MsInput *input, gpointer data);

void ms_inputs_remove(GPtrArray *inputs, MsInputTest test, gpointer data);
gboolean ms_inputs_has_folder(const char *const *arguments);
