/* SPDX-License-Identifier: MIT */
/* MsSourceView: the kernel program of the current settings as the device compiles it, and its last change. */
#pragma once

#include "ui/panels/common/panel.h"

#define MS_TYPE_SOURCE_VIEW (ms_source_view_get_type())
G_DECLARE_FINAL_TYPE(MsSourceView, ms_source_view, MS, SOURCE_VIEW, MsPanel)

/** MsDiffKind: of a line or word in a minimal difference between two lists of them */
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
