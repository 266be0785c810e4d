/* SPDX-License-Identifier: MIT */
/* MsChartView: draws an MsChart exactly as it is exported, with tooltips and a description for screen readers. */
#pragma once

#include <gtk/gtk.h>

#include "core/chart/chart.h"

#define MS_TYPE_CHART_VIEW (ms_chart_view_get_type())
/* Signal: "row-clicked" (guint): a bar or marker of this row of a report was clicked. */
G_DECLARE_FINAL_TYPE(MsChartView, ms_chart_view, MS, CHART_VIEW, GtkDrawingArea)

GtkWidget *ms_chart_view_new(void);
void ms_chart_view_set_chart(MsChartView *self, MsChart *chart, const char *name);
MsChart *ms_chart_view_get_chart(MsChartView *self);
