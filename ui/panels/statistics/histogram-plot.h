/* SPDX-License-Identifier: MIT */
/* MsHistogramPlot: the curves of two histograms; the pointer or the arrow keys move a cursor over the bins. */
#pragma once

#include <gtk/gtk.h>

#include "core/chart/chart.h"
#include "core/reduce/image-statistics.h"

#define MS_TYPE_HISTOGRAM_PLOT (ms_histogram_plot_get_type())
/* Signal: "bin-changed" (): the cursor has moved. */
G_DECLARE_FINAL_TYPE(MsHistogramPlot, ms_histogram_plot, MS, HISTOGRAM_PLOT, GtkDrawingArea)

void ms_histogram_plot_set_histograms(MsHistogramPlot *self, const MsHistogram *before, const MsHistogram *after);
void ms_histogram_plot_set_channel(MsHistogramPlot *self, MsImageChannel channel, gboolean shown);
void ms_histogram_plot_set_logarithmic(MsHistogramPlot *self, gboolean logarithmic);
int ms_histogram_plot_get_bin(MsHistogramPlot *self);
void ms_histogram_plot_set_bin(MsHistogramPlot *self, int bin);
char *ms_histogram_plot_read_bin(MsHistogramPlot *self, int bin);
const char *ms_histogram_channel_title(MsImageChannel channel);
guint32 ms_histogram_channel_colour(MsImageChannel channel, MsChartTheme theme);
