/* SPDX-License-Identifier: MIT */
/* MsRegionsPanel: the regions of the picture as outlines, labels or mean colours, and the row of the one clicked. */
#pragma once

#include "ui/panels/common/panel.h"
#include "ui/panels/regions/picture-regions.h"

G_BEGIN_DECLS

#define MS_TYPE_REGIONS_PANEL (ms_regions_panel_get_type())
G_DECLARE_FINAL_TYPE(MsRegionsPanel, ms_regions_panel, MS, REGIONS_PANEL, MsPanel)

MsPictureRegions *ms_regions_panel_get_regions(MsRegionsPanel *self);

G_END_DECLS
