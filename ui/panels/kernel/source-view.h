/* SPDX-License-Identifier: MIT */
/* MsSourceView: the kernel program of the current settings as the device compiles it, and its last change. */
#pragma once

#include "ui/panels/common/panel.h"

G_BEGIN_DECLS

#define MS_TYPE_SOURCE_VIEW (ms_source_view_get_type())
G_DECLARE_FINAL_TYPE(MsSourceView, ms_source_view, MS, SOURCE_VIEW, MsPanel)

const char *ms_source_view_get_source(MsSourceView *self);
const char *ms_source_view_get_options(MsSourceView *self);
char *ms_source_view_get_shown(MsSourceView *self);
void ms_source_view_set_changes_shown(MsSourceView *self, gboolean shown);

G_END_DECLS
