/* SPDX-License-Identifier: MIT */
/* MsSourceView: the kernel program of the current settings as the device compiles it, and its last change. */
#pragma once

#include "ui/panels/common/panel.h"

#define MS_TYPE_SOURCE_VIEW (ms_source_view_get_type())
G_DECLARE_FINAL_TYPE(MsSourceView, ms_source_view, MS, SOURCE_VIEW, MsPanel)
