/* SPDX-License-Identifier: MIT */
/* Draws a chart with cairo. */
#pragma once

#include "core/chart/chart.h"

void ms_chart_draw(const MsChart *self, cairo_t *cr, const MsChartPage *page);
