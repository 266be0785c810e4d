/* SPDX-License-Identifier: MIT */
/*
 * MsPictureStatistics: statistics and histograms of the two pictures compared, computed on the device off the main
 * thread; MsPixelPanel: base class of the panels that show them.
 */
#pragma once

#include "core/reduce/image-comparison.h"
#include "core/reduce/image-statistics.h"
#include "ui/engine/picture-result.h"
#include "ui/panels/common/panel.h"

#define MS_TYPE_PICTURE_STATISTICS (ms_picture_statistics_get_type())
G_DECLARE_FINAL_TYPE(MsPictureStatistics, ms_picture_statistics, MS, PICTURE_STATISTICS, MsPictureResult)

/**
 * MsPictureNumbers: each is %NULL while it is not known.
 * @before: of the picture on side A
 * @after: of the picture on side B
 * @comparison: of both pictures if they have the same size
 */
typedef struct {
  const MsImageStatistics *before;
  const MsImageStatistics *after;
  const MsImageComparison *comparison;
} MsPictureNumbers;

MsPictureStatistics *ms_picture_statistics_of(MsDocument *document);
void ms_picture_statistics_update(MsPictureStatistics *self, MsDocument *document);
MsPictureNumbers ms_picture_statistics_get(MsPictureStatistics *self);
char *ms_picture_statistics_name_before(MsDocument *document);
char *ms_picture_statistics_name_after(MsDocument *document);

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
