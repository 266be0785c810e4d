/* SPDX-License-Identifier: MIT */
/* A minimal difference between two lists of lines or words: unchanged, added and removed ones. */
#pragma once

#include <glib.h>

typedef enum {
  MS_DIFF_SAME,
  MS_DIFF_ADDED,
  MS_DIFF_REMOVED,
} MsDiffKind;

/** MsDiffLine: @text is owned by the list that the line is from. */
typedef struct {
  MsDiffKind kind;
  const char *text;
} MsDiffLine;

GArray *ms_text_diff(const char *const *before, const char *const *after);
guint ms_text_diff_count(GArray *diff, MsDiffKind kind);
