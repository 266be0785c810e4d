/* SPDX-License-Identifier: MIT */
/*
 * MsHistogramView: the histograms of both pictures with what is shown of them, clipped counts and the bin that is read.
 */
#pragma once

#include "ui/panels/statistics/pixel-panel.h"

G_BEGIN_DECLS

#define MS_TYPE_HISTOGRAM_VIEW (ms_histogram_view_get_type())
G_DECLARE_FINAL_TYPE(MsHistogramView, ms_histogram_view, MS, HISTOGRAM_VIEW, MsPixelPanel)

G_END_DECLS
