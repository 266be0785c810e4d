/* SPDX-License-Identifier: MIT */
/* MsTimingView: the times of the last run by stage and kernel, as a table and a stacked bar; building is separate. */
#pragma once

#include "ui/panels/common/panel.h"

#define MS_TYPE_TIMING_VIEW (ms_timing_view_get_type())
G_DECLARE_FINAL_TYPE(MsTimingView, ms_timing_view, MS, TIMING_VIEW, MsPanel)
