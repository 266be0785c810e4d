/* SPDX-License-Identifier: MIT */
/* MsPixelPanel: base class of panels that show numbers computed from the pixels of the two pictures compared. */
#pragma once

#include "ui/panels/common/panel.h"
#include "ui/panels/statistics/picture-statistics.h"

#define MS_TYPE_PIXEL_PANEL (ms_pixel_panel_get_type())
G_DECLARE_DERIVABLE_TYPE(MsPixelPanel, ms_pixel_panel, MS, PIXEL_PANEL, MsPanel)

/**
 * MsPixelPanelClass:
 * @show: shows the numbers known now; called when they change and whenever the panel is refreshed
 */
struct _MsPixelPanelClass {
  MsPanelClass parent_class;
  void (*show)(MsPixelPanel *self);
};

MsPictureStatistics *ms_pixel_panel_get_statistics(MsPixelPanel *self);
