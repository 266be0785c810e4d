/* SPDX-License-Identifier: MIT */
/*
 * MsHistogramView: the histogram plot with its choices, counts of clipped pixels and the bin at the cursor;
 * MsHistogramPlot: the curves of two histograms, with a cursor that the pointer or the arrow keys move over the bins.
 */
#pragma once

#include "core/chart/chart.h"
#include "ui/panels/statistics/picture-statistics.h"

#define MS_TYPE_HISTOGRAM_VIEW (ms_histogram_view_get_type())
G_DECLARE_FINAL_TYPE(MsHistogramView, ms_histogram_view, MS, HISTOGRAM_VIEW, MsPixelPanel)

#define MS_TYPE_HISTOGRAM_PLOT (ms_histogram_plot_get_type())
/* Signal: "bin-changed" (): the cursor has moved. */
G_DECLARE_FINAL_TYPE(MsHistogramPlot, ms_histogram_plot, MS, HISTOGRAM_PLOT, GtkDrawingArea)

int ms_histogram_plot_get_bin(MsHistogramPlot *self);
void ms_histogram_plot_set_bin(MsHistogramPlot *self, int bin);
char *ms_histogram_plot_read_bin(MsHistogramPlot *self, int bin);
guint32 ms_histogram_channel_colour(MsImageChannel channel, MsChartTheme theme);
