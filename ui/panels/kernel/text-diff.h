/* SPDX-License-Identifier: MIT */
/* The shortest way from one list of lines (or words) to another: what stays, what comes, what goes. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum {
  MS_DIFF_SAME,
  MS_DIFF_ADDED,
  MS_DIFF_REMOVED,
} MsDiffKind;

/** MsDiffLine: @text belongs to whichever list the line comes from. */
typedef struct {
  MsDiffKind kind;
  const char *text;
} MsDiffLine;

GArray *ms_text_diff(const char *const *before, const char *const *after);
guint ms_text_diff_count(GArray *diff, MsDiffKind kind);

G_END_DECLS
