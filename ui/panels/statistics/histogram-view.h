/* SPDX-License-Identifier: MIT */
/* MsHistogramView: the histogram plot with its choices, counts of clipped pixels and the bin at the cursor. */
#pragma once

#include "ui/panels/statistics/picture-statistics.h"

#define MS_TYPE_HISTOGRAM_VIEW (ms_histogram_view_get_type())
G_DECLARE_FINAL_TYPE(MsHistogramView, ms_histogram_view, MS, HISTOGRAM_VIEW, MsPixelPanel)
