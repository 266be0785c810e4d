/* SPDX-License-Identifier: MIT */
/* MsRegionsPanel: the table of the regions of the picture, their smallest size, and the row of the selected one. */
#pragma once

#include "ui/panels/common/panel.h"

#define MS_TYPE_REGIONS_PANEL (ms_regions_panel_get_type())
G_DECLARE_FINAL_TYPE(MsRegionsPanel, ms_regions_panel, MS, REGIONS_PANEL, MsPanel)
