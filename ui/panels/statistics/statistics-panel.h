/* SPDX-License-Identifier: MIT */
/* MsStatisticsPanel: a table of the statistics of both pictures and of their difference, each with its kernel time. */
#pragma once

#include "ui/panels/statistics/picture-statistics.h"

#define MS_TYPE_STATISTICS_PANEL (ms_statistics_panel_get_type())
G_DECLARE_FINAL_TYPE(MsStatisticsPanel, ms_statistics_panel, MS, STATISTICS_PANEL, MsPixelPanel)

char *ms_statistics_panel_get_text(MsStatisticsPanel *self);
