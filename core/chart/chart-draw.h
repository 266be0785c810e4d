/* SPDX-License-Identifier: MIT */
/* Draws a chart with cairo. */
#pragma once

#include "core/chart/chart.h"

G_BEGIN_DECLS

void ms_chart_draw(const MsChart *self, cairo_t *cr, const MsChartPage *page);

G_END_DECLS
